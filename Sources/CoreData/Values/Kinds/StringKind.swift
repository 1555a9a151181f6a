import Foundation

/// Texts.
enum StringKind: AttributeKind {
    static var type: NSAttributeType { .stringAttributeType }
    static var sourceName: String { "String" }
    static var valueClass: AnyClass? { NSString.self }
    static var storage: StorageKind { .string }
    static var column: AttributeColumn { AttributeColumn(declaredType: "VARCHAR", group: 3) }
    static var markupName: String? { "string" }
    static var comparison: ComparisonForm { .texts }
    static var bounds: BoundsForm { .texts }

    static func slotValue(_ value: Any) -> SlotValue? {
        (value as? NSString).map { .text(String(describing: $0)) }
    }
    static func anyValue(_ value: SlotValue) -> Any? { plainValue(value) }
    static func value(_ text: String) -> Any? { text }
}

extension NSAttributeType.Name {
    /// A string.
    public static let string = Self(rawValue: .stringAttributeType)
}
