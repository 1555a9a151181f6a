import Foundation

/// True and false.
enum BooleanKind: AttributeKind {
    static var type: NSAttributeType { .booleanAttributeType }
    static var sourceName: String { "Boolean" }
    static var valueClass: AnyClass? { NSNumber.self }
    static var storage: StorageKind { .boolean }
    static var column: AttributeColumn { AttributeColumn(declaredType: "INTEGER", group: 0) }
    static var markupName: String? { "bool" }
    static var comparison: ComparisonForm { .integers }
    static var widerTypes: Set<NSAttributeType> {
        [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .decimalAttributeType, .floatAttributeType, .doubleAttributeType,
        ]
    }

    static func slotValue(_ value: Any) -> SlotValue? {
        // Any number but 0 is true and kept as 1, so that equal values are equal in rows, too.
        (value as? NSNumber).map { .integer($0.boolValue ? 1 : 0) }
    }

    static func anyValue(_ value: SlotValue) -> Any? {
        guard case .integer(let integer) = value else { return plainValue(value) }
        return NSNumber(value: integer != 0)
    }

    static func result(_ value: QueryValue) -> Any? {
        guard case .integer(let integer) = value else { return value.anyValue }
        return NSNumber(value: integer != 0)
    }

    /// What models write.
    static let words = [
        "YES": true, "TRUE": true, "1": true, "NO": false, "FALSE": false, "0": false,
    ]

    static func value(_ text: String) -> Any? {
        // Xcode leaves "0.0" where an attribute was of another type once.
        (words[text.uppercased()] ?? Double(text).map { $0 != 0 }).map { NSNumber(value: $0) }
    }
}

extension NSAttributeType.Name {
    /// True or false.
    public static let boolean = Self(rawValue: .booleanAttributeType)
}
