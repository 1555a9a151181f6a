import Foundation

/// What contexts ask of their coordinator.
extension NSPersistentStoreCoordinator {
    /// The stores that hold an entity.
    func rowStores(holding layout: EntityLayout) -> [any RowStore] {
        // Copied, for stores of clients' classes must not be called under the lock.
        state.withLock { $0.stores }.compactMap { store in
            guard let store = store as? any RowStore, store.holds(layout) else { return nil }
            return store
        }
    }

    /// The first store that takes new objects of an entity.
    func writableRowStore(holding layout: EntityLayout) -> (any RowStore)? {
        rowStores(holding: layout).first { !$0.isReadOnly }
    }

    /// The store with an identity; the same store, if it was removed and added again.
    func rowStore(_ identity: StoreIdentity) -> (any RowStore)? {
        let stores = state.withLock { $0.stores }
        let store =
            stores.first { $0.identity === identity }
            ?? stores.first { $0.identifier == identity.identifier }
        return store as? any RowStore
    }

    /// Writes a save: every store does all that it knows can fail before the first one commits,
    /// and all are as they were if one does.
    ///
    /// What is left: a store that fails in the commit itself (the disk's end) leaves those written
    /// that committed before it. Stores of clients' classes commit first, since their commits
    /// can't be told from their work; then the others, last added first.
    ///
    /// - Throws: `StoreConflicts`; `StoreViolations`; what a store throws.
    func write(_ parts: [StoreSave]) throws {
        var parts = parts.filter { !$0.changes.isEmpty } + changedMetadata(notIn: parts)
        // All stores are looked at before the first one writes.
        for part in parts where part.store.isReadOnly {
            throw CocoaError.storeIsReadOnly(part.store.url, store: part.store)
        }
        guard parts.count > 1 else {
            if !parts.isEmpty { parts[0].changes.isWholeSave = true }
            return try write(ArraySlice(parts))
        }
        // In one order for all savers, since each store's lock is held for the rest of them.
        let order = persistentStores
        func rank(_ part: StoreSave) -> Int {
            let index = order.firstIndex { $0 === part.store } ?? order.count
            // Whoever writes last does so inside of all others, and commits first.
            return part.store is any ObjectStore ? order.count + index + 1 : index
        }
        try write(ArraySlice(parts.sorted { rank($0) < rank($1) }))
    }

    /// Writes the metadata that clients have set and no save has written yet.
    func writeChangedMetadata() throws { try write([]) }

    private func changedMetadata(notIn parts: [StoreSave]) -> [StoreSave] {
        state.withLock { $0.stores }.compactMap { store in
            guard let store = store as? any RowStore, !store.isReadOnly, store.hasChangedMetadata,
                !parts.contains(where: { $0.store === store && !$0.changes.isEmpty })
            else { return nil }
            return StoreSave(store: store, changes: StoreChangeSet(), objects: ChangeSet())
        }
    }

    private func write(_ parts: ArraySlice<StoreSave>) throws {
        guard let part = parts.first else { return }
        // The others are written inside of this store's transaction, before it commits.
        let rest = { try self.write(parts.dropFirst()) }
        do {
            if let store = part.store.objectStore {
                try store.write(part.changes, of: part.objects, beforeCommit: rest)
            } else {
                try part.store.write(part.changes, beforeCommit: rest)
            }
        } catch let conflicts as RowConflicts {
            throw StoreConflicts(store: part.store, conflicts: conflicts.conflicts)
        } catch let late as LateReferences {
            throw StoreLateReferences(store: part.store, entries: late.entries)
        } catch let lost as LostTargets {
            throw StoreLostTargets(store: part.store, references: lost.references)
        } catch let violations as UniquenessViolations {
            throw StoreViolations(store: part.store, violations: violations.violations)
        }
    }

    // MARK: Contexts that merge by themselves

    func addFollower(_ context: NSManagedObjectContext) { followers.add(context) }
    func removeFollower(_ context: NSManagedObjectContext) { followers.remove(context) }
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {
        followers.announce(changes, from: source)
        for part in changes.stores { postRemoteChange(of: part.store) }
    }
}

/// What a save asks of one store.
struct StoreSave {
    let store: any RowStore
    var changes: StoreChangeSet
    let objects: ChangeSet<NSManagedObject>
}

/// Conflicts of a save with the rows of one store.
struct StoreConflicts: Error {
    let store: any RowStore
    let conflicts: [RowConflicts.Conflict]
}

/// Rows of one store that refer to rows which a save would delete.
struct StoreLateReferences: Error {
    let store: any RowStore
    let entries: [LateReferences.Entry]
}

/// Deleted rows of one store which a save relates others to.
struct StoreLostTargets: Error {
    let store: any RowStore
    let references: [RowReference]
}

/// Values of a save that must be unique in one store and are not.
struct StoreViolations: Error {
    let store: any RowStore
    let violations: [UniquenessViolations.Violation]
}
