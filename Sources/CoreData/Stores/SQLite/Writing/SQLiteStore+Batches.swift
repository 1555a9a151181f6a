import CSQLite
import Foundation

extension SQLiteStore: BatchStore {
    var batches: (any BatchStore)? { self }

    func update(_ batch: BatchUpdate) throws -> [RowReference] {
        try update(batch) { _, _ in }
    }

    /// The same, with who writes: the transaction holds the whole batch when `body` is called.
    func update(
        _ batch: BatchUpdate,
        inTransaction body: (StoreWriter, BatchChanges) throws -> Void
    ) throws -> [RowReference] {
        guard !batch.values.isEmpty, batch.plan.primaryKeys?.isEmpty != true else { return [] }
        let open = try openedForBatch()
        let statement = try BatchStatement(updating: batch, open, store: self)
        let rowPlan = try open.plan(
            batch.plan.layout,
            includesSubentities: batch.plan.includesSubentities
        )
        let properties = Set(batch.values.map(\.slot.name))
        var changed = SlotSet()
        for (slot, _) in batch.values { changed.insert(slot.index) }
        do {
            return try open.runBatch(batch.origin, body) { writer, rows in
                let updated = try statement.run(writer, rowPlan)
                rows.update(updated, changed)
                for row in updated { writer.history?.updated(row.reference, properties) }
                return updated.map(\.reference)
            }
        } catch let error as SQLiteError where error.code == SQLITE_CONSTRAINT {
            // One statement changes all rows, so that SQLite can't tell which of them are in each
            // other's way.
            throw CocoaError.constraintConflicts(
                [],
                entity: batch.plan.layout.name,
                keys: batch.values.map(\.slot.name).sorted()
            )
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }

    func delete(_ plan: FetchPlan, origin: ChangeOrigin) throws -> [RowReference] {
        try delete(plan, origin: origin) { _, _ in }
    }

    /// The same, with who writes: the transaction holds the whole batch when `body` is called.
    func delete(
        _ plan: FetchPlan,
        origin: ChangeOrigin,
        inTransaction body: (StoreWriter, BatchChanges) throws -> Void
    ) throws -> [RowReference] {
        guard plan.primaryKeys?.isEmpty != true else { return [] }
        let open = try openedForBatch()
        let statement = try BatchStatement(deleting: plan, open, store: self)
        let rowPlan = try open.plan(plan.layout, includesSubentities: plan.includesSubentities)
        return try translatingErrors {
            try open.runBatch(origin, body) { writer, rows in
                // Before the rows are deleted: the history keeps some of their values.
                try writer.history?.willDelete(plan.layout, statement.condition)
                rows.delete(try statement.run(writer, rowPlan))
                let deleted = rows.deletes.map(\.reference)
                // Also if the transaction fails: later saves only look once more than they must.
                writer.hasDeleted = true
                for reference in deleted { writer.history?.deleted(reference) }
                // In the same transaction: no reader sees a key that leads to no row.
                try writer.nullifyReferences(to: deleted, of: plan.layout, &rows)
                return deleted
            }
        }
    }

    private func openedForBatch() throws -> OpenSQLiteStore {
        let open = try opened()
        // A store that was opened for writing may be declared read-only later.
        guard !open.settings.isReadOnly, !isReadOnly else {
            throw CocoaError.storeIsReadOnly(url, store: self)
        }
        return open
    }
}

extension OpenSQLiteStore {
    /// Runs a batch request, and then what belongs into its transaction.
    fileprivate func runBatch(
        _ origin: ChangeOrigin,
        _ beforeCommit: (StoreWriter, BatchChanges) throws -> Void,
        _ body: (StoreWriter, inout BatchChanges) throws -> [RowReference]
    ) throws -> [RowReference] {
        var rows = BatchChanges()
        return try runBatch(origin, beforeCommit: { try beforeCommit($0, rows) }) {
            writer,
            changes in
            let references = try body(writer, &rows)
            changes.updated += rows.updatedReferences
            changes.deleted += rows.deletes.map(\.reference)
            return references
        }
    }

    /// Runs a batch in one transaction, and brings the row caches up to date.
    ///
    /// - Parameter beforeCommit: Runs inside the transaction, when all else has been done.
    func runBatch<Result>(
        _ origin: ChangeOrigin,
        beforeCommit: (StoreWriter) throws -> Void = { _ in },
        _ body: (StoreWriter, inout ChangeSet<RowReference>) throws -> Result
    ) throws -> Result {
        let (result, pages) = try withWriter { writer in
            let connection = writer.connection
            var changes = ChangeSet<RowReference>()
            // What a transaction that failed has noted is still there.
            connection.derivedChanges.rows = []
            let (result, files) = try writer.transaction(
                origin,
                beforeCommit: { try beforeCommit(writer) }
            ) {
                // Inside of the transaction, when nobody can exchange the file's content any more.
                try checkContent(connection)
                return try body(writer, &changes)
            }
            remove(files, connection)
            for change in connection.derivedChanges.rows {
                guard let root = schema.rootIndex(ofTable: change.table) else { continue }
                // The root stands for the entity, which the trigger's table does not tell: the
                // cache is the root's.
                changes.updated.append(
                    RowReference(entityIndex: root, primaryKey: change.primaryKey)
                )
            }
            connection.derivedChanges.rows = []
            // Still under the writer's lock: caches hear of commits in the order of the commits.
            let updated = keysByRoot(changes.updated), deleted = keysByRoot(changes.deleted)
            for root in Set(updated.keys).union(deleted.keys) {
                cache(rootIndex: root).commit(
                    changed: updated[root] ?? [],
                    deleted: deleted[root] ?? []
                )
            }
            checkpointer.relieve(connection)
            return (result, connection.walPageCount)
        }
        checkpointer.didCommit(pageCount: pages)
        return result
    }

    /// The keys of rows by the roots of their inheritance trees, as row caches have them.
    func keysByRoot(_ references: [RowReference]) -> [Int: [Int64]] {
        var result: [Int: [Int64]] = [:]
        for reference in references {
            let root = schema.model.entities[reference.entityIndex].rootIndex
            result[root, default: []].append(reference.primaryKey)
        }
        return result
    }
}
