import Foundation

/// Floating-point numbers of 64 bits.
enum DoubleKind: AttributeKind {
    static var type: NSAttributeType { .doubleAttributeType }
    static var sourceName: String { "Double" }
    static var valueClass: AnyClass? { NSNumber.self }
    static var storage: StorageKind { .double }
    static var column: AttributeColumn { AttributeColumn(declaredType: "FLOAT", group: 1) }
    static var markupName: String? { "double" }
    static var comparison: ComparisonForm { .reals }
    static var bounds: BoundsForm { .reals }

    static func slotValue(_ value: Any) -> SlotValue? { real(value).map { .real($0) } }
    static func anyValue(_ value: SlotValue) -> Any? { plainValue(value) }
    static func value(_ text: String) -> Any? { Double(text).map { NSNumber(value: $0) } }

    static func real(_ value: Any) -> Double? {
        if let integer = value as? Int { return Double(integer) }
        if let real = value as? any BinaryFloatingPoint { return Double(real) }
        return (value as? NSNumber)?.doubleValue
    }
}

/// Floating-point numbers of 32 bits; rows and columns have them as 64.
enum FloatKind: AttributeKind {
    static var type: NSAttributeType { .floatAttributeType }
    static var sourceName: String { "Float" }
    static var valueClass: AnyClass? { NSNumber.self }
    static var storage: StorageKind { .float }
    static var column: AttributeColumn { AttributeColumn(declaredType: "FLOAT", group: 1) }
    static var markupName: String? { "float" }
    static var comparison: ComparisonForm { .reals }
    static var bounds: BoundsForm { .floats }
    static var widerTypes: Set<NSAttributeType> { [.doubleAttributeType] }

    static func slotValue(_ value: Any) -> SlotValue? {
        // Rounded before it is kept, or predicates would compare by digits that no getter gives.
        DoubleKind.real(value).map { .real(Double(Float($0))) }
    }

    static func anyValue(_ value: SlotValue) -> Any? {
        guard case .real(let real) = value else { return plainValue(value) }
        return NSNumber(value: Float(real))
    }

    static func result(_ value: QueryValue) -> Any? {
        guard case .real(let real) = value else { return value.anyValue }
        return NSNumber(value: Float(real))
    }

    static func value(_ text: String) -> Any? { Float(text).map { NSNumber(value: $0) } }
}

extension NSAttributeType.Name {
    /// A 64-bit floating-point number.
    public static let double = Self(rawValue: .doubleAttributeType)
    /// A 32-bit floating-point number.
    public static let float = Self(rawValue: .floatAttributeType)
}
