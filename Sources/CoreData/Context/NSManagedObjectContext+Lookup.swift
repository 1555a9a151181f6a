import Foundation

/// Objects by ID.
extension NSManagedObjectContext {
    /// `registeredObject(for:)`.
    func baseRegisteredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue("registeredObject(for:)")
        if let registry = knownRegistry(of: objectID) {
            return registry.identityMap.object(objectID.primaryKey)
        }
        adoptPromotions()
        let reference = reference(of: objectID)
        if reference.primaryKey < 0, let unsaved = unsavedObject(reference) { return unsaved }
        guard let store = rowStore(of: objectID) else { return nil }
        return registry(reference.entityIndex, in: store).known(reference.primaryKey)
    }

    /// The registry of the row that an ID names, if the ID can be taken as it stands: it is one of
    /// this coordinator's, permanent, and objects of its entity and store are in use here already.
    @inline(__always) private func knownRegistry(of objectID: NSManagedObjectID) -> ObjectRegistry?
    {
        guard objectID.primaryKey > 0, let identity = objectID.storeIdentity else { return nil }
        let layout = objectID.layout
        for index in storeRegistries.indices where storeRegistries[index].identity === identity {
            guard layout.index < storeRegistries[index].registries.count,
                let registry = storeRegistries[index].registries[layout.index],
                // A context below another one follows what has become of temporary keys first.
                registry.layout === layout, !registry.isNested
            else { return nil }
            return registry
        }
        return nil
    }

    /// Where an ID's row is, with the key that it has now.
    private func reference(of objectID: NSManagedObjectID) -> RowReference {
        let index = localIndex(of: objectID)
        var key = objectID.primaryKey
        // A store that was removed and added again may number its rows otherwise.
        if let known = objectID.storeIdentity?.references?.reference(key),
            let identity = rowStore(of: objectID)?.identity, identity !== objectID.storeIdentity,
            let references = identity.references
        {
            key = references.key(known, coordinator.modelLayout.entities[index])
        }
        return current(RowReference(entityIndex: index, primaryKey: key))
    }

    /// `object(with:)`.
    func baseObject(with objectID: NSManagedObjectID) -> NSManagedObject {
        if let registry = knownRegistry(of: objectID) {
            checkQueue("object(with:)")
            return retained(registry.object(objectID.primaryKey))
        }
        if let known = registeredObject(for: objectID) { return known }
        if let store = rowStore(of: objectID) { return object(reference(of: objectID), in: store) }
        require(
            objectID.isTemporaryID,
            "The store of \(objectID.uriRepresentation()) is not one of the context's coordinator."
        )
        // As on Apple's platforms: an object that nothing will ever fulfil.
        let registry = registry(forNew: objectID.layout.entity)
        let object = ManagedObjectClass.make(registry, objectID.primaryKey)
        object.flags = .fault
        return object
    }

    /// `existingObject(with:)`.
    func baseExistingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue("existingObject(with:)")
        if let registry = knownRegistry(of: objectID), let store = registry.store {
            if let known = registry.identityMap.object(objectID.primaryKey) {
                if known.flags.isDisjoint(with: [.gone, .detached, .fault]) { return known }
            } else if let row = try currentRow(registry.layout, objectID.primaryKey, in: store) {
                let object: NSManagedObject
                if row.entityIndex != registry.layout.index {
                    // The ID says an ancestor of the row's entity.
                    object = self.object(row, in: store)
                } else if registry.isPlain {
                    // No client's code has run, which might have made an object for the key.
                    object = retained(registry.makeFault(objectID.primaryKey, row: row))
                } else {
                    object = self.object(row, registry)
                }
                object.fireIfFault()
                return object
            }
        }
        if let known = registeredObject(for: objectID) {
            if known.flags.contains(.gone) || known.flags.contains(.detached) {
                throw CocoaError.objectIsGone(
                    objectURI: objectID.uriRepresentation().absoluteString
                )
            }
            if !known.flags.contains(.fault) { return known }
        }
        guard let store = rowStore(of: objectID) else {
            throw CocoaError.objectIsGone(objectURI: objectID.uriRepresentation().absoluteString)
        }
        let reference = reference(of: objectID)
        let layout = coordinator.modelLayout.entities[reference.entityIndex]
        guard let row = try currentRow(layout, reference.primaryKey, in: store) else {
            throw CocoaError.objectIsGone(objectURI: objectID.uriRepresentation().absoluteString)
        }
        let object = object(row, in: store)
        object.fireIfFault()
        return object
    }

    /// `obtainPermanentIDs(for:)`.
    func baseObtainPermanentIDs(for objects: [NSManagedObject]) throws {
        adoptPromotions()
        let temporary = objects.filter { $0.primaryKey < 0 && $0.flags.contains(.inserted) }
        let formerKeys = temporary.map(\.primaryKey)
        // The save can give these objects no other keys: they are claimed in the store at once, so
        // that no other process takes them meanwhile.
        try assignPermanentKeys(to: temporary, areFinal: true)
        promote(temporary, from: formerKeys)
        try takePermanentIDsAbove(for: objects)
    }

    /// Has the parent obtain the keys of objects that only it, or an ancestor, has inserted.
    private func takePermanentIDsAbove(for objects: [NSManagedObject]) throws {
        var remaining = objects.filter {
            $0.primaryKey < 0 && $0.flags.isDisjoint(with: [.inserted, .detached])
        }
        // Objects of several stores, each with its own view in the parent.
        while let store = remaining.first?.registry.store as? ParentStore {
            let group = remaining.filter { $0.registry.store === store }
            remaining.removeAll { $0.registry.store === store }
            try store.takePermanentKeys(for: group.map(\.anyReference))
        }
        adoptPromotions()
    }

    /// `assign(_:to:)`.
    func baseAssign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject else {
            fatalError("Only managed objects can be assigned to a store.")
        }
        require(
            object.flags.contains(.inserted) && object.primaryKey < 0,
            "Can't reassign an object to a different store once it has been saved."
        )
        require(
            source.rowStore(store.identity)?.holds(object.layout) == true,
            "Can't assign an object to a store that does not contain the object's entity."
        )
        storeAssignments[ObjectIdentifier(object)] = store
    }

    /// The row as it stands: from the cache if someone holds it, else from the store.
    func currentRow(_ layout: EntityLayout, _ key: Int64, in store: any RowStore) throws -> Row? {
        if stalenessInterval >= 0 { return try freshRow(layout, key, in: store) }
        switch store.cachedRow(layout, key) {
        case .row(let row): return row
        case .deleted: return nil
        case .unknown: return try CurrentContext.inside(self) { try store.uncachedRow(layout, key) }
        }
    }

    /// Gets the row of a fault; an object without row reads as empty, and as deleted. One whose row
    /// could not be read stays a fault.
    func fulfillFault(_ object: NSManagedObject) -> Row? {
        checkQueue()
        // What was never saved has no row that could be gone.
        guard let store = object.registry.store, !object.flags.contains(.inserted) else {
            return nil
        }
        do {
            if let row = try batchedRow(of: object, in: store) { return row }
            if let row = try currentRow(object.layout, object.primaryKey, in: store) {
                // The cache knows rows only while somebody holds them: one that many objects lead
                // to would be read for each of them.
                recentRows.keep(row)
                return row
            }
        } catch {
            // Objects of a store that was removed read as empty.
            guard source.rowStore(store.identity) === store else { return nil }
            object.flags.insert([.fault, .unread])
            reportUnreadable(nil, of: object, error)
            return nil
        }
        let isHandled = shouldHandleInaccessibleFault(
            object,
            for: object.objectID,
            triggeredByProperty: nil
        )
        require(
            isHandled,
            "CoreData could not fulfill a fault for \(object.objectID.uriRepresentation()): its row "
                + "is gone"
        )
        // Who still shows the object is told when pending changes are processed, and
        // not amid this access.
        noteGone(object)
        return nil
    }

    /// The row of a fault of a fetch with a batch size or of a to-many relationship, read with its
    /// batch. nil if there is no such fetch, or the row is in memory already.
    private func batchedRow(of object: NSManagedObject, in store: any RowStore) throws -> Row? {
        guard stalenessInterval < 0,
            case .unknown = store.cachedRow(object.layout, object.primaryKey)
        else { return nil }
        return try batchedFetches.row(of: object, in: self)
            ?? relatedFetches.row(of: object, in: self)
    }

    /// The row of a fault that was fetched with it: what was saved last, if another context has
    /// saved since. A row that was deleted since can still be read.
    func latestRow(of object: NSManagedObject, _ fetched: Row) -> Row {
        guard let store = object.registry.store else { return fetched }
        switch store.cachedRow(object.layout, object.primaryKey) {
        case .deleted:
            return fetched
        case .row(let cached):
            return cached.version > fetched.version ? cached : fetched
        case .unknown:
            // The cache knows rows for as long as they are held, so this one was replaced.
            guard fetched.wasCached, source.isStoreLevel else { return fetched }
            do {
                return try store.row(object.layout, object.primaryKey) ?? fetched
            } catch {
                // A row that can be read is better than a store that can't.
                return fetched
            }
        }
    }

    func rowStore(of objectID: NSManagedObjectID) -> (any RowStore)? {
        guard let identity = objectID.storeIdentity else {
            // Rows without a store may be those of a context above.
            let isNowhere = source.isStoreLevel && reference(of: objectID).primaryKey < 0
            return isNowhere ? nil : source.writableRowStore(holding: objectID.layout)
        }
        if let known = storeRegistries.first(where: { $0.identity === identity }) {
            return known.store
        }
        return source.rowStore(identity)
    }

    /// The index of an ID's entity in this coordinator's model.
    func localIndex(of objectID: NSManagedObjectID) -> Int {
        let entities = coordinator.modelLayout.entities
        let index = objectID.layout.index
        if index < entities.count, entities[index] === objectID.layout { return index }
        // Each coordinator compiles its model by itself: an ID of another one names the entity.
        guard let local = coordinator.modelLayout.entitiesByName[objectID.layout.name] else {
            fatalError(
                "The entity \(objectID.layout.name) is not in the model of the context's "
                    + "coordinator."
            )
        }
        return local.index
    }
}
