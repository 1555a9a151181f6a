import Foundation

/// What a predicate is evaluated with.
struct EvaluationScope {
    var root: QueryValue
    var variables: [String: QueryValue] = [:]
    /// The variables as the client gave them, for blocks.
    var bindings: [String: Any]?
}

/// A predicate compiled for evaluation in memory; compile once, use for many objects.
///
/// > Threading: Immutable; any thread, as far as the predicate's constants and blocks are.
struct PredicateEvaluator: @unchecked Sendable {
    // @unchecked: the closures only read what they capture.
    private let condition: PredicateCompiler.Condition
    /// The predicate, if it compares one property with a constant.
    private let property: PredicateCompiler.PropertyTest?

    init(_ predicate: NSPredicate) {
        property = PredicateCompiler.propertyTest(predicate)
        condition =
            property.map(PredicateCompiler.condition) ?? PredicateCompiler.condition(predicate)
    }

    /// Whether a source satisfies the predicate.
    @inline(__always) func evaluate(_ source: any KeyValueSource) -> Bool {
        // Most predicates that are put to many objects: they need no scope.
        if let property, let value = source.queryValue(for: property.key) {
            return property.holds(value)
        }
        return condition(EvaluationScope(root: .object(source)))
    }

    /// Whether any value satisfies the predicate with these variables.
    func evaluate(_ object: Any?, variables: [String: Any]?) -> Bool {
        if variables == nil { return condition(EvaluationScope(root: QueryValue(subject: object))) }
        return condition(
            EvaluationScope(
                root: QueryValue(subject: object),
                variables: variables?.mapValues { QueryValue(unwrapped($0)) } ?? [:],
                bindings: variables
            )
        )
    }
}

/// A predicate's evaluator, made when it is first needed.
final class CompiledPredicateCache: Sendable {
    private let evaluator = Locked<PredicateEvaluator?>(nil)

    func evaluator(for predicate: NSPredicate) -> PredicateEvaluator {
        if let known = evaluator.withLock({ $0 }) { return known }
        // Outside of the lock: two threads may compile the same, which does no harm.
        let compiled = PredicateEvaluator(predicate)
        evaluator.withLock { $0 = compiled }
        return compiled
    }
}

extension NSExpression {
    /// The expression's value for an object.
    ///
    /// - Parameter context: Values of variables, by name.
    public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        var bindings: [String: Any] = [:]
        for (key, value) in context ?? [:] {
            if let key = key as? NSString { bindings[String(describing: key)] = value }
        }
        let scope = EvaluationScope(
            root: QueryValue(object.flatMap(unwrapped)),
            variables: bindings.mapValues { QueryValue(unwrapped($0)) },
            bindings: bindings
        )
        // As it was given, and not as it comes back from comparisons.
        if case .constant(let value) = node { return value }
        return PredicateCompiler.value(self)(scope).anyValue
    }

    /// Does nothing: expressions need no permission to be evaluated here.
    public func allowEvaluation() {}

    /// Makes an expression of a format string.
    ///
    /// - Precondition: The format is well-formed and has a specifier for each argument.
    public convenience init(format expressionFormat: String, _ args: Any...) {
        self.init(format: expressionFormat, argumentArray: args)
    }

    /// Makes an expression of a format string and a list of arguments.
    ///
    /// - Precondition: As ``init(format:argumentArray:)``; the list is one of `withVaList(_:_:)`,
    ///   within its block, or of `getVaList(_:)`, on its thread.
    public convenience init(format expressionFormat: String, arguments argList: CVaListPointer) {
        let arguments = VariadicArguments.arguments(of: argList)
        self.init(format: expressionFormat, argumentArray: arguments)
    }

    /// Makes an expression of a format string and a list of arguments.
    ///
    /// - Precondition: The format is well-formed and has a specifier for each argument.
    public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
        do {
            let expression = try PredicateParser.expression(
                expressionFormat,
                arguments,
                allowingCalls: true
            )
            self.init(expression.node)
        } catch {
            fatalError("\(error)")
        }
    }
}
