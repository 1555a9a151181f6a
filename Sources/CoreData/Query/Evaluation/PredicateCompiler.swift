import Foundation

/// Turns predicates and expressions into closures.
enum PredicateCompiler {
    typealias Condition = (borrowing EvaluationScope) -> Bool
    typealias Value = (borrowing EvaluationScope) -> QueryValue

    // MARK: Predicates

    static func condition(_ predicate: NSPredicate) -> Condition {
        switch PredicateShape(predicate) {
        case .constant(let value): return { _ in value }
        case .comparison(let comparison): return condition(comparison)
        case .and(let parts):
            let conditions = parts.map(condition)
            return { scope in
                for condition in conditions where !condition(scope) { return false }
                return true
            }
        case .or(let parts):
            let conditions = parts.map(condition)
            return { scope in
                for condition in conditions where condition(scope) { return true }
                return false
            }
        case .not(let part):
            let condition = condition(part)
            return { scope in !condition(scope) }
        // Only the predicate itself knows what it asks, so it gets the object and the variables as
        // the client gave them, and not what comparisons make of them.
        case .opaque(let predicate):
            return { scope in
                predicate.evaluate(
                    with: scope.root.anyValue,
                    substitutionVariables: scope.bindings
                )
            }
        }
    }

    private static func condition(_ comparison: NSComparisonPredicate) -> Condition {
        if let property = propertyTest(comparison) { return condition(property) }
        let test = test(comparison)
        let left = comparison.leftExpression
        switch comparison.comparisonPredicateModifier {
        case .direct:
            let value = value(left)
            switch test {
            case .unary(let holds): return { scope in holds(value(scope)) }
            case .binary(let holds, let right):
                return { scope in holds(value(scope), right(scope)) }
            }
        case .any:
            return quantified(left, test, stopsAt: true)
        case .all:
            return quantified(left, test, stopsAt: false)
        }
    }

    /// What is asked of the value of one property. A class, to be looked at without a copy.
    final class PropertyTest {
        let key: QueryKey
        let holds: (QueryValue) -> Bool

        init(_ key: QueryKey, _ holds: @escaping (QueryValue) -> Bool) {
            self.key = key
            self.holds = holds
        }
    }

    /// The test that a predicate is; nil if it is none of one property.
    static func propertyTest(_ predicate: NSPredicate) -> PropertyTest? {
        guard case .comparison(let comparison) = PredicateShape(predicate) else { return nil }
        return propertyTest(comparison)
    }

    static func condition(_ property: PropertyTest) -> Condition {
        let key = property.key, holds = property.holds
        return { scope in
            guard case .object(let source) = scope.root, let value = source.queryValue(for: key)
            else {
                return holds(
                    // All properties of nil are nil, as on a longer path; only a value of another
                    // kind is no object, and stops at a key that it lacks.
                    scope.root.isNull ? .null : KeyPathSteps.property(key, of: scope.root)
                )
            }
            return holds(value)
        }
    }

    /// By far the most frequent comparison: one key of the object with a constant. It goes without a
    /// walk along the path.
    private static func propertyTest(_ comparison: NSComparisonPredicate) -> PropertyTest? {
        guard comparison.comparisonPredicateModifier == .direct,
            case .keyPath(nil, let path) = comparison.leftExpression.node,
            let key = KeyPathSteps(path).singleKey, !key.name.hasPrefix("@"),
            // Last, for a list of constants becomes a set there.
            case .unary(let holds) = test(comparison)
        else { return nil }
        return PropertyTest(key, holds)
    }

    /// `ANY` stops at an element that holds, `ALL` at one that doesn't.
    private static func quantified(
        _ left: NSExpression,
        _ test: Test,
        stopsAt stop: Bool
    ) -> Condition {
        let value = value(left, nilIsEmpty: true)
        return { scope in
            let subject = value(scope)
            let elements: [QueryValue]
            if case .collection(let all) = subject { elements = all } else { elements = [subject] }
            switch test {
            case .unary(let holds):
                for element in elements where holds(element) == stop { return stop }
            case .binary(let holds, let right):
                // Nothing to compare with: the right side need not be worked out.
                guard !elements.isEmpty else { return !stop }
                let other = right(scope)
                for element in elements where holds(element, other) == stop { return stop }
            }
            return !stop
        }
    }

    /// What is asked of the left side's value.
    private enum Test {
        /// The right side is constant.
        case unary((QueryValue) -> Bool)
        case binary((QueryValue, QueryValue) -> Bool, Value)
    }

