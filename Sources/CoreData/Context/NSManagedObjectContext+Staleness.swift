import Foundation

/// Rows that others may have changed since they were read.
extension NSManagedObjectContext {
    /// `detectConflicts(for:)`.
    func baseDetectConflicts(for object: NSManagedObject) {
        guard object.registry.context === self, object.primaryKey > 0,
            !conflictChecks.contains(where: { $0 === object })
        else { return }
        // The version that the next save compares with is that of now.
        object.fireIfFault()
        conflictChecks.append(object)
    }

    /// Compares the rows of `detectConflicts(for:)` with the store.
    ///
    /// - Throws: `StoreConflicts`.
    func checkConflicts() throws {
        for object in conflictChecks
        where object.flags.isDisjoint(with: [.anyChange, .gone, .detached]) {
            guard let known = object.row, let store = object.registry.store else { continue }
            // Another process may have written it since the cache took it in.
            store.invalidateRow(object.layout, object.primaryKey)
            let stored = try store.row(object.layout, object.primaryKey)
            guard stored?.version != known.version else { continue }
            throw StoreConflicts(
                store: store,
                conflicts: [
                    RowConflicts.Conflict(
                        reference: object.anyReference,
                        expectedVersion: known.version,
                        stored: stored
                    )
                ]
            )
        }
    }

    /// The row from the store, if what the cache has may be older than `stalenessInterval`; nil
    /// also if the row is gone. A row that another context has read counts as old.
    func freshRow(_ layout: EntityLayout, _ key: Int64, in store: any RowStore) throws -> Row? {
        let reference = RowReference(entityIndex: layout.rootIndex, primaryKey: key)
        let now = ContinuousClock.now
        // Clients say `.infinity` for "never", which no duration is.
        let interval = Duration.seconds(min(stalenessInterval, 1e9))
        if let read = readTimes[reference], read + interval > now {
            return try store.row(layout, key)
        }
        store.invalidateRow(layout, key)
        // Forgetting when a row was read costs one more statement, no more.
        if readTimes.count >= 10_000 { readTimes = [:] }
        readTimes[reference] = now
        return try store.row(layout, key)
    }
}
