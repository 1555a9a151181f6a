import Foundation

/// Bytes, in a column or in a file of their own.
enum BinaryKind: AttributeKind {
    static var type: NSAttributeType { .binaryDataAttributeType }
    static var sourceName: String { "Binary" }
    static var valueClass: AnyClass? { NSData.self }
    static var storage: StorageKind { StorageKind(rawValue: 10, form: .bytes) }
    static var column: AttributeColumn { AttributeColumn(declaredType: "BLOB", group: 7) }
    static var markupName: String? { "binary" }
    static var comparison: ComparisonForm { .bytes }

    static func slotValue(_ value: Any) -> SlotValue? { (value as? Data).map { .bytes($0) } }
    static func anyValue(_ value: SlotValue) -> Any? { plainValue(value) }
    static func defaultValue(_ text: String) -> DefaultValueText? { nil }
}

extension NSAttributeType.Name {
    /// Bytes.
    public static let binaryData = Self(rawValue: .binaryDataAttributeType)
}

extension Data: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encodedDescription() }
}
