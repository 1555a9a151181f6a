import Foundation

/// What contexts ask of their coordinator.
extension NSPersistentStoreCoordinator {
    /// The stores that hold an entity.
    func rowStores(holding layout: EntityLayout) -> [any RowStore] {
        state.withLock { $0.stores }.compactMap { store in
            guard let store = store as? any RowStore, store.holds(layout) else { return nil }
            return store
        }
    }

    /// The first store that takes new objects of an entity.
    func writableRowStore(holding layout: EntityLayout) -> (any RowStore)? {
        rowStores(holding: layout).first { !$0.isReadOnly }
    }

    func rowStore(_ identity: StoreIdentity) -> (any RowStore)? {
        state.withLock { $0.stores }.first { $0.identity === identity } as? any RowStore
    }

    /// Writes a save, store by store, each in one transaction.
    ///
    /// - Throws: `StoreConflicts`; what a store throws.
    func write(_ parts: [(store: any RowStore, changes: StoreChangeSet)]) throws {
        for (store, changes) in parts where !changes.isEmpty {
            if store.isReadOnly { throw CocoaError.storeIsReadOnly(store.url, store: store) }
            do {
                try store.write(changes)
            } catch let conflicts as RowConflicts {
                throw StoreConflicts(store: store, conflicts: conflicts.conflicts)
            }
        }
    }

    // MARK: Contexts that merge by themselves

    /// Has a context merge the saves of others from now on.
    func inform(_ context: NSManagedObjectContext) {
        let follower = Follower(identifier: ObjectIdentifier(context), context: context)
        state.withLock { state in
            state.followers.removeAll { $0.identifier == follower.identifier }
            state.followers.append(follower)
        }
    }

    /// Ends `inform(_:)`. Called by contexts that go, too.
    func forget(_ context: NSManagedObjectContext) {
        let identifier = ObjectIdentifier(context)
        state.withLock { state in state.followers.removeAll { $0.identifier == identifier } }
    }

    /// Hands a save to the contexts that merge by themselves, each on its queue.
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {
        let followers = state.withLock { $0.followers }
        for follower in followers.compactMap(\.context) where follower !== source {
            if follower.queue == nil { continue }
            follower.perform { follower.merge(changes) }
        }
    }
}

/// Conflicts of a save with the rows of one store.
struct StoreConflicts: Error {
    let store: any RowStore
    let conflicts: [RowConflicts.Conflict]
}
