import Foundation

/// A store that is read and written as a whole, in whatever form a subclass likes.
///
/// A subclass overrides `type`, `load()` and `save()`; `newReferenceObject(for:)` if its form has
/// identifiers of its own; `metadataForPersistentStore(with:)` and
/// `setMetadata(_:forPersistentStoreAt:)` if it keeps metadata. Register it with
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`.
///
/// > Threading: `load()`, `save()` and the methods about nodes run one at a time: `load()` on the
/// > thread that adds the store, the others on the queue of the context that saves.
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
    // @unchecked: `content` and `nodes` guard themselves; nodes are used by one save at a time.

    struct Nodes: @unchecked Sendable {
        // @unchecked: see the class.
        var byID: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
        /// Those that rows have not been made of yet.
        var added: [NSAtomicStoreCacheNode] = []
    }
    let content = MemoryContent()
    let nodes = Locked(Nodes())

    /// Makes a store object; stores are added with a coordinator's `addPersistentStore`.
    public override init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?,
        configurationName: String?,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(
            persistentStoreCoordinator: coordinator,
            configurationName: configurationName,
            at: url,
            options: options
        )
    }

    deinit {
        // Nodes hold each other where they are related.
        for node in nodes.withLock({ $0.byID }).values { node.breakRelationships() }
    }

    // MARK: For subclasses

    /// Reads the store: makes a node for each object and hands them to `addCacheNodes(_:)`.
    ///
    /// Called once, when the store is added; there may be nothing at `url` yet. Override it.
    ///
    /// - Throws: What makes the store unusable; it is not added then.
    open func load() throws {}

    /// Writes the store with the values of `cacheNodes()` and `metadata`.
    ///
    /// Called for each save, when nodes are up to date. Write all or nothing. Override it.
    ///
    /// The stores of the save are locked meanwhile: don't save a context of the coordinator here.
    ///
    /// - Throws: What made it fail; the save fails with it, and nodes get back what they had.
    open func save() throws {}

    /// A node for an object that is saved for the first time.
    ///
    /// Here it is one with the object's values. Other objects of the same save may have no nodes
    /// yet; `updateCacheNode(_:from:)` is called when they have.
    @discardableResult
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    /// Gives a node the values of an object that is being saved.
    ///
    /// Here it takes all attributes and relationships.
    open func updateCacheNode(
        _ node: NSAtomicStoreCacheNode,
        from managedObject: NSManagedObject
    ) {
        for slot in managedObject.layout.slots where slot.kind != .volatile {
            // The model's value, not that of `value(forKey:)`, which may lead to a property of the
            // class.
            let value = managedObject.anyValue(slot.index)
            node.setValue(slot.isRelationship ? relatedNodes(value) : value, forKey: slot.name)
        }
    }

    /// Called before nodes of deleted objects go, in a save. Does nothing here.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    /// What the store knows a new object by, for good: a string, an integer or a UUID that no other
    /// object of the entity has. Here it is the text of a new UUID.
    @discardableResult
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    // MARK: For use by subclasses

    /// All nodes.
    @discardableResult
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
        Set(nodes.withLock { $0.byID }.values)
    }

    /// Takes in nodes that `load()` or `save()` has made.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        nodes.withLock { nodes in
            for node in cacheNodes {
                nodes.byID[node.objectID] = node
                nodes.added.append(node)
            }
        }
    }

    /// The node for an ID; nil if the store has no such object.
    @discardableResult
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        nodes.withLock { $0.byID[objectID] }
    }

    /// The ID of the object that the store knows by a reference object.
    ///
    /// - Parameter data: A string, an integer or a UUID; any other value stops the program.
    @discardableResult
    open func objectID(
        for entity: NSEntityDescription,
        withReferenceObject data: Any
    ) -> NSManagedObjectID {
        makeObjectID(entity, data)
    }

    /// What the store knows an object by. Stops the program for a temporary ID, and for one of
    /// another store.
    @discardableResult
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { identifier(of: objectID) }

    override class var knowsRowsByIdentifier: Bool { true }

    // MARK: Relationships

    /// The nodes of related objects, in the form that nodes have them.
    private func relatedNodes(_ value: Any?) -> Any? {
        func node(_ object: Any) -> NSAtomicStoreCacheNode? {
            // No node may lead to one that this very save removes.
            guard let object = object as? NSManagedObject, !object.flags.contains(.deleted) else {
                return nil
            }
            return cacheNode(for: object.objectID)
        }
        switch value {
        case nil: return nil
        case let ordered as NSOrderedSet: return NSOrderedSet(array: ordered.compactMap(node))
        case let set as NSSet: return NSMutableSet(array: set.compactMap(node))
        case let object?: return node(object)
        }
    }
}
