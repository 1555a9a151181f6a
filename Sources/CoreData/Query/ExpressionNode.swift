import Foundation

/// What an expression is: the closed set of shapes behind `NSExpression`.
indirect enum ExpressionNode {
    /// The place in an ordered collection that `[FIRST]`, `[LAST]` and `[SIZE]` name.
    enum IndexSymbol: String {
        case first = "FIRST"
        case last = "LAST"
        case size = "SIZE"
    }
    enum SetOperation: String {
        case union = "UNION"
        case intersect = "INTERSECT"
        case minus = "MINUS"
    }

    case constant(Any?)
    case evaluatedObject
    case variable(String)
    /// A key path from the operand, or from the evaluated object if there is none.
    case keyPath(operand: NSExpression?, path: String)
    /// A function by its selector name, such as `add:to:`.
    case function(name: String, arguments: [NSExpression])
    case aggregate([NSExpression])
    case setOperation(SetOperation, NSExpression, NSExpression)
    case subquery(collection: NSExpression, variable: String, predicate: NSPredicate)
    case conditional(NSPredicate, NSExpression, NSExpression)
    case block((Any?, [NSExpression], NSMutableDictionary?) -> Any, [NSExpression])
    case index(IndexSymbol)
    case anyKey
    /// What a fetch request finds, or how much.
    case fetch(request: NSExpression, context: NSExpression, countsOnly: Bool)
}
