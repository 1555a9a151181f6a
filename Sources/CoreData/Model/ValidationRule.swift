import Foundation

/// One limit of an attribute's values, in the form that its storage kind compares fastest.
enum ValidationRule: @unchecked Sendable {
    // @unchecked: a regular expression is immutable.

    case integers(minimum: Int64, maximum: Int64)
    case reals(minimum: Double, maximum: Double)
    case decimals(minimum: Decimal?, maximum: Decimal?)
    /// Seconds since the reference date.
    case dates(earliest: Double, latest: Double)
    /// In UTF-16 units.
    case lengths(minimum: Int, maximum: Int)
    case pattern(AttributeBounds.Pattern)

    /// The rules of an attribute of a type.
    static func rules(_ bounds: AttributeBounds, of type: NSAttributeType) -> [ValidationRule] {
        let form = AttributeKinds.kind(of: type).bounds
        switch form {
        case .integers:
            guard bounds.minimum != nil || bounds.maximum != nil else { return [] }
            // Rounded inwards: a minimum of 1.5 must not let 1 through.
            let minimum = bounds.minimum.map { integer($0, .up) } ?? .min
            return [
                .integers(
                    minimum: minimum,
                    maximum: bounds.maximum.map { integer($0, .down) } ?? .max
                )
            ]
        case .reals, .floats:
            guard bounds.minimum != nil || bounds.maximum != nil else { return [] }
            return [
                .reals(
                    minimum: bounds.minimum.map { real($0, form) } ?? -.infinity,
                    maximum: bounds.maximum.map { real($0, form) } ?? .infinity
                )
            ]
        case .decimals:
            guard bounds.minimum != nil || bounds.maximum != nil else { return [] }
            return [.decimals(minimum: bounds.minimum, maximum: bounds.maximum)]
        case .dates:
            guard bounds.earliest != nil || bounds.latest != nil else { return [] }
            return [
                .dates(earliest: bounds.earliest ?? -.infinity, latest: bounds.latest ?? .infinity)
            ]
        case .texts:
            var rules: [ValidationRule] = []
            if bounds.minimumLength != nil || bounds.maximumLength != nil {
                rules.append(
                    .lengths(
                        minimum: bounds.minimumLength ?? 0,
                        maximum: bounds.maximumLength ?? .max
                    )
                )
            }
            if let pattern = bounds.pattern { rules.append(.pattern(pattern)) }
            return rules
        case .none:
            return []
        }
    }

    /// What is wrong with a value that is not null; nil if it is of another kind or all is well.
    func failure(of value: SlotValue) -> ValidationFailure? {
        switch (self, value) {
        case (.integers(let minimum, let maximum), .integer(let integer)):
            if integer < minimum { return .numberTooSmall }
            return integer > maximum ? .numberTooLarge : nil
        case (.reals(let minimum, let maximum), .real(let real)):
            // NaN is within no limits; negated comparisons find that out.
            if !(real >= minimum) { return .numberTooSmall }
            return !(real <= maximum) ? .numberTooLarge : nil
        case (.decimals(let minimum, let maximum), .text(let text)):
            guard let decimal = Decimal(string: text) else { return nil }
            if let minimum, !(decimal >= minimum) { return .numberTooSmall }
            if let maximum, !(decimal <= maximum) { return .numberTooLarge }
            return nil
        // A date that is not a number never gets here: `PropertyValidator` refuses it before.
        case (.dates(let earliest, let latest), .real(let seconds)):
            if seconds < earliest { return .dateTooSoon }
            return seconds > latest ? .dateTooLate : nil
        case (.lengths(let minimum, let maximum), .text(let text)):
            // As `length` counts in the predicates that limits are archived as.
            let length = text.utf16.count
            if length < minimum { return .stringTooShort }
            return length > maximum ? .stringTooLong : nil
        case (.pattern(let pattern), .text(let text)):
            return pattern.matches(text) ? nil : .stringPatternMatching
        default:
            return nil
        }
    }

    /// A bound on integers: a fraction is rounded to the next integer that satisfies it, and
    /// what no 64-bit integer reaches is clamped.
    private static func integer(_ bound: Decimal, _ mode: NSDecimalNumber.RoundingMode) -> Int64 {
        var bound = bound
        var rounded = Decimal()
        NSDecimalRound(&rounded, &bound, 0, mode)
        // Compared first, since the text of a larger number gives no `Int64`.
        if rounded >= Decimal(Int64.max) { return .max }
        if rounded <= Decimal(Int64.min) { return .min }
        return Int64(rounded.description) ?? 0
    }

    /// A bound on floating-point values, rounded as the values themselves are.
    private static func real(_ bound: Decimal, _ form: BoundsForm) -> Double {
        let real = Double(bound.description) ?? NSDecimalNumber(decimal: bound).doubleValue
        // A value comes out of a `Float`, so the bound has to be rounded as values are: 0.1 as a
        // `Float` is more than 0.1 as a `Double`.
        return form == .floats ? Double(Float(real)) : real
    }
}
