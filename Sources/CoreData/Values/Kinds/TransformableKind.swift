/// Objects of any class, which rows have as the bytes that a value transformer made of them.
///
/// In memory they are boxed as they are; `TransformableValue` makes the bytes, for which it needs the
/// attribute's transformer.
enum TransformableKind: AttributeKind {
    static var type: NSAttributeType { .transformableAttributeType }
    static var sourceName: String { "Transformable" }
    static var valueClass: AnyClass? { nil }
    static var storage: StorageKind { .transformable }
    static var column: AttributeColumn { AttributeColumn(declaredType: "BLOB", group: 6) }
    static var markupName: String? { "transformable" }
    static var comparison: ComparisonForm { .nothing }

    static func slotValue(_ value: Any) -> SlotValue? { .box(ValueBox(value)) }
    static func anyValue(_ value: SlotValue) -> Any? { plainValue(value) }
    static func defaultValue(_ text: String) -> DefaultValueText? { nil }
}

/// Dictionaries of further attributes: one sequence of bytes in a row, see `CompositeLayout`, and a
/// column for each element in a table.
enum CompositeKind: AttributeKind {
    static var type: NSAttributeType { .compositeAttributeType }
    static var sourceName: String { "Composite" }
    static var valueClass: AnyClass? { nil }
    static var storage: StorageKind { .transformable }
    static var column: AttributeColumn { TransformableKind.column }
    static var markupName: String? { TransformableKind.markupName }
    static var comparison: ComparisonForm { .nothing }

    static func slotValue(_ value: Any) -> SlotValue? { .box(ValueBox(value)) }
    static func anyValue(_ value: SlotValue) -> Any? { plainValue(value) }
    static func defaultValue(_ text: String) -> DefaultValueText? { nil }
}

extension NSAttributeType.Name {
    /// A value that a value transformer makes bytes of.
    public static let transformable = Self(rawValue: .transformableAttributeType)
    /// A value of several attributes.
    public static let composite = Self(rawValue: .compositeAttributeType)
}
