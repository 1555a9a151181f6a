import Foundation

/// Replaces the variables of a predicate by constants.
struct VariableSubstitution {
    private let variables: [String: Any]

    init(_ variables: [String: Any]) { self.variables = variables }

    func predicate(_ predicate: NSPredicate) -> NSPredicate { rewriting.predicate(predicate) }

    func expression(_ expression: NSExpression) -> NSExpression {
        rewriting.expression(expression)
    }

    private var rewriting: PredicateRewriting {
        PredicateRewriting(
            replacement: replacement,
            opaque: { $0.withSubstitutionVariablesOfSubclass(variables) }
        )
    }

    private func replacement(
        _ expression: NSExpression,
        _ rewriting: PredicateRewriting
    ) -> NSExpression? {
        switch expression.node {
        case .variable(let name):
            // A variable without a value here stays, and may get one later.
            return variables[name].map { $0 as? NSExpression ?? NSExpression(.constant($0)) }
        case .keyPath(let operand?, let path):
            let start = rewriting.expression(operand)
            if case .constant(let value) = start.node, case .object = QueryValue(value) {
                // SQL can't follow a path from an object: its values count as they are now.
                let end = KeyPathSteps(path).value(from: QueryValue(value))
                return NSExpression(.constant(end.anyValue))
            }
            return NSExpression(.keyPath(operand: start, path: path))
        case .subquery(let collection, let name, let predicate):
            // The subquery's own variable hides an outer one of the same name.
            let inner = VariableSubstitution(variables.filter { $0.key != name })
            return NSExpression(
                .subquery(
                    collection: rewriting.expression(collection),
                    variable: name,
                    predicate: inner.predicate(predicate)
                )
            )
        default:
            return nil
        }
    }
}

extension NSPredicate {
    /// A block predicate takes its variables when it is evaluated, so it has to remember them.
    fileprivate func withSubstitutionVariablesOfSubclass(
        _ variables: [String: Any]
    ) -> NSPredicate {
        let original = UncheckedPredicate(predicate: self, variables: variables)
        return NSPredicate { object, bindings in
            // What was substituted first wins, as it would in a predicate whose variables are
            // really replaced.
            let all = original.variables.merging(bindings ?? [:]) { first, _ in first }
            return original.predicate.evaluate(with: object, substitutionVariables: all)
        }
    }
}

/// A predicate and its variables on their way into a Sendable block; both are only read.
private struct UncheckedPredicate: @unchecked Sendable {
    let predicate: NSPredicate
    let variables: [String: Any]
}
