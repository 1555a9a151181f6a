import Foundation

/// Decimal numbers: the exact text in rows, a number in columns.
enum DecimalKind: AttributeKind {
    static var type: NSAttributeType { .decimalAttributeType }
    static var sourceName: String { "Decimal" }
    static var valueClass: AnyClass? { NSDecimalNumber.self }
    static var storage: StorageKind { StorageKind(rawValue: 9, form: .text) }
    static var column: AttributeColumn { AttributeColumn(declaredType: "DECIMAL", group: 2) }
    static var markupName: String? { "decimal" }
    static var comparison: ComparisonForm { .reals }
    static var bounds: BoundsForm { .decimals }
    static var placeholder: Any? { NSDecimalNumber.zero }

    // The column's numeric affinity makes a number of a decimal's text.
    static var convertsColumn: Bool { true }
    static func stored(ofColumn value: SlotValue) -> SlotValue? {
        switch value {
        case .integer(let integer): .text(String(integer))
        // By way of the shortest text, so that 10.11 does not become 10.1099999999999994.
        case .real(let real): .text(decimal(real).description)
        case .text(let text): .text((Decimal(string: text) ?? .nan).description)
        case .null, .bytes, .reference, .box: nil
        }
    }

    private static func decimal(_ real: Double) -> Decimal {
        if let decimal = Decimal(string: "\(real)"), !decimal.isNaN { return decimal }
        // Of the largest number a column has the nearest double, which may be larger by itself.
        guard real.isFinite, abs(real) <= largest * (1 + 1e-14) else { return .nan }
        if abs(real) >= largest {
            return real < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude
        }
        // Foundation reads no exponent above 127, which large numbers have if they are written with
        // few digits: the exponent's rest is moved into the digits.
        let scale = 127
        guard let digits = Decimal(string: "\(abs(real) / pow(10, Double(scale)))"), !digits.isNaN
        else { return .nan }
        return Decimal(sign: real < 0 ? .minus : .plus, exponent: scale, significand: digits)
    }
    private static let largest = 3.402_823_669_209_384_6e165

    static func slotValue(_ value: Any) -> SlotValue? {
        if let decimal = value as? Decimal { return .text(decimal.description) }
        return (value as? NSNumber).map { .text($0.decimalValue.description) }
    }

    static func anyValue(_ value: SlotValue) -> Any? {
        guard case .text(let text) = value else { return plainValue(value) }
        return NSDecimalNumber(decimal: Decimal(string: text) ?? .nan)
    }

    static func queryValue(_ value: SlotValue) -> QueryValue {
        // What is no number is nil to predicates, as it is to SQLite.
        guard case .text(let text) = value, let decimal = Decimal(string: text), !decimal.isNaN
        else { return .null }
        return .decimal(decimal)
    }

    static func result(_ value: QueryValue) -> Any? {
        switch value {
        case .integer, .real:
            (value.anyValue as? NSNumber).map { NSDecimalNumber(decimal: $0.decimalValue) }
        default: value.anyValue
        }
    }

    /// Strict where `Decimal(string:)` would take the digits at the beginning and be content.
    static func decimal(_ text: String) -> Decimal? {
        guard Double(text)?.isFinite == true else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    static func value(_ text: String) -> Any? {
        decimal(text).map { NSDecimalNumber(decimal: $0) }
    }
}

extension NSAttributeType.Name {
    /// A decimal number.
    public static let decimal = Self(rawValue: .decimalAttributeType)
}
