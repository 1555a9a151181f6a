import Foundation

/// Identifiers: 16 bytes.
enum UUIDKind: AttributeKind {
    static var type: NSAttributeType { .UUIDAttributeType }
    static var sourceName: String { "UUID" }
    static var valueClass: AnyClass? { NSUUID.self }
    static var storage: StorageKind { StorageKind(rawValue: 11, form: .bytes) }
    static var column: AttributeColumn { AttributeColumn(declaredType: "BLOB", group: 5) }
    static var markupName: String? { "uuid" }
    static var archive: ArchivedScalar? {
        ArchivedScalar(classNames: ["NSUUID", "NSObject"], field: "NS.uuidbytes")
    }
    static var comparison: ComparisonForm { .ownKind }
    static var placeholder: Any? { UUID() }

    static func slotValue(_ value: Any) -> SlotValue? {
        (value as? UUID).map { uuid in .bytes(withUnsafeBytes(of: uuid.uuid) { Data($0) }) }
    }

    static func anyValue(_ value: SlotValue) -> Any? { uuid(value) }

    static func queryValue(_ value: SlotValue) -> QueryValue {
        guard case .bytes(let data) = value, data.count == 16 else { return .null }
        return .scalar(QueryScalar(kind: storage, value: value))
    }

    static func text(_ value: SlotValue) -> String? { uuid(value)?.uuidString }
    static func value(_ text: String) -> Any? { UUID(uuidString: text) }

    /// Nil for a file's bytes that are too few or too many.
    private static func uuid(_ value: SlotValue) -> UUID? {
        guard case .bytes(let data) = value, data.count == 16 else { return nil }
        return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension NSAttributeType.Name {
    /// A UUID.
    public static let uuid = Self(rawValue: .UUIDAttributeType)
}

extension UUID: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encodedDescription() }
}
