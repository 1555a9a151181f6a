/// What stores hold of to-many relationships.
extension NSManagedObjectContext {
    /// The rows of related objects that are read at once, when the first of them is used.
    private static let batchSize = 256

    /// The content of a to-many relationship as the store holds it, as faults whose rows are read
    /// many at a time: who uses one of them mostly uses the others too. Who has used those of one
    /// object mostly uses those of the next: their rows come along at once.
    ///
    /// - Throws: What the store throws.
    func relatedObjects(
        _ object: NSManagedObject,
        _ slot: PropertySlot
    ) throws -> [NSManagedObject] {
        guard let store = object.registry.store else { return [] }
        if readMembers.contains(ObjectIdentifier(slot)), stalenessInterval < 0,
            let rows = try reading(
                from: store,
                { try store.relatedRows(object.layout, slot, object.primaryKey) },
                ifRemoved: []
            )
        {
            var objects: [NSManagedObject] = []
            objects.reserveCapacity(rows.count)
            append(rows, in: store, to: &objects)
            return objects
        }
        let references = try relatedReferences(object, slot, in: store)
        if references.count > 1, !store.readsRowsOneByOne {
            relatedFetches.add(
                BatchedFetch(
                    FetchPlan(layout: coordinator.modelLayout.entities[slot.destinationIndex]),
                    in: store,
                    primaryKeys: references.map(\.primaryKey),
                    size: Self.batchSize,
                    prefetching: [],
                    of: slot
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
        do {
            return try relatedReferences(object, slot, in: store).map {
                objectID($0, in: store.identity)
            }
        } catch {
            object.toMany(slot.index).isUnread = true
            reportUnreadable(slot, of: object, error)
            return []
        }
    }

    private func relatedReferences(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        in store: any RowStore
    ) throws -> [RowReference] {
        try reading(
            from: store,
            { try store.related(object.layout, slot, object.primaryKey) },
            ifRemoved: []
        )
    }

    /// - Parameter ifRemoved: What objects of a store that was removed read as, as with attributes.
    private func reading<Result>(
        from store: any RowStore,
        _ read: () throws -> Result,
        ifRemoved: Result
    ) throws -> Result {
        do {
            return try CurrentContext.inside(self, read)
        } catch {
            if source.rowStore(store.identity) !== store { return ifRemoved }
            throw error
        }
    }

    // MARK: What can't be read

    /// Reports a row or a relationship that a store failed to read; where the context does not
    /// handle inaccessible faults, the program stops.
    ///
    /// - Parameter slot: nil for the object's own values.
    func reportUnreadable(_ slot: PropertySlot?, of object: NSManagedObject, _ error: any Error) {
        let isHandled = shouldHandleInaccessibleFault(
            object,
            for: object.objectID,
            triggeredByProperty: slot?.property
        )
        let place = [object.layout.name, slot?.name].compactMap(\.self).joined(separator: ".")
        require(
            isHandled,
            "CoreData could not fulfill a fault for \(object.objectID.uriRepresentation()) "
                + "(\(place)): \(error)"
        )
        firstUnreadable = firstUnreadable ?? error
        let what = slot == nil ? "A row of \(place)" : "The relationship \(place)"
        UnreadableValue.report(error, reading: what, key: slot?.name, of: object)
    }

    /// Runs what reads values by getters, which can't throw.
    ///
    /// - Throws: What `body` throws; why something could not be read meanwhile.
    func readingAll<Result>(_ body: () throws -> Result) throws -> Result {
        let before = firstUnreadable
        firstUnreadable = nil
        defer { firstUnreadable = before ?? firstUnreadable }
        let result = try body()
        if let firstUnreadable { throw firstUnreadable }
        return result
    }

    /// Refuses objects that were changed on top of what could not be read: a client that has added one
    /// to the number that a getter did not show would overwrite it.
    func checkChangesWereRead(_ objects: [NSManagedObject]) throws {
        let misled = objects.filter { $0.flags.contains(.misled) }
        guard let first = misled.first else { return }
        throw CocoaError.changedUnread(
            entity: first.layout.name,
            objects: misled,
            underlying: firstUnreadable
        )
    }

    /// The row of an object that has none yet, for a save: what can't be read can't be left out.
    ///
    /// - Throws: What the store throws.
    func rowForSaving(_ object: NSManagedObject) throws -> Row? {
        if let row = object.row { return row }
        guard let store = object.registry.store, !object.flags.contains(.gone) else { return nil }
        let row = try currentRow(object.layout, object.primaryKey, in: store)
        object.row = row
        if row != nil { object.flags.remove(.fault) }
        return row
    }
}
