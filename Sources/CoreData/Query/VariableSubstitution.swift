import Foundation

/// Replaces the variables of a predicate by constants.
struct VariableSubstitution {
    private let variables: [String: Any]

    init(_ variables: [String: Any]) { self.variables = variables }

    func predicate(_ predicate: NSPredicate) -> NSPredicate {
        switch PredicateShape(predicate) {
        case .comparison(let comparison):
            return NSComparisonPredicate(
                leftExpression: expression(comparison.leftExpression),
                rightExpression: expression(comparison.rightExpression),
                modifier: comparison.comparisonPredicateModifier,
                type: comparison.predicateOperatorType,
                options: comparison.options
            )
        case .and(let parts):
            return CompoundPredicate(type: .and, subpredicates: parts.map(self.predicate))
        case .or(let parts):
            return CompoundPredicate(type: .or, subpredicates: parts.map(self.predicate))
        case .not(let part):
            return CompoundPredicate(type: .not, subpredicates: [self.predicate(part)])
        case .constant: return predicate
        case .opaque: return predicate.withSubstitutionVariablesOfSubclass(variables)
        }
    }

    func expression(_ expression: NSExpression) -> NSExpression {
        switch expression.node {
        case .variable(let name):
            guard let value = variables[name] else { return expression }
            return value as? NSExpression ?? NSExpression(.constant(value))
        case .constant, .evaluatedObject, .index, .anyKey: return expression
        case .keyPath(let operand, let path):
            guard let operand else { return expression }
            let start = self.expression(operand)
            if case .constant(let value) = start.node, case .object = QueryValue(value) {
                // SQL can't follow a path from an object: its values count as they are now.
                let end = KeyPathSteps(path).value(from: QueryValue(value))
                return NSExpression(.constant(end.anyValue))
            }
            return NSExpression(.keyPath(operand: start, path: path))
        case .function(let name, let arguments):
            return NSExpression(
                .function(name: name, arguments: arguments.map(self.expression))
            )
        case .aggregate(let parts): return NSExpression(.aggregate(parts.map(self.expression)))
        case .setOperation(let operation, let left, let right):
            return NSExpression(
                .setOperation(operation, self.expression(left), self.expression(right))
            )
        case .subquery(let collection, let name, let predicate):
            // The subquery's own variable hides an outer one of the same name.
            let inner = VariableSubstitution(variables.filter { $0.key != name })
            return NSExpression(
                .subquery(
                    collection: self.expression(collection),
                    variable: name,
                    predicate: inner.predicate(predicate)
                )
            )
        case .conditional(let predicate, let left, let right):
            return NSExpression(
                .conditional(
                    self.predicate(predicate),
                    self.expression(left),
                    self.expression(right)
                )
            )
        case .fetch(let request, let context, let countsOnly):
            return NSFetchRequestExpression(
                .fetch(
                    request: self.expression(request),
                    context: self.expression(context),
                    countsOnly: countsOnly
                )
            )
        case .block(let block, let arguments):
            return NSExpression(.block(block, arguments.map(self.expression)))
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
