import Foundation

/// Identifies a managed object in every context of a coordinator: entity, store and primary key.
///
/// It is the only thing of an object that may cross threads. An ID is temporary until its object
/// is saved, or until `obtainPermanentIDs(for:)`; the object then has another, permanent one.
/// Two IDs of the same row are equal; they need not be the same instance.
///
/// > Threading: Any thread.
open class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked: immutable.

    let layout: EntityLayout
    /// nil for a temporary ID.
    let storeIdentity: StoreIdentity?
    /// Negative for a temporary ID.
    let primaryKey: Int64

    init(layout: EntityLayout, storeIdentity: StoreIdentity?, primaryKey: Int64) {
        self.layout = layout
        self.storeIdentity = storeIdentity
        self.primaryKey = primaryKey
        super.init()
    }

    /// Makes an ID that no store and no context knows, and that equals itself only: for tests, and for
    /// subclasses that stand for an ID there.
    override public init() {
        layout = .ofNothing
        storeIdentity = nil
        primaryKey = TemporaryKey.next()
        super.init()
    }

    /// The entity of the object.
    open var entity: NSEntityDescription { layout.entity }
    /// The store that the object is in; nil for a temporary ID, and once the store was removed from
    /// its coordinator.
    open weak var persistentStore: NSPersistentStore? { storeIdentity?.store }
    /// Whether the object has not been saved yet.
    open var isTemporaryID: Bool { primaryKey < 0 }

    /// A URI that finds the object again: `x-coredata://<store UUID>/<entity>/p<key>`, where the
    /// key of an atomic or incremental store of a client's class is its reference object; for a
    /// temporary ID `x-coredata:///<entity>/t<UUID><counter>`, which nothing finds later.
    @discardableResult
    open func uriRepresentation() -> URL {
        let name = layout.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
        let text: String
        if let storeIdentity, !isTemporaryID {
            let key = storeIdentity.references?.reference(primaryKey)?.uriText ?? "\(primaryKey)"
            text = "x-coredata://\(storeIdentity.identifier)/\(name)/p\(key)"
        } else {
            text = "x-coredata:///\(name)/t\(TemporaryKey.processIdentifier)\(-primaryKey)"
        }
        guard let url = URL(string: text) else {
            fatalError("The entity \(layout.name) has a name that no URI can hold.")
        }
        return url
    }

    open override var hash: Int {
        // Rows of such stores are numbered as they are met, so that the numbers of one store added
        // twice don't agree; what the store calls them does.
        if let references = storeIdentity?.references {
            return references.reference(primaryKey).hashValue
        }
        // Without the store: its identifier is a text. Keys of temporary IDs are negative, and so
        // never collide with these. The root, for subentities share their keys; by its name and not
        // by its number, which is another one in another model, whose IDs may be equal.
        return Int(truncatingIfNeeded: primaryKey &* 31) &+ layout.rootHash
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return self === other || isSameRow(other)
    }

    private func isSameRow(_ other: NSManagedObjectID) -> Bool {
        if let references = storeIdentity?.references, storeIdentity !== other.storeIdentity {
            // The same store, added twice, may number its rows otherwise.
            guard let others = other.storeIdentity?.references,
                references.reference(primaryKey) == others.reference(other.primaryKey)
            else { return false }
            return layout.name == other.layout.name
                && storeIdentity?.identifier == other.storeIdentity?.identifier
        }
        guard primaryKey == other.primaryKey else { return false }
        // Unique in the process, whatever the context and the entity.
        if isTemporaryID { return true }
        // Coordinators have layouts of their own, and an ID may say a superentity: names tell, and
        // those of the roots, since all entities of a tree share one sequence of keys.
        if layout !== other.layout {
            guard layout.rootName == other.layout.rootName else { return false }
        }
        // Two coordinators may have added the same file, whose UUID tells.
        if storeIdentity === other.storeIdentity { return true }
        return storeIdentity?.identifier == other.storeIdentity?.identifier
    }

    public func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "\(Unmanaged.passUnretained(self).toOpaque()) <\(uriRepresentation().absoluteString)>"
    }
}

extension NSManagedObjectID: StoredRowIdentifiable {
    var rowReference: RowReference? {
        isTemporaryID
            ? nil : RowReference(entityIndex: layout.index, primaryKey: primaryKey)
    }
    var rowStore: NSPersistentStore? { persistentStore }
}

extension EntityLayout {
    /// The name of the root of the inheritance tree.
    var rootName: String {
        var layout = self
        while let parent = layout.parent { layout = parent }
        return layout.name
    }
}

/// The numbers of objects that have no primary key yet: negative, and unique in the process, so
/// that contexts can pass them on.
enum TemporaryKey {
    private static let last = Locked<Int64>(0)
    /// What all temporary URIs of this process have in common.
    static let processIdentifier = UUID().uuidString

    static func next() -> Int64 {
        last.withLock { last in
            last -= 1
            return last
        }
    }
}
