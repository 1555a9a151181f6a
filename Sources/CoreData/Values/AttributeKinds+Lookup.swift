import Foundation

// Ways into the table of kinds.
extension AttributeKinds {
    private static let byType: [NSAttributeType: any AttributeKind.Type] = Dictionary(
        uniqueKeysWithValues: all.map { ($0.type, $0) }
    )

    static func kind(of type: NSAttributeType) -> any AttributeKind.Type {
        byType[type] ?? UndefinedKind.self
    }

    static func kind(sourceName: String) -> (any AttributeKind.Type)? {
        all.first { $0.sourceName == sourceName }
    }

    static func kind(markupName: String) -> (any AttributeKind.Type)? {
        all.first { $0.markupName == markupName }
    }

    // Values are read and set by this, so the way to a kind is an index and nothing else: a buffer
    // that is never freed needs neither reference counts nor hashing.
    nonisolated(unsafe) private static let byStorage:
        UnsafeMutableBufferPointer<(any AttributeKind.Type)?> = {
            let buffer = UnsafeMutableBufferPointer<(any AttributeKind.Type)?>.allocate(
                capacity: Int(UInt8.max) + 1
            )
            buffer.initialize(repeating: nil)
            // Of several types with one form of storage the first stands for all.
            for kind in all.reversed() { buffer[Int(kind.storage.rawValue)] = kind }
            return buffer
        }()

    /// The kind of attributes that rows keep in a way; nil for relationships.
    @inline(__always) static func kind(
        of storage: StorageKind
    ) -> (any AttributeKind.Type)? {
        byStorage[Int(storage.rawValue)]
    }

    // MARK: Kinds that predicates and archives know by their table only

    private static let scalars = all.filter { $0.comparison == .ownKind }

    /// The kind whose values compare with each other only and have a class of some name.
    static func scalar(className: String) -> (any AttributeKind.Type)? {
        scalars.first { $0.valueClassName == className }
    }

    /// The names of their classes, as casts in predicates write them.
    static var scalarClassNames: [String] { scalars.compactMap { $0.valueClassName } }

    /// A value of such a kind as comparisons see it; nil for values of other types.
    static func scalar(_ value: Any) -> QueryScalar? {
        for kind in scalars {
            if let stored = kind.slotValue(value) {
                return QueryScalar(kind: kind.storage, value: stored)
            }
        }
        return nil
    }

    private static let archived = all.filter { $0.archive != nil }

    /// The classes of values that archives have in the form of the kind.
    static var archivedClasses: [AnyClass] { archived.compactMap { $0.valueClass } }

    /// The kind that has objects of some class in archives.
    static func archived(className: String) -> (any AttributeKind.Type)? {
        archived.first { $0.archive?.classNames.first == className }
    }

    /// The kind whose form in archives a value has, and the value; nil for other values.
    static func archived(_ value: Any) -> (form: ArchivedScalar, value: SlotValue)? {
        for kind in archived {
            if let form = kind.archive, let stored = kind.slotValue(value) { return (form, stored) }
        }
        return nil
    }
}
