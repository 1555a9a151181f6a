import CoreData

/// Fits a record's values to an attribute's type.
struct AttributeCoercion: Sendable {
    /// Why a value does not fit.
    struct Failure: Error {
        let reason: String
    }

    let type: NSAttributeType
    private let isOptional: Bool
    let dates: DateParser

    /// A coercion; nil for types that no file can hold.
    init?(type: NSAttributeType, isOptional: Bool, dateFormat: String?) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .decimalAttributeType, .doubleAttributeType, .floatAttributeType,
            .stringAttributeType, .booleanAttributeType, .dateAttributeType,
            .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType:
            break
        default:
            return nil
        }
        self.type = type
        self.isOptional = isOptional
        dates = DateParser(format: dateFormat)
    }

    /// What becomes of a value.
    enum Outcome {
        /// The attribute gets this; nil is a value.
        case value(Any?)
        /// The attribute stays as it is.
        case unchanged
    }

    /// The value as the attribute takes it.
    func outcome(_ value: ImportValue) throws(Failure) -> Outcome {
        if case .null = value {
            if isOptional { return .value(nil) }
            // An attribute that must have a value keeps its default; validation has the last word.
            return type == .stringAttributeType ? .value("") : .unchanged
        }
        return .value(try object(value))
    }

    /// The value in a type that the attribute takes; not for `null`.
    ///
    /// Plain Swift types where there are such: contexts take them in without a look at classes.
    func object(_ value: ImportValue) throws(Failure) -> any Hashable {
        switch type {
        case .integer16AttributeType: return try integer(value, Int16.min, Int16.max)
        case .integer32AttributeType: return try integer(value, Int32.min, Int32.max)
        case .integer64AttributeType: return try integer(value, Int64.min, Int64.max)
        case .doubleAttributeType: return try real(value)
        case .floatAttributeType: return NSNumber(value: Float(try real(value)))
        case .decimalAttributeType: return try decimal(value)
        case .stringAttributeType: return try string(value)
        case .booleanAttributeType: return try boolean(value)
        case .dateAttributeType: return try date(value)
        case .binaryDataAttributeType:
            let text = try text(value, "base64 text")
            guard let data = Data(base64Encoded: text) else { throw failure(text, "base64 text") }
            return data
        case .UUIDAttributeType:
            let text = try text(value, "a UUID")
            guard let uuid = UUID(uuidString: text) else { throw failure(text, "a UUID") }
            return uuid
        default:
            let text = try text(value, "a URL")
            guard let url = URL(string: text) else { throw failure(text, "a URL") }
            return url
        }
    }

    // MARK: Types

    private func integer<Bound: FixedWidthInteger>(
        _ value: ImportValue,
        _ lower: Bound,
        _ upper: Bound
    ) throws(Failure) -> Int64 {
        let number: Int64?
        switch value {
        case .integer(let integer): number = integer
        case .real(let real): number = Int64(exactly: real)
        case .boolean(let boolean): number = boolean ? 1 : 0
        case .text(let text):
            let trimmed = text.trimmingCharacters(in: .whitespaces)
            number = Int64(trimmed) ?? Double(trimmed).flatMap { Int64(exactly: $0) }
        default: number = nil
        }
        guard let number else { throw failure(value, "a whole number") }
        guard number >= Int64(lower), number <= Int64(upper) else {
            throw Failure(reason: "\(number) is not between \(lower) and \(upper).")
        }
        return number
    }

    private func real(_ value: ImportValue) throws(Failure) -> Double {
        let number: Double?
        switch value {
        case .integer(let integer): number = Double(integer)
        case .real(let real): number = real
        case .text(let text):
            number = Double(text) ?? Double(text.trimmingCharacters(in: .whitespaces))
        default: number = nil
        }
        // A store keeps no NaN, and an infinity is a typing error more often than a value.
        guard let number, number.isFinite else { throw failure(value, "a number") }
        return number
    }

    private func decimal(_ value: ImportValue) throws(Failure) -> NSDecimalNumber {
        switch value {
        case .integer(let integer):
            return NSDecimalNumber(decimal: Decimal(integer))
        case .real(let real):
            // By way of the text: 0.1 is meant to be 0.1.
            if let decimal = Decimal(string: "\(real)") { return NSDecimalNumber(decimal: decimal) }
        case .text(let text):
            let trimmed = text.trimmingCharacters(in: .whitespaces)
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
        throw failure(value, "a decimal number")
    }

    private func string(_ value: ImportValue) throws(Failure) -> String {
        switch value {
        case .text(let text): return text
        case .integer(let integer): return String(integer)
        case .real(let real): return String(real)
        case .boolean(let boolean): return boolean ? "true" : "false"
        default: throw failure(value, "a text")
        }
    }

    private func boolean(_ value: ImportValue) throws(Failure) -> Bool {
        switch value {
        case .boolean(let boolean): return boolean
        case .integer(0): return false
        case .integer(1): return true
        case .text(let text):
            switch text.trimmingCharacters(in: .whitespaces).lowercased() {
            case "true", "yes", "y", "t", "1": return true
            case "false", "no", "n", "f", "0": return false
            default: break
            }
        default: break
        }
        throw failure(value, "true or false")
    }

    private func date(_ value: ImportValue) throws(Failure) -> Date {
        switch value {
        case .integer(let seconds): return Date(timeIntervalSince1970: Double(seconds))
        case .real(let seconds) where seconds.isFinite: return Date(timeIntervalSince1970: seconds)
        case .text(let text):
            if let date = dates.date(text.trimmingCharacters(in: .whitespaces)) { return date }
            throw failure(text, dates.expectation)
        default: throw failure(value, dates.expectation)
        }
    }

    private func text(_ value: ImportValue, _ expected: String) throws(Failure) -> String {
        guard case .text(let text) = value else { throw failure(value, expected) }
        return text.trimmingCharacters(in: .whitespaces)
    }

    // MARK: Failures

    private func failure(_ value: ImportValue, _ expected: String) -> Failure {
        switch value {
        case .null: Failure(reason: "The value is missing; it must be \(expected).")
        case .text(let text): failure(text, expected)
        case .integer(let integer): failure("\(integer)", expected)
        case .real(let real): failure("\(real)", expected)
        case .boolean(let boolean): failure("\(boolean)", expected)
        case .list: Failure(reason: "A list can't be \(expected).")
        case .object: Failure(reason: "An object can't be \(expected).")
        }
    }

    private func failure(_ text: String, _ expected: String) -> Failure {
        let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
        return Failure(reason: "\"\(shown)\" is not \(expected).")
    }
}
