import Foundation

/// Equality of predicates and expressions by their parts.
enum QueryEquality {
    static func areEqual(_ left: NSPredicate, _ right: NSPredicate) -> Bool {
        switch (shape(left), shape(right)) {
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
        case (.opaque(let left), .opaque(let right)):
            // A client's subclass may know better than identity; Foundation's blocks don't.
            return left === right || type(of: left) != NSPredicate.self && left.isEqual(right)
        default: return false
        }
    }

    /// The predicate without what makes no difference and can't be written: `AND` and `OR` of one
    /// part are that part, and those of none are a constant.
    private static func shape(_ predicate: NSPredicate) -> PredicateShape {
        // A compound of fewer than two parts holds where its part does, and prints as that:
        // compared by its form, it would differ from the predicate that is parsed back.
        var shape = PredicateShape(predicate)
        while true {
            switch shape {
            case .and(let parts) where parts.count < 2:
                shape = parts.first.map { PredicateShape($0) } ?? .constant(true)
            case .or(let parts) where parts.count < 2:
                shape = parts.first.map { PredicateShape($0) } ?? .constant(false)
            default: return shape
            }
        }
    }

    static func areEqual(_ left: NSExpression, _ right: NSExpression) -> Bool {
        switch (left.node, right.node) {
        case (.constant(let left), .constant(let right)): return areEqualConstants(left, right)
        case (.constant, .aggregate), (.aggregate, .constant):
            // A collection, and the list that it is written as.
            guard let left = listed(left), let right = listed(right) else { return false }
            return areEqual(left, right)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): return true
        case (.variable(let left), .variable(let right)): return left == right
        case (.keyPath(let leftOperand, let left), .keyPath(let rightOperand, let right)):
            guard left == right else { return false }
            // A path may be made with SELF as its operand or without one, and means the same.
            let itself = NSExpression(.evaluatedObject)
            return areEqual(leftOperand ?? itself, rightOperand ?? itself)
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
        case (.fetch(let a, let b, let left), .fetch(let c, let d, let right)):
            return left == right && areEqual(a, c) && areEqual(b, d)
        // Blocks, which only their identity tells apart, and expressions of different kinds.
        default: return left === right
        }
    }

    private static func areEqual(_ left: [NSExpression], _ right: [NSExpression]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy(areEqual)
    }

    private static func areEqualConstants(_ left: Any?, _ right: Any?) -> Bool {
        if let left = left as? Set<AnyHashable>, let right = right as? Set<AnyHashable> {
            return left == right
        }
        return areEqual(PredicatePrinter.listed(left), PredicatePrinter.listed(right))
    }

    /// The value of a constant or a list of constants as it is written; nil for anything else.
    private static func listed(_ expression: NSExpression) -> QueryValue? {
        if case .constant(let value) = expression.node { return PredicatePrinter.listed(value) }
        return PredicateCompiler.constant(expression)
    }

    /// Numbers are equal by value, as instances of `NSNumber` are; else kinds have to agree.
    private static func areEqual(_ left: QueryValue, _ right: QueryValue) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.text(let left), .text(let right)): return TextOrder.bytesAreEqual(left, right)
        case (.date(let left), .date(let right)): return left == right
        // Equal to comparisons, but another constant: it prints otherwise.
        case (.date, _), (_, .date): return false
        case (.bytes(let left), .bytes(let right)): return left == right
        case (.scalar(let left), .scalar(let right)): return left == right
        case (.url(let left), .url(let right)): return left == right
        case (.collection(let left), .collection(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
        case (.object(let left), .object(let right)):
            return original(left).isEqual(original(right))
        case (.other(let left), .other(let right)):
            if let left = left as? AnyHashable, let right = right as? AnyHashable {
                return left == right
            }
            return (left as AnyObject) === (right as AnyObject)
        default:
            guard let left = QueryNumber(left), let right = QueryNumber(right) else { return false }
            return left == right
        }
    }

    /// An object for comparison: a dictionary itself, not what stands in for it.
    private static func original(_ source: any KeyValueSource) -> NSObject {
        if let dictionary = source as? DictionarySource {
            if let bridged = dictionary.original as? NSDictionary { return bridged }
            if let plain = dictionary.original as? [String: Any] {
                return NSDictionary(dictionary: plain)
            }
        }
        return source as? NSObject ?? NSArray(object: source)
    }

    /// Constants and opaque parts don't count, so that equal values of different types may be
    /// equal.
    static func hash(of predicate: NSPredicate) -> Int {
        switch shape(predicate) {
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
        // Equal to the constant that it may be written for.
        case .aggregate: 0
        case .subquery(_, _, let predicate): hash(of: predicate)
        // Constants have the same hash, since equal ones may be of different types, as 1 and 1.0
        // are. Theirs is 0, as that of lists.
        default: Int(expression.expressionType.rawValue)
        }
    }
}
