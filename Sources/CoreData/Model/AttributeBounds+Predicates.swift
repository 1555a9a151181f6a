import Foundation

extension AttributeBounds {
    /// The limits as predicates about the value, each with the error for values beyond it.
    ///
    /// For clients to look at: validation itself compares values without them.
    var predicates: [(predicate: NSPredicate, failure: ValidationFailure)] {
        let value = NSExpression(.evaluatedObject)
        let length = NSExpression(.keyPath(operand: nil, path: "length"))
        var list: [(predicate: NSPredicate, failure: ValidationFailure)] = []
        func add(
            _ left: NSExpression,
            _ type: NSComparisonPredicate.Operator,
            _ limit: Any?,
            _ failure: ValidationFailure
        ) {
            guard let limit else { return }
            let predicate = NSComparisonPredicate(
                leftExpression: left,
                rightExpression: NSExpression(.constant(limit)),
                modifier: .direct,
                type: type
            )
            list.append((predicate, failure))
        }
        func date(_ seconds: Double?) -> Date? {
            seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
        }
        add(value, .greaterThanOrEqualTo, Self.number(minimum), .numberTooSmall)
        add(value, .lessThanOrEqualTo, Self.number(maximum), .numberTooLarge)
        add(value, .greaterThanOrEqualTo, date(earliest), .dateTooSoon)
        add(value, .lessThanOrEqualTo, date(latest), .dateTooLate)
        add(length, .greaterThanOrEqualTo, minimumLength, .stringTooShort)
        add(length, .lessThanOrEqualTo, maximumLength, .stringTooLong)
        add(value, .matches, pattern?.source, .stringPatternMatching)
        return list
    }

    /// A whole number where it is one, which prints as a model's author would write it.
    private static func number(_ decimal: Decimal?) -> Any? {
        guard let decimal else { return nil }
        return Int(decimal.description).map { $0 as Any } ?? NSDecimalNumber(decimal: decimal)
    }
}
