import Foundation

/// An atomic store as the coordinator uses it: rows in memory, beside the nodes that they were made
/// of.
extension NSAtomicStore: MemoryRowStore, ObjectStore {
    func open(model: ModelLayout, entities: [EntityLayout]) throws {
        try loadMetadata()
        try completeMetadata(entities)
        content.open(model, entities)
        // A store whose URL is set is opened once more.
        nodes.withLock { $0 = Nodes() }
        try load()
        content.apply(try takeAddedNodes(model))
    }

    func close() { content.close() }

    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        fatalError("An atomic store is asked for the keys of objects.")
    }

    func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64] {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        return objects.map { object in
            objectID(for: object.entity, withReferenceObject: newReferenceObject(for: object))
                .primaryKey
        }
    }

    /// The rows of nodes that were added since the last call.
    private func takeAddedNodes(_ model: ModelLayout) throws -> StoreChangeSet {
        let added = nodes.withLock { nodes in
            defer { nodes.added = [] }
            return nodes.added
        }
        return try CacheNodeRows(store: self, model: model).changes(for: added)
    }

    // MARK: Saving

    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        fatalError("An atomic store is given objects along with the rows.")
    }

    func write(
        _ changes: StoreChangeSet,
        of objects: ChangeSet<NSManagedObject>,
        beforeCommit: () throws -> Void
    ) throws {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        try content.writer.withLock { _ in
            let tables = try tables()
            // Conflicts are found before client code runs: a refused save leaves the nodes as they
            // were.
            try tables.check(changes)
            let former = formerValues(objects)
            do {
                updateNodes(objects)
                // The client's file last: what `save()` has written can't be taken back.
                try beforeCommit()
                try save()
            } catch {
                restore(former)
                throw error
            }
            // Not before the client's file has them: contexts that fetch meanwhile see what is in
            // the file.
            content.apply(changes)
            for object in objects.deleted { former.byID[object.objectID]?.breakRelationships() }
            // `save()` may have found objects that others put into the store.
            let found = try takeAddedNodes(tables.model)
            if !found.isEmpty { content.apply(found) }
        }
    }

    private func updateNodes(_ objects: ChangeSet<NSManagedObject>) {
        let removed = objects.deleted.compactMap { cacheNode(for: $0.objectID) }
        if !removed.isEmpty {
            willRemoveCacheNodes(Set(removed))
            nodes.withLock { nodes in
                for node in removed { nodes.byID[node.objectID] = nil }
            }
        }
        // Outside the lock: client code makes them, and may ask for other nodes.
        let made = objects.inserted.map { object in newCacheNode(for: object) }
        nodes.withLock { nodes in
            for node in made { nodes.byID[node.objectID] = node }
        }
        // New ones, too: they may be related to each other.
        for object in objects.inserted + objects.updated {
            if let node = cacheNode(for: object.objectID) { updateCacheNode(node, from: object) }
        }
    }

    /// What a failed save has to put back.
    private func formerValues(_ objects: ChangeSet<NSManagedObject>) -> FormerNodes {
        let byID = nodes.withLock { $0.byID }
        let values = objects.updated.compactMap { object in
            byID[object.objectID].map { node in
                // A copy, for updating a node changes its dictionary in place.
                (node, node.propertyCache?.mutableCopy() as? NSMutableDictionary)
            }
        }
        return FormerNodes(byID: byID, values: values)
    }

    private func restore(_ former: FormerNodes) {
        // Nodes that the failed `save()` has handed over must not get rows from the next one.
        nodes.withLock { $0 = Nodes(byID: former.byID, added: []) }
        for (node, cache) in former.values { node.propertyCache = cache }
    }
}

/// The nodes of a store before a save.
private struct FormerNodes {
    let byID: [NSManagedObjectID: NSAtomicStoreCacheNode]
    /// Those that the save updates.
    let values: [(node: NSAtomicStoreCacheNode, cache: NSMutableDictionary?)]
}
