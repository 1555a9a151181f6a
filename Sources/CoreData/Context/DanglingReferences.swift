/// A child's save sets relationships to objects that are deleted in its parent, or in the store.
struct DanglingReferences: Error {
    struct Entry {
        let owner: RowReference
        let slot: Int
        let target: RowReference
    }
    let entries: [Entry]
    /// The parent's view of the store.
    var store: (any RowStore)?
}

extension NSManagedObjectContext {
    /// Looks at what a child's save sets relationships to, before anything is changed here.
    ///
    /// - Throws: `DanglingReferences`.
    func checkReferences(of changes: StoreChangeSet, in store: any RowStore) throws {
        var entries: [DanglingReferences.Entry] = []
        var insertedKeys: Set<RowReference>?
        func check(_ owner: RowReference, _ slot: Int, _ target: RowReference?) throws {
            guard let target, isLost(current(target), in: store) else { return }
            // An object of the same save is not here yet.
            // Made when the first reference looks lost, which is rare.
            let keys = insertedKeys ?? Set(changes.inserts.lazy.map(\.reference))
            insertedKeys = keys
            guard !keys.contains(target), try !isInserted(current(target), in: store) else {
                return
            }
            entries.append(DanglingReferences.Entry(owner: owner, slot: slot, target: target))
        }
        let entities = coordinator.modelLayout.entities
        for row in changes.inserts {
            for slot in entities[row.entityIndex].toOneSlots {
                try check(row.reference, slot, row.reference(slot))
            }
        }
        for update in changes.updates {
            let layout = entities[update.row.entityIndex]
            for slot in layout.toOneSlots where update.changed.contains(slot) {
                try check(update.row.reference, slot, update.row.reference(slot))
            }
        }
        for change in changes.toManyChanges {
            for target in change.added { try check(change.owner, change.slot, target) }
        }
        if !entries.isEmpty { throw DanglingReferences(entries: entries) }
    }

    /// Whether an object is deleted here, or known to be in the store; so is one that was never
    /// saved and is not here any more.
    private func isLost(_ reference: RowReference, in store: any RowStore) -> Bool {
        if let object = knownObject(reference, in: store) { return object.isLost }
        if reference.primaryKey < 0 { return true }
        let layout = coordinator.modelLayout.entities[reference.entityIndex]
        // A deletion by another process is not in the cache: the store looks for
        // that when it writes.
        if case .deleted = store.cachedRow(layout, reference.primaryKey) { return true }
        return false
    }

    /// Whether a context between this one and the stores has inserted an object that was never saved.
    private func isInserted(_ reference: RowReference, in store: any RowStore) throws -> Bool {
        guard reference.primaryKey < 0, !source.isStoreLevel else { return false }
        let layout = coordinator.modelLayout.entities[reference.entityIndex]
        return try currentRow(layout, reference.primaryKey, in: store) != nil
    }

    /// What a parent has refused, in terms of this context's objects.
    func validationError(_ dangling: DanglingReferences) -> any Error {
        let errors = dangling.entries.compactMap { entry -> (any Error)? in
            guard let store = dangling.store else { return nil }
            let owner = object(entry.owner, in: store)
            return CocoaError.danglingReference(
                entity: owner.layout.name,
                key: owner.layout.slots[entry.slot].name,
                object: owner,
                value: object(entry.target, in: store)
            )
        }
        return CocoaError.combining(errors) ?? dangling
    }
}
