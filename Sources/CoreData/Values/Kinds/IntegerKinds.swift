import Foundation

/// Whole numbers; those of 16, 32 and 64 bits differ in their range only.
protocol IntegerKind: AttributeKind {
    associatedtype Number: FixedWidthInteger & SignedInteger
    static func number(_ number: Number) -> NSNumber
}

enum Integer16Kind: IntegerKind {
    static var type: NSAttributeType { .integer16AttributeType }
    static var sourceName: String { "Integer 16" }
    static var storage: StorageKind { .integer16 }
    static var markupName: String? { "int16" }
    static var widerTypes: Set<NSAttributeType> {
        [
            .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .floatAttributeType, .doubleAttributeType,
        ]
    }
    static func number(_ number: Int16) -> NSNumber { NSNumber(value: number) }
}

enum Integer32Kind: IntegerKind {
    static var type: NSAttributeType { .integer32AttributeType }
    static var sourceName: String { "Integer 32" }
    static var storage: StorageKind { .integer32 }
    static var markupName: String? { "int32" }
    static var widerTypes: Set<NSAttributeType> {
        [.integer64AttributeType, .decimalAttributeType, .doubleAttributeType]
    }
    static func number(_ number: Int32) -> NSNumber { NSNumber(value: number) }
}

enum Integer64Kind: IntegerKind {
    static var type: NSAttributeType { .integer64AttributeType }
    static var sourceName: String { "Integer 64" }
    static var storage: StorageKind { .integer64 }
    static var markupName: String? { "int64" }
    // Not all of them are doubles, but apps have let Apple's framework infer that.
    static var widerTypes: Set<NSAttributeType> { [.decimalAttributeType, .doubleAttributeType] }
    static func number(_ number: Int64) -> NSNumber { NSNumber(value: number) }
}

extension IntegerKind {
    static var valueClass: AnyClass? { NSNumber.self }
    static var column: AttributeColumn { AttributeColumn(declaredType: "INTEGER", group: 0) }
    static var integerRange: ClosedRange<Int64>? { Int64(Number.min)...Int64(Number.max) }
    static var comparison: ComparisonForm { .integers }
    static var bounds: BoundsForm { .integers }

    static func slotValue(_ value: Any) -> SlotValue? {
        if let integer = value as? any BinaryInteger {
            // What no integer holds is kept as a real number, so that validation sees and refuses
            // it.
            return Int64(exactly: integer).map { .integer($0) } ?? .real(Double(integer))
        }
        return (value as? NSNumber).map(stored)
    }

    static func anyValue(_ value: SlotValue) -> Any? {
        guard case .integer(let integer) = value else { return plainValue(value) }
        // A number beyond the type's range is given as it was set, until validation refuses it.
        return Number(exactly: integer).map(number) ?? NSNumber(value: integer)
    }

    /// A number without its fraction. One that no integer holds stays a real: it is read as it was
    /// set, and validation refuses it.
    private static func stored(_ number: NSNumber) -> SlotValue {
        if let decimal = number as? NSDecimalNumber {
            let value = decimal.decimalValue
            let isHeld = value >= Decimal(Int64.min) && value <= Decimal(Int64.max)
            return isHeld ? .integer(decimal.int64Value) : .real(decimal.doubleValue)
        }
        switch UInt8(truncatingIfNeeded: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            let real = number.doubleValue
            return Int64(exactly: real.rounded(.towardZero)).map { .integer($0) } ?? .real(real)
        // `int64Value` would make a negative number of a large unsigned one.
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            return Int64(exactly: number.uint64Value).map { .integer($0) }
                ?? .real(number.doubleValue)
        default: return .integer(number.int64Value)
        }
    }

    static func defaultValue(_ text: String) -> DefaultValueText? {
        // Xcode leaves "0.0" or "YES" where an attribute was of another type once. Its compiler
        // makes 0 of words, also of "YES", as a store's model shows.
        let integer =
            Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
            ?? BooleanKind.words[text.uppercased()].map { _ in 0 }
        guard let integer else { return .malformed }
        return Number(exactly: integer).map { .value(number($0)) } ?? .outOfRange(integer)
    }
}

extension NSAttributeType.Name {
    /// A 16-bit integer.
    public static let integer16 = Self(rawValue: .integer16AttributeType)
    /// A 32-bit integer.
    public static let integer32 = Self(rawValue: .integer32AttributeType)
    /// A 64-bit integer.
    public static let integer64 = Self(rawValue: .integer64AttributeType)
}
