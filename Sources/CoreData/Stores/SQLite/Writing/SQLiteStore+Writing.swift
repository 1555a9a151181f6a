import CSQLite
import Foundation

extension SQLiteStore {
    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        try write(changes, inTransaction: { _ in try beforeCommit() })
    }

    /// The same, with who writes: the transaction holds the whole save when `body` is called.
    ///
    /// - Parameter whenInserted: See `StoreWriter.execute`.
    func write(
        _ changes: StoreChangeSet,
        whenInserted: ((StoreWriter, ArraySlice<Row>) throws -> Void)? = nil,
        inTransaction body: (StoreWriter) throws -> Void
    ) throws {
        let open = try opened()
        guard !open.settings.isReadOnly else {
            throw CocoaError.storeIsReadOnly(url, store: self)
        }
        try pendingMetadata.write { metadata in
            try translatingErrors {
                try open.write(
                    changes,
                    metadata: metadata,
                    whenInserted: whenInserted,
                    beforeCommit: body
                )
            }
        }
    }
}

extension OpenSQLiteStore {
    /// Writes a save in one transaction, and brings the row caches up to date.
    ///
    /// - Parameters:
    ///   - whenInserted: See `StoreWriter.execute`.
    ///   - beforeCommit: Runs inside the transaction, when all else has been done.
    func write(
        _ changes: StoreChangeSet,
        metadata: StoreMetadata?,
        whenInserted: ((StoreWriter, ArraySlice<Row>) throws -> Void)? = nil,
        beforeCommit: (StoreWriter) throws -> Void
    ) throws {
        let pages = try withWriter { writer in
            let connection = writer.connection
            let maxima = highestKeys(changes)
            do {
                let (_, files) = try writer.transaction(
                    changes.origin,
                    beforeCommit: {
                        try beforeCommit(writer)
                        // Again, at the last moment: what is committed to a file without a name is
                        // lost.
                        try checkPlace(connection)
                    }
                ) {
                    try checkContent(connection)
                    // First: keys that another process has taken stop the save before any row is
                    // written.
                    try raiseMaxima(maxima, connection)
                    try writer.execute(changes, whenInserted: whenInserted)
                    try metadata?.write(to: connection, url: file.url)
                }
                remove(files, connection)
            } catch {
                // What was noted for this commit must not pass for this process's when another one
                // writes the same `Z_MAX`.
                for rootIndex in maxima.keys { keys.didNotCommit(rootIndex: rootIndex) }
                // The context validates anew, and finds the deleted rows by their tombstones in the
                // cache.
                if let lost = error as? LostTargets { noteDeleted(lost.references) }
                if let found = error as? RowConflicts { noteReplaced(found.conflicts) }
                throw error
            }
            // Still under the writer's lock: caches hear of commits in the order of the commits.
            updateCaches(changes, connection.derivedChanges)
            checkpointer.relieve(connection)
            return connection.walPageCount
        }
        checkpointer.didCommit(pageCount: pages)
    }

    /// Has the row caches know of rows that others have deleted.
    private func noteDeleted(_ references: [RowReference]) {
        for (root, keys) in keysByRoot(references) {
            cache(rootIndex: root).commit(changed: [], deleted: keys)
        }
    }

    /// Has the row caches forget rows that others have replaced: what is refreshed after a conflict
    /// would be given the old row again, as long as somebody holds it, and never be saved.
    private func noteReplaced(_ conflicts: [RowConflicts.Conflict]) {
        for conflict in conflicts {
            let root = schema.model.entities[conflict.reference.entityIndex].rootIndex
            let cache = cache(rootIndex: root)
            // One of another version is of a later commit of this process.
            if cache.row(conflict.reference.primaryKey, version: conflict.expectedVersion) != nil {
                cache.invalidate(conflict.reference.primaryKey)
            }
        }
    }

