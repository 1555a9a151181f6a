import Foundation

extension PredicateCompiler {
    /// The value of an expression that does not depend on the object; nil if it does.
    static func constant(_ expression: NSExpression) -> QueryValue? {
        switch expression.node {
        case .constant(let value): QueryValue(value)
        case .aggregate(let parts): constants(parts, constant).map(QueryValue.collection)
        default: nil
        }
    }

    /// As `constant`, and also what functions make of constants: SQL gets that as one value, which
    /// is read as the other side's kind there, and has to be so here.
    static func foldedConstant(_ expression: NSExpression) -> QueryValue? {
        switch expression.node {
        case .function(let name, let arguments):
            guard let function = QueryFunction(rawValue: name), function.isFoldable else {
                return nil
            }
            return constants(arguments, foldedConstant).map(function.call)
        case .aggregate(let parts):
            return constants(parts, foldedConstant).map(QueryValue.collection)
        default: return constant(expression)
        }
    }

    /// The values of all of the expressions; nil as soon as one has none.
    private static func constants(
        _ expressions: [NSExpression],
        _ constant: (NSExpression) -> QueryValue?
    ) -> [QueryValue]? {
        var values: [QueryValue] = []
        values.reserveCapacity(expressions.count)
        for expression in expressions {
            guard let value = constant(expression) else { return nil }
            values.append(value)
        }
        return values
    }

    static func value(_ expression: NSExpression, nilIsEmpty: Bool = false) -> Value {
        switch expression.node {
        case .constant(let value):
            // Converted here, once, and not for each object that the closure is asked about.
            let constant = QueryValue(value)
            return { _ in constant }
        case .evaluatedObject: return { scope in scope.root }
        case .variable(let name):
            return { scope in
                // Taken for nil, a forgotten variable would select other objects without a word.
                guard let value = scope.variables[name] else {
                    fatalError(
                        "Can't get value for '\(name)' in bindings: give it with "
                            + "withSubstitutionVariables(_:)."
                    )
                }
                return value
            }
        case .keyPath(let operand, let path):
            let steps = KeyPathSteps(path)
            guard let operand else {
                return { scope in steps.value(from: scope.root, nilIsEmpty: nilIsEmpty) }
            }
            let root = value(operand)
            return { scope in steps.value(from: root(scope), nilIsEmpty: nilIsEmpty) }
        case .function(let name, let arguments): return function(name, arguments)
        case .aggregate(let parts):
            let values = parts.map { value($0) }
            return { scope in .collection(values.map { $0(scope) }) }
        case .setOperation(let operation, let left, let right):
            let left = value(left), right = value(right)
            return { scope in combine(operation, left(scope), right(scope)) }
        case .subquery(let collection, let name, let predicate):
            return subquery(value(collection, nilIsEmpty: true), name, condition(predicate))
        case .conditional(let predicate, let first, let second):
            let condition = condition(predicate)
            let first = value(first), second = value(second)
            return { scope in condition(scope) ? first(scope) : second(scope) }
        case .block(let block, let arguments):
            return { scope in
                let context = NSMutableDictionary()
                for (key, value) in scope.bindings ?? [:] {
                    context.setObject(value, forKey: key as NSString)
                }
                return QueryValue(unwrapped(block(scope.root.anyValue, arguments, context)))
            }
        case .index(let symbol):
            let name = symbol.rawValue
            return { _ in .text(name) }
        case .anyKey: return { _ in .null }
        case .fetch(let request, let context, let countsOnly):
            return fetch(value(request), value(context), countsOnly)
        }
    }

    private static func function(_ name: String, _ arguments: [NSExpression]) -> Value {
        guard let function = QueryFunction(rawValue: name) else {
            fatalError(
                "Unable to parse function name '\(name)' into supported selector (\(name))."
            )
        }
        // LAST and SIZE mean something only with the collection at hand, so this function sees its
        // index as an expression and not as a value.
        if function == .element, arguments.count == 2 {
            return element(of: value(arguments[0]), arguments[1])
        }
        // An aggregate over a path that nil interrupts is one over nothing, as `@sum` in the path
        // would be; to other functions the path's value is nil.
        let values = arguments.map { value($0, nilIsEmpty: function.isAggregate) }
        return { scope in function.call(values.map { $0(scope) }) }
    }

    /// `collection[index]`; null beyond its bounds.
    private static func element(of collection: @escaping Value, _ index: NSExpression) -> Value {
        if case .index(let symbol) = index.node {
            return { scope in
                guard case .collection(let elements) = collection(scope) else { return .null }
                switch symbol {
                case .first: return elements.first ?? .null
                case .last: return elements.last ?? .null
                case .size: return .integer(Int64(elements.count))
                }
            }
        }
        let index = value(index)
        return { scope in
            switch (collection(scope), index(scope)) {
            case (.collection(let elements), .integer(let position)):
                // The position may come from the objects' data, which must not stop the process.
                guard position >= 0, position < elements.count else { return .null }
                return elements[Int(position)]
            case (.object(let source), .text(let key)):
                return source.queryValue(for: QueryKey(key)) ?? .null
            default: return .null
            }
        }
    }

    private static func subquery(
        _ collection: @escaping Value,
        _ name: String,
        _ condition: @escaping Condition
    ) -> Value {
        { scope in
            guard case .collection(let elements) = collection(scope) else { return .collection([]) }
            // A scope of its own: outside of the subquery the name means what it meant before.
            var inner = copy scope
            return .collection(
                elements.filter { element in
                    inner.variables[name] = element
                    return condition(inner)
                }
            )
        }
    }

    private static func fetch(
        _ request: @escaping Value,
        _ context: @escaping Value,
        _ countsOnly: Bool
    ) -> Value {
        { scope in
            do {
                if let executor = context(scope).anyValue as? any FetchExecuting,
                    let request = request(scope).anyValue,
                    let found = try executor.fetchedValue(of: request, countsOnly: countsOnly)
                {
                    return found
                }
            } catch {
                // Evaluation can't throw; an empty result would be wrong without a word.
                fatalError("The request of a FETCH expression failed: \(error)")
            }
            fatalError("FETCH needs a fetch request and a managed object context as its operands.")
        }
    }

    private static func combine(
        _ operation: ExpressionNode.SetOperation,
        _ left: QueryValue,
        _ right: QueryValue
    ) -> QueryValue {
        guard case .collection(let left) = left, case .collection(let right) = right else {
            return .null
        }
        // By the equality of predicates, for which 1 and 1.0 are one element, and not by hashes.
        func isInRight(_ value: QueryValue) -> Bool {
            right.contains { QueryComparison.isEqual($0, value, []) }
        }
        switch operation {
        case .intersect: return .collection(left.filter(isInRight))
        case .minus: return .collection(left.filter { !isInRight($0) })
        case .union:
            return .collection(
                left
                    + right.filter { value in
                        !left.contains { QueryComparison.isEqual($0, value, []) }
                    }
            )
        }
    }
}
