/// What becomes of objects whose store leaves the coordinator.
extension NSManagedObjectContext {
    /// Drops the objects of a store, here and in the contexts below: at once inside of the
    /// context's queue, else on it, later.
    ///
    /// A confinement context has no queue to be reached by: its objects of the store read as
    /// empty from now on, unless they were read before.
    ///
    /// > Threading: Any thread.
    func storeWasRemoved(_ store: any RowStore) {
        guard let queue else { return }
        let drop = { [self] in
            ThreadPlaces.inside(queue) {
                // Before the children, which would read again what this context still shows.
                dropObjects(of: store)
                let children = asParent.withLock { $0.parent }?.contexts.alive ?? []
                for child in children { child.storeWasRemoved(store) }
            }
        }
        if ThreadPlaces.isInside(queue) {
            drop()
        } else {
            // Only carried to the context's queue, where all that it touches is used.
            nonisolated(unsafe) let later = drop
            queue.async { later() }
        }
    }

    /// Drops the objects of a store with their changes, and posts them as invalidated.
    private func dropObjects(of store: any RowStore) {
        guard let index = storeRegistries.firstIndex(where: { $0.store.coordinatorStore === store })
        else { return }
        // What happened before is told as it happened.
        processPendingChanges()
        let objects = storeRegistries[index].identityMaps.flatMap { $0?.objects ?? [] }
        for object in objects {
            setState(nil, of: object)
            undoJournal?.forget(object)
            object.flags.remove([.listedInserted, .listedUpdated, .listedDeleted])
            // What was read stays readable, relationships included.
            object.flags.insert(.detached)
            object.flags.remove(.fault)
            retainedObjects[ObjectIdentifier(object)] = nil
        }
        insertedList.removeAll { !$0.flags.contains(.listedInserted) }
        updatedList.removeAll { !$0.flags.contains(.listedUpdated) }
        deletedList.removeAll { !$0.flags.contains(.listedDeleted) }
        conflictChecks.removeAll { $0.flags.contains(.detached) }
        storeAssignments = storeAssignments.filter { $0.value !== store }
        let removed = storeRegistries.remove(at: index)
        // Now: they refer to the context without holding it, and at its end it looks only at the
        // registries that it still has.
        for registry in removed.registries { registry?.context = nil }
        // Kept, so that the circles of these objects are broken when the context goes.
        removedObjects += removed.identityMaps.compactMap(\.self)
        pending.invalidated += objects
        processPendingChanges()
    }
}
