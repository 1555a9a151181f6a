import Foundation

/// The parts of an expression; asking for one that its type lacks is a programming error.
extension NSExpression {
    /// The kind of the expression.
    public var expressionType: ExpressionType {
        switch node {
        case .constant, .index: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath: .keyPath
        case .function: .function
        case .aggregate: .aggregate
        case .setOperation(.union, _, _): .unionSet
        case .setOperation(.intersect, _, _): .intersectSet
        case .setOperation(.minus, _, _): .minusSet
        case .subquery: .subquery
        case .conditional: .conditional
        case .block: .block
        case .anyKey: .anyKey
        case .fetch: .fetchRequest
        }
    }

    /// The value of a constant; `TRUE` and `NO` are numbers, as with Objective-C.
    public var constantValue: Any? {
        switch node {
        // Without the bridge to Objective-C a Bool is no NSNumber, which clients cast constants to.
        case .constant(let value?) where type(of: value) == Bool.self:
            return (value as? Bool).map { NSNumber(value: $0) }
        case .constant(let value): return value
        case .index(let symbol): return symbol.rawValue
        default: missing("constantValue")
        }
    }

    /// The path of a key path expression.
    public var keyPath: String {
        switch node {
        case .keyPath(_, let path): return path
        case .evaluatedObject: return "self"
        default: missing("keyPath")
        }
    }

    /// The selector name of a function.
    public var function: String {
        switch node {
        case .function(let name, _): return name
        // As with Apple's framework, where a key path is the call of this method, and a function
        // one of a class of its own: see `operand`.
        case .keyPath: return "valueForKeyPath:"
        default: missing("function")
        }
    }

    /// The name of a variable, without its dollar sign.
    public var variable: String {
        switch node {
        case .variable(let name): return name
        case .subquery(_, let name, _): return name
        default: missing("variable")
        }
    }

    /// What a key path starts from.
    public var operand: NSExpression {
        switch node {
        case .keyPath(let operand, _): return operand ?? NSExpression(.evaluatedObject)
        case .function: return NSExpression(.constant("_NSPredicateUtilities"))
        default: missing("operand")
        }
    }

    /// The arguments of a function or a block.
    public var arguments: [NSExpression]? {
        switch node {
        case .function(_, let arguments), .block(_, let arguments): return arguments
        case .keyPath(_, let path): return [NSExpression(.constant(path))]
        default: missing("arguments")
        }
    }

    /// The expressions of an aggregate; the collection of a subquery.
    public var collection: Any {
        switch node {
        case .aggregate(let expressions): return expressions
        case .subquery(let collection, _, _): return collection
        default: missing("collection")
        }
    }

    /// The predicate of a subquery or of a condition.
    public var predicate: NSPredicate {
        switch node {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
        default: missing("predicate")
        }
    }

    /// The first operand of a set operation.
    public var left: NSExpression {
        guard case .setOperation(_, let left, _) = node else { missing("left") }
        return left
    }

    /// The second operand of a set operation.
    public var right: NSExpression {
        guard case .setOperation(_, _, let right) = node else { missing("right") }
        return right
    }

    /// What a conditional expression is when its predicate is true.
    public var `true`: NSExpression {
        guard case .conditional(_, let expression, _) = node else { missing("true") }
        return expression
    }

    /// What a conditional expression is when its predicate is false.
    public var `false`: NSExpression {
        guard case .conditional(_, _, let expression) = node else { missing("false") }
        return expression
    }

    /// The block of a block expression.
    public var expressionBlock: (Any?, [NSExpression], NSMutableDictionary?) -> Any {
        guard case .block(let block, _) = node else { missing("expressionBlock") }
        return block
    }

    private func missing(_ part: String) -> Never {
        fatalError("An NSExpression of type \(expressionType) has no \(part).")
    }
}
