import Foundation

/// Equality of predicates and expressions by their parts.
enum QueryEquality {
    static func areEqual(_ left: NSPredicate, _ right: NSPredicate) -> Bool {
        switch (PredicateShape(left), PredicateShape(right)) {
        case (.comparison(let left), .comparison(let right)):
            return left.predicateOperatorType == right.predicateOperatorType
                && left.comparisonPredicateModifier == right.comparisonPredicateModifier
                && left.options == right.options
                && areEqual(left.leftExpression, right.leftExpression)
                && areEqual(left.rightExpression, right.rightExpression)
        case (.and(let left), .and(let right)), (.or(let left), .or(let right)):
            return left.count == right.count && zip(left, right).allSatisfy(areEqual)
        case (.not(let left), .not(let right)): return areEqual(left, right)
        case (.constant(let left), .constant(let right)): return left == right
        case (.opaque(let left), .opaque(let right)): return left === right
        default: return false
        }
    }

    static func areEqual(_ left: NSExpression, _ right: NSExpression) -> Bool {
        switch (left.node, right.node) {
        case (.constant(let left), .constant(let right)): return areEqualConstants(left, right)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): return true
        case (.variable(let left), .variable(let right)): return left == right
        case (.keyPath(let leftOperand, let left), .keyPath(let rightOperand, let right)):
            guard left == right else { return false }
            switch (leftOperand, rightOperand) {
            case (nil, nil): return true
            case (let leftOperand?, let rightOperand?):
                return areEqual(leftOperand, rightOperand)
            default: return false
            }
        case (.function(let leftName, let left), .function(let rightName, let right)):
            return leftName == rightName && areEqual(left, right)
        case (.aggregate(let left), .aggregate(let right)): return areEqual(left, right)
        case (.setOperation(let left, let a, let b), .setOperation(let right, let c, let d)):
            return left == right && areEqual(a, c) && areEqual(b, d)
        case (.subquery(let a, let left, let p), .subquery(let b, let right, let q)):
            return left == right && areEqual(a, b) && areEqual(p, q)
        case (.conditional(let p, let a, let b), .conditional(let q, let c, let d)):
            return areEqual(p, q) && areEqual(a, c) && areEqual(b, d)
        case (.index(let left), .index(let right)): return left == right
        default: return left === right
        }
    }

    private static func areEqual(_ left: [NSExpression], _ right: [NSExpression]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy(areEqual)
    }

    private static func areEqualConstants(_ left: Any?, _ right: Any?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if let left = left as? [Any], let right = right as? [Any] {
            return left.count == right.count && zip(left, right).allSatisfy(areEqualConstants)
        }
        if let left = left as? AnyHashable, let right = right as? AnyHashable {
            return left == right
        }
        return (left as AnyObject) === (right as AnyObject)
    }

    /// Constants and opaque parts don't count, so that equal values of different types may be
    /// equal.
    static func hash(of predicate: NSPredicate) -> Int {
        switch PredicateShape(predicate) {
        case .comparison(let comparison):
            var hasher = Hasher()
            hasher.combine(comparison.predicateOperatorType)
            hasher.combine(hash(of: comparison.leftExpression))
            hasher.combine(hash(of: comparison.rightExpression))
            return hasher.finalize()
        case .and(let parts): return parts.reduce(1) { $0 &* 31 &+ hash(of: $1) }
        case .or(let parts): return parts.reduce(2) { $0 &* 31 &+ hash(of: $1) }
        case .not(let part): return ~hash(of: part)
        case .constant(let value): return value ? 1 : 0
        case .opaque: return 0
        }
    }

    static func hash(of expression: NSExpression) -> Int {
        switch expression.node {
        case .keyPath(_, let path): path.hashValue
        case .variable(let name): name.hashValue
        case .function(let name, let arguments):
            arguments.reduce(name.hashValue) { $0 &* 31 &+ hash(of: $1) }
        case .aggregate(let parts): parts.count
        case .subquery(_, _, let predicate): hash(of: predicate)
        default: Int(expression.expressionType.rawValue)
        }
    }
}