    private static func test(_ comparison: NSComparisonPredicate) -> Test {
        let operation = comparison.predicateOperatorType, options = comparison.options
        // Which side is a constant is decided here, once: only constants are read as the other
        // side's kind. Two properties of different kinds are never equal.
        let leftConstant = foldedConstant(comparison.leftExpression)
        guard let right = foldedConstant(comparison.rightExpression) else {
            let value = value(comparison.rightExpression)
            if case .aggregate(let parts) = comparison.rightExpression.node,
                operation == .in || operation == .between && parts.count == 2
            {
                return .binary(listTest(comparison, parts), value)
            }
            if operation == .in, let leftConstant {
                // A set of one, since a constant that is a row may be met as object, ID or
                // reference.
                let set = MembershipSet([leftConstant], options)
                return .binary(
                    { left, right in
                        guard case .collection(let elements) = right else {
                            return TextMatching.holds(.contains, options, right, left)
                        }
                        return elements.contains { set.contains($0) }
                    },
                    value
                )
            }
            return .binary(
                { left, right in
                    // A constant on the left side takes the kind of the right one.
                    let left =
                        leftConstant == nil
                        ? left : QueryComparison.coerced(left, toCompareWith: right)
                    return QueryComparison.holds(operation, options, left, right)
                },
                value
            )
        }
        switch (operation, right) {
        case (.in, .collection(let elements)):
            let set = MembershipSet(elements, options)
            return .unary { set.contains($0) }
        case (.between, .collection(let bounds)) where bounds.count == 2:
            return .unary { value in
                let low = QueryComparison.coerced(bounds[0], toCompareWith: value)
                let high = QueryComparison.coerced(bounds[1], toCompareWith: value)
                return QueryComparison.holds(.greaterThanOrEqualTo, options, value, low)
                    && QueryComparison.holds(.lessThanOrEqualTo, options, value, high)
            }
        case (.equalTo, .object), (.equalTo, .other):
            // As above: a row is known by several names.
            let set = MembershipSet([right], options)
            return .unary { set.contains($0) }
        case (.notEqualTo, .object), (.notEqualTo, .other):
            let set = MembershipSet([right], options)
            return .unary { !set.contains($0) }
        case (.contains, _):
            let set = MembershipSet([right], options)
            return .unary { value in
                guard case .collection(let elements) = value else {
                    return TextMatching.holds(.contains, options, value, right)
                }
                return elements.contains { set.contains($0) }
            }
        case (.equalTo, .text(let text)), (.notEqualTo, .text(let text)):
            // Once, and not for each object that is asked.
            let folded = TextOrder.folded(text, options), isEqual = operation == .equalTo
            return .unary { value in
                if case .text(let other) = value {
                    let same = TextOrder.bytesAreEqual(folded, TextOrder.folded(other, options))
                    return same == isEqual
                }
                let constant = QueryComparison.coerced(right, toCompareWith: value)
                return QueryComparison.isEqual(value, constant, options) == isEqual
            }
        default:
            if case .integer(let constant) = right, let isAmong = integerTest(operation) {
                // Most orders are asked for of integers: the two are compared as they are.
                return .unary { value in
                    if case .integer(let value) = value { return isAmong(value, constant) }
                    let constant = QueryComparison.coerced(right, toCompareWith: value)
                    return QueryComparison.holds(operation, options, value, constant)
                }
            }
            return .unary { value in
                let constant = QueryComparison.coerced(right, toCompareWith: value)
                return QueryComparison.holds(operation, options, value, constant)
            }
        }
    }

    /// How two integers are compared; nil for an operator that is not about their order.
    private static func integerTest(
        _ operation: NSComparisonPredicate.Operator
    ) -> ((Int64, Int64) -> Bool)? {
        switch operation {
        case .equalTo: (==)
        case .notEqualTo: (!=)
        case .lessThan: (<)
        case .lessThanOrEqualTo: (<=)
        case .greaterThan: (>)
        case .greaterThanOrEqualTo: (>=)
        default: nil
        }
    }

    /// `IN` and `BETWEEN` over a list that holds more than constants; those in it still take the
    /// kind of what they are compared with.
    private static func listTest(
        _ comparison: NSComparisonPredicate,
        _ parts: [NSExpression]
    ) -> (QueryValue, QueryValue) -> Bool {
        let isConstant = parts.map { foldedConstant($0) != nil }
        let leftIsConstant = foldedConstant(comparison.leftExpression) != nil
        let options = comparison.options
        func holds(
            _ operation: NSComparisonPredicate.Operator,
            _ left: QueryValue,
            _ elements: [QueryValue],
            _ index: Int
        ) -> Bool {
            var left = left, right = elements[index]
            if isConstant[index] {
                right = QueryComparison.coerced(right, toCompareWith: left)
            } else if leftIsConstant {
                left = QueryComparison.coerced(left, toCompareWith: right)
            }
            return QueryComparison.holds(operation, options, left, right)
        }
        let isMembership = comparison.predicateOperatorType == .in
        return { left, list in
            guard case .collection(let elements) = list else { return false }
            guard isMembership else {
                return holds(.greaterThanOrEqualTo, left, elements, 0)
                    && holds(.lessThanOrEqualTo, left, elements, 1)
            }
            return elements.indices.contains { holds(.equalTo, left, elements, $0) }
        }
    }
}
