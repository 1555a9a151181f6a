import Foundation

/// How values compare: the one definition that evaluation in memory follows and that SQL is
/// translated to match.
///
/// - nil equals nil only, and no order holds for it.
/// - Numbers, Booleans and dates (their seconds) compare by value, whatever their types.
/// - Strings and URLs compare by Unicode scalars, unless options say otherwise.
/// - Values of kinds that don't compare are not equal, and no order holds.
/// - A constant is read as the other side's kind: text as a number, an integer as text.
enum QueryComparison {
    typealias Operator = NSComparisonPredicate.Operator
    typealias Options = NSComparisonPredicate.Options

    /// Whether `left operation right`, for the operators that are not about patterns.
    static func holds(
        _ operation: Operator,
        _ options: Options,
        _ left: QueryValue,
        _ right: QueryValue
    ) -> Bool {
        switch operation {
        case .equalTo: return isEqual(left, right, options)
        // Unlike SQL's `<>`, which NULL never satisfies, nil differs from each value: objects
        // without one are found, and the translation into SQL has to see to it.
        case .notEqualTo: return !isEqual(left, right, options)
        case .lessThan: return order(left, right, options).map { $0 < 0 } ?? false
        case .lessThanOrEqualTo: return order(left, right, options).map { $0 <= 0 } ?? false
        case .greaterThan: return order(left, right, options).map { $0 > 0 } ?? false
        case .greaterThanOrEqualTo: return order(left, right, options).map { $0 >= 0 } ?? false
        case .between:
            guard case .collection(let bounds) = right, bounds.count == 2 else { return false }
            return holds(.greaterThanOrEqualTo, options, left, bounds[0])
                && holds(.lessThanOrEqualTo, options, left, bounds[1])
        case .in: return contains(right, left, options)
        case .contains: return contains(left, right, options)
        case .beginsWith, .endsWith, .like, .matches:
            return TextMatching.holds(operation, options, left, right)
        case .customSelector: return false
        }
    }

    /// Whether a collection holds an element, or a text a part.
    private static func contains(
        _ whole: QueryValue,
        _ part: QueryValue,
        _ options: Options
    ) -> Bool {
        guard case .collection(let elements) = whole else {
            return TextMatching.holds(.contains, options, whole, part)
        }
        return elements.contains { isEqual($0, part, options) }
    }

    static func isEqual(_ left: QueryValue, _ right: QueryValue, _ options: Options) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.null, _), (_, .null): return false
        case (.integer(let left), .integer(let right)): return left == right
        case (.text(let left), .text(let right)):
            return TextOrder.isEqual(left, right, options)
        case (.collection(let left), .collection(let right)):
            return left.count == right.count && isPermutation(left, right, options)
        default: break
        }
        // Values that have an order are equal where it says so, whatever their types.
        if let order = order(left, right, options) { return order == 0 }
        if let left = identity(left), let right = identity(right) { return left == right }
        return false
    }

    /// Whether collections have the same elements as often, in any order, for sets have none.
    private static func isPermutation(
        _ left: [QueryValue],
        _ right: [QueryValue],
        _ options: Options
    ) -> Bool {
        var rest = right
        return left.allSatisfy { element in
            guard let index = rest.firstIndex(where: { isEqual(element, $0, options) }) else {
                return false
            }
            // Each element has one counterpart, else [1, 1] would equal [1, 2]. The order of the
            // rest is of no matter, so the last one fills the gap.
            rest.swapAt(index, rest.count - 1)
            rest.removeLast()
            return true
        }
    }

    /// Negative, 0 or positive; nil if the values don't compare.
    static func order(_ left: QueryValue, _ right: QueryValue, _ options: Options) -> Int? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.text(let left), .text(let right)): return TextOrder.order(left, right, options)
        case (.bytes(let left), .bytes(let right)): return order(left, right)
        case (.scalar(let left), .scalar(let right)): return left.order(comparedWith: right)
        default: break
        }
        if let left = QueryNumber(left), let right = QueryNumber(right) {
            return QueryNumber.order(left, right)
        }
        // Not whatever has text: an integer has its digits, but a URL is not compared with numbers.
        if case .url = left, let leftText = text(left), let rightText = text(right) {
            return isTextual(right) ? TextOrder.order(leftText, rightText, options) : nil
        }
        if case .url = right, let leftText = text(left), let rightText = text(right) {
            return isTextual(left) ? TextOrder.order(leftText, rightText, options) : nil
        }
        if case .other(let left as any QueryOrdered) = left, case .other(let right) = right {
            return left.order(comparedWith: right)
        }
        return nil
    }

    private static func order(_ left: Data, _ right: Data) -> Int {
        if left == right { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    private static func isTextual(_ value: QueryValue) -> Bool {
        switch value {
        case .text, .url: true
        default: false
        }
    }

    /// What pattern operators see of a value: text, URLs, and the digits of integers.
    static func text(_ value: QueryValue) -> String? {
        switch value {
        case .text(let text): text
        case .url(let url): url.absoluteString
        case .integer(let integer): String(integer)
        default: nil
        }
    }

    /// What objects, their IDs and rows are compared by.
    static func identity(_ value: QueryValue) -> AnyHashable? {
        switch value {
        case .object(let source): source.queryIdentity
        case .other(let value):
            value as? AnyHashable ?? AnyHashable(ObjectIdentifier(value as AnyObject))
        default: nil
        }
    }

    /// A constant, read as the kind of the value that it is compared with.
    @inline(__always) static func coerced(
        _ constant: QueryValue,
        toCompareWith value: QueryValue
    ) -> QueryValue {
        switch (constant, value) {
        case (.text(let text), .integer), (.text(let text), .real), (.text(let text), .decimal),
            (.text(let text), .date):
            // Text that is no number stays text, and equals none.
            return number(text) ?? constant
        case (.integer(let integer), .text), (.integer(let integer), .url):
            return .text(String(integer))
        default: return constant
        }
    }

    /// The number that a text is, if all of it is one.
    static func number(_ text: String) -> QueryValue? {
        if let integer = Int64(text) { return .integer(integer) }
        // "nan" and "infinity" are words, though Swift reads numbers in them.
        guard let real = Double(text), real.isFinite else { return nil }
        return .real(real)
    }
}

/// A value with an order of its own that predicates go by.
protocol QueryOrdered {
    /// Negative, 0 or positive; nil if it does not compare with the other value.
    func order(comparedWith other: Any) -> Int?
}
