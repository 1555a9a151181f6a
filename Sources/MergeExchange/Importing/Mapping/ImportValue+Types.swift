import Foundation

// A record's value as the types of attributes need it; not for `null`, which the caller has seen to.
extension ImportValue {
    /// A whole number that a type holds.
    func integer<Bound: FixedWidthInteger>(
        as _: Bound.Type
    ) throws(AttributeCoercion.Failure) -> Int64 {
        let number: Int64?
        switch self {
        case .integer(let integer): number = integer
        case .real(let real): number = Int64(exactly: real)
        case .decimal(let decimal): number = Int64("\(decimal)")
        case .boolean(let boolean): number = boolean ? 1 : 0
        case .text(let text):
            let trimmed = text.trimmed
            // As an integer first: a Double would change the last digits of a long identifier.
            number = Int64(trimmed) ?? Double(trimmed).flatMap { Int64(exactly: $0) }
        default: number = nil
        }
        guard let number else { throw failure("a whole number") }
        guard number >= Int64(Bound.min), number <= Int64(Bound.max) else {
            throw AttributeCoercion.Failure(
                reason: "\(number) is not between \(Bound.min) and \(Bound.max)."
            )
        }
        return number
    }

    /// A finite number.
    func real() throws(AttributeCoercion.Failure) -> Double {
        let number: Double?
        switch self {
        case .integer(let integer): number = Double(integer)
        case .real(let real): number = real
        // By way of the text, which gives the nearest one.
        case .decimal(let decimal): number = Double("\(decimal)")
        case .text(let text):
            number = Double(text.trimmed)
        default: number = nil
        }
        // A store keeps no NaN, and an infinity is a typing error more often than a value.
        guard let number, number.isFinite else { throw failure("a number") }
        return number
    }

    /// A decimal number.
    func decimal() throws(AttributeCoercion.Failure) -> NSDecimalNumber {
        switch self {
        case .integer(let integer):
            return NSDecimalNumber(decimal: Decimal(integer))
        case .real(let real):
            // By way of the text: 0.1 is meant to be 0.1.
            if let decimal = Decimal(string: "\(real)") { return NSDecimalNumber(decimal: decimal) }
        case .decimal(let decimal): return NSDecimalNumber(decimal: decimal)
        case .text(let text):
            let trimmed = text.trimmed
            if trimmed == "NaN" { return NSDecimalNumber.notANumber }
            let isNumber =
                !trimmed.isEmpty
                && trimmed.utf8.allSatisfy { byte in
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || "+-.eE".utf8.contains(byte)
                }
            // The initializer takes a number's beginning for the number.
            if isNumber, let decimal = Decimal(string: trimmed) {
                return NSDecimalNumber(decimal: decimal)
            }
        default: break
        }
        throw failure("a decimal number")
    }

    /// A text, also of a number or a Boolean.
    func string() throws(AttributeCoercion.Failure) -> String {
        switch self {
        case .text(let text): return text
        case .integer(let integer): return String(integer)
        case .real(let real): return String(real)
        case .decimal(let decimal): return "\(decimal)"
        case .boolean(let boolean): return boolean ? "true" : "false"
        default: throw failure("a text")
        }
    }

    /// True or false, in the words that files have for them.
    func boolean() throws(AttributeCoercion.Failure) -> Bool {
        switch self {
        case .boolean(let boolean): return boolean
        case .integer(0): return false
        case .integer(1): return true
        case .text(let text):
            switch text.trimmed.lowercased() {
            case "true", "yes", "y", "t", "1": return true
            case "false", "no", "n", "f", "0": return false
            default: break
            }
        default: break
        }
        throw failure("true or false")
    }

    /// A date; numbers are seconds since 1970.
    func date(_ dates: DateParser) throws(AttributeCoercion.Failure) -> Date {
        switch self {
        case .integer(let seconds): return Date(timeIntervalSince1970: Double(seconds))
        case .real(let seconds) where seconds.isFinite: return Date(timeIntervalSince1970: seconds)
        case .decimal: return Date(timeIntervalSince1970: try real())
        case .text(let text):
            if let date = dates.date(text.trimmed) { return date }
            throw failure(text, dates.expectation)
        default: throw failure(dates.expectation)
        }
    }

    /// What a text says of a type whose values files have as texts only.
    func parsed<Parsed>(
        _ expected: String,
        _ parse: (String) -> Parsed?
    ) throws(AttributeCoercion.Failure) -> Parsed {
        guard case .text(let text) = self else { throw failure(expected) }
        let trimmed = text.trimmed
        guard let parsed = parse(trimmed) else { throw failure(trimmed, expected) }
        return parsed
    }

    // MARK: Failures

    private func failure(_ expected: String) -> AttributeCoercion.Failure {
        switch self {
        case .null:
            AttributeCoercion.Failure(reason: "The value is missing; it must be \(expected).")
        case .text(let text): failure(text, expected)
        case .integer(let integer): failure("\(integer)", expected)
        case .real(let real): failure("\(real)", expected)
        case .decimal(let decimal): failure("\(decimal)", expected)
        case .boolean(let boolean): failure("\(boolean)", expected)
        case .list:
            AttributeCoercion.Failure(reason: "A list can't be \(expected).", isNested: true)
        case .object:
            AttributeCoercion.Failure(reason: "An object can't be \(expected).", isNested: true)
        }
    }

    private func failure(_ text: String, _ expected: String) -> AttributeCoercion.Failure {
        let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
        return AttributeCoercion.Failure(reason: "\"\(shown)\" is not \(expected).")
    }
}

extension String {
    /// The text without white space at its ends, of which few fields have any: Foundation makes
    /// another string also of a text that begins and ends with a letter.
    fileprivate var trimmed: String {
        func mayBeSpace(_ byte: UInt8?) -> Bool {
            // Beyond ASCII there are spaces, too.
            byte.map { $0 <= UInt8(ascii: " ") || $0 >= 0x7F } ?? false
        }
        return mayBeSpace(utf8.first) || mayBeSpace(utf8.last)
            ? trimmingCharacters(in: .whitespaces) : self
    }
}
