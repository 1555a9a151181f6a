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
    /// - Throws: `StoreConflicts`; `StoreViolations`; what a store throws.
    func write(_ parts: [(store: any RowStore, changes: StoreChangeSet)]) throws {
        for (store, changes) in parts where !changes.isEmpty {
            if store.isReadOnly { throw CocoaError.storeIsReadOnly(store.url, store: store) }
            do {
                try store.write(changes)
            } catch let conflicts as RowConflicts {
                throw StoreConflicts(store: store, conflicts: conflicts.conflicts)
            } catch let violations as UniquenessViolations {
                throw StoreViolations(store: store, violations: violations.violations)
            }
        }
    }

    // MARK: Contexts that merge by themselves

    func inform(_ context: NSManagedObjectContext) { followers.add(context) }
    func forget(_ context: NSManagedObjectContext) { followers.remove(context) }
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {
        followers.announce(changes, from: source)
        for part in changes.stores { postRemoteChange(of: part.store) }
    }
}

/// Conflicts of a save with the rows of one store.
struct StoreConflicts: Error {
    let store: any RowStore
    let conflicts: [RowConflicts.Conflict]
}

/// Values of a save that must be unique in one store and are not.
struct StoreViolations: Error {
    let store: any RowStore
    let violations: [UniquenessViolations.Violation]
}
