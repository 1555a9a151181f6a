/// What stores hold of to-many relationships.
extension NSManagedObjectContext {
    /// The rows of related objects that are read at once, when the first of them is used.
    private static let batchSize = 256

    /// The content of a to-many relationship as the store holds it, as faults whose rows are read
    /// many at a time: who uses one of them mostly uses the others too.
    func relatedObjects(_ object: NSManagedObject, _ slot: PropertySlot) -> [NSManagedObject] {
        guard let store = object.registry.store else { return [] }
        let references = relatedReferences(object, slot, in: store)
        if references.count > 1, !store.readsRowsOneByOne {
            relatedFetches.add(
                BatchedFetch(
                    FetchPlan(layout: coordinator.modelLayout.entities[slot.destinationIndex]),
                    in: store,
                    primaryKeys: references.map(\.primaryKey),
                    size: Self.batchSize,
                    prefetching: []
                )
            )
        }
        return references.map { self.object($0, in: store) }
    }

    /// The IDs of a to-many relationship that has no unsaved changes, without making objects; nil
    /// where only the objects tell.
    func relatedIDs(_ object: NSManagedObject, _ slot: PropertySlot) -> [NSManagedObjectID]? {
        guard !hasChanges, source.isStoreLevel, let store = object.registry.store else {
            return nil
        }
        return relatedReferences(object, slot, in: store).map {
            objectID($0, in: store.identity)
        }
    }

    private func relatedReferences(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        in store: any RowStore
    ) -> [RowReference] {
        do {
            return try CurrentContext.inside(self) {
                try store.related(object.layout, slot, object.primaryKey)
            }
        } catch {
            // As with attributes: objects of a store that was removed read as empty. So do those
            // of a client's store, which may fail for reasons of its own.
            if source.rowStore(store.identity) !== store || store.readsRowsOneByOne { return [] }
            fatalError(
                "The relationship \(object.layout.name).\(slot.name) could not be read: \(error)"
            )
        }
    }
}
