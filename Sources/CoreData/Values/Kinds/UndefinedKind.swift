/// Values of any type in memory; no store keeps them.
enum UndefinedKind: AttributeKind {
    static var type: NSAttributeType { .undefinedAttributeType }
    static var sourceName: String { "Undefined" }
    static var valueClass: AnyClass? { nil }
    static var storage: StorageKind { .volatile }
    static var column: AttributeColumn { AttributeColumn(declaredType: "INTEGER", group: 0) }
    static var markupName: String? { nil }
    static var comparison: ComparisonForm { .nothing }

    static func slotValue(_ value: Any) -> SlotValue? { .box(ValueBox(value)) }
    static func anyValue(_ value: SlotValue) -> Any? { plainValue(value) }
    static func defaultValue(_ text: String) -> DefaultValueText? { nil }
}

/// Object IDs, which results of fetch requests have and attributes of entities have not.
enum ObjectIDKind: AttributeKind {
    static var type: NSAttributeType { .objectIDAttributeType }
    static var sourceName: String { "ObjectID" }
    static var valueClass: AnyClass? { nil }
    static var valueClassName: String? { "NSManagedObjectID" }
    static var storage: StorageKind { .volatile }
    static var column: AttributeColumn { UndefinedKind.column }
    static var markupName: String? { nil }
    static var comparison: ComparisonForm { .nothing }

    static func slotValue(_ value: Any) -> SlotValue? { .box(ValueBox(value)) }
    static func anyValue(_ value: SlotValue) -> Any? { plainValue(value) }
    static func defaultValue(_ text: String) -> DefaultValueText? { nil }
}

extension NSAttributeType.Name {
    /// No type; for transient attributes only.
    public static let undefined = Self(rawValue: .undefinedAttributeType)
    /// The ID of an object.
    public static let objectID = Self(rawValue: .objectIDAttributeType)
}