    /// Removes files of external values that no row refers to any more.
    func remove(_ files: [String], _ connection: SQLiteConnection) {
        guard !files.isEmpty else { return }
        // A row that comes back with a power cut must find its file.
        if !settings.commitsAreDurable, !settings.isVolatile {
            Checkpointer.checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE)
        }
        let folder = file.externalData
        // Those who read now see the rows of before, and may ask for the files.
        readers.whenIdle { folder.remove(files) }
    }

    /// The highest new key of each root entity, and the lowest one that was not claimed.
    private func highestKeys(
        _ changes: StoreChangeSet
    ) -> [Int: (lowest: Int64, highest: Int64)] {
        let rows =
            changes.reinserts.isEmpty
            ? changes.inserts
            : changes.inserts.filter { !changes.reinserts.contains($0.reference) }
        var result: [Int: (lowest: Int64, highest: Int64)] = [:]
        var lastEntity = -1, lastRoot = 0
        var range: (lowest: Int64, highest: Int64) = (.max, 0)
        var claimed = PrimaryKeyReservations.Claims()
        for row in rows {
            let key = row.primaryKey
            if row.entityIndex != lastEntity {
                // Looked up for each run of rows of one entity, for the loop goes over all of an
                // import.
                if lastEntity >= 0 { result[lastRoot] = range }
                lastEntity = row.entityIndex
                lastRoot = schema.model.entities[lastEntity].rootIndex
                range = result[lastRoot] ?? (.max, key)
                claimed = keys.claims(rootIndex: lastRoot)
            }
            // Claimed keys are below a `Z_MAX` that this process has raised: nobody else has them.
            if key < range.lowest, !claimed.contains(key) { range.lowest = key }
            range.highest = max(range.highest, key)
        }
        if lastEntity >= 0 { result[lastRoot] = range }
        return result
    }

    /// Raises `Z_MAX` to the keys that the save uses.
    ///
    /// - Throws: `PrimaryKeysTaken` if another process may have used them.
    private func raiseMaxima(
        _ ranges: [Int: (lowest: Int64, highest: Int64)],
        _ connection: SQLiteConnection
    ) throws {
        // Sorted, so that the same save runs the same statements.
        for (rootIndex, range) in ranges.sorted(by: { $0.key < $1.key }) {
            let maximum = try maximumKey(rootIndex: rootIndex, connection)
            guard
                keys.areOurs(rootIndex: rootIndex, lowest: range.lowest, maximumInFile: maximum)
            else { throw PrimaryKeysTaken(rootIndex: rootIndex) }
            guard range.highest > maximum else { continue }
            try raiseMaximumKey(rootIndex: rootIndex, to: range.highest, connection)
        }
    }

    private func updateCaches(_ changes: StoreChangeSet, _ derived: DerivedChanges) {
        var written: [Int: [Row]] = [:]
        var deleted: [Int: [Int64]] = [:]
        func add(_ rows: some Sequence<Row>) {
            for row in rows {
                written[schema.model.entities[row.entityIndex].rootIndex, default: []].append(row)
            }
        }
        let roots = Set(changes.inserts.lazy.map(\.entityIndex))
        // An import mostly inserts rows of one entity: their array is taken as it is.
        if roots.count == 1, let entity = roots.first {
            written[schema.model.entities[entity].rootIndex] = changes.inserts
        } else {
            add(changes.inserts)
        }
        add(changes.updates.lazy.map(\.row))
        for delete in changes.deletes {
            let root = schema.model.entities[delete.reference.entityIndex].rootIndex
            deleted[root, default: []].append(delete.reference.primaryKey)
        }
        for root in Set(written.keys).union(deleted.keys) {
            cache(rootIndex: root).commit(
                written: written[root] ?? [],
                deleted: deleted[root] ?? []
            )
        }
        // What a trigger changed is not in the rows of this save.
        for change in derived.rows {
            guard let rootIndex = schema.rootIndex(ofTable: change.table) else { continue }
            // After the rows were taken in, for one of them may be such a row.
            cache(rootIndex: rootIndex).invalidate(change.primaryKey)
        }
        derived.rows = []
    }
}
