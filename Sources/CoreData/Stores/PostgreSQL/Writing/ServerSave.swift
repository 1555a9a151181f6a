#if PostgreSQL
import Foundation

/// One attempt to write a save into the replica and the server.
struct ServerSave {
    let store: PostgreSQLStore
    let open: OpenPostgreSQLStore
    let metadata: StoreMetadata?
    private let save = UUID()

    init(store: PostgreSQLStore, open: OpenPostgreSQLStore, metadata: StoreMetadata?) {
        self.store = store
        self.open = open
        self.metadata = metadata
    }

    // MARK: What is written

    /// - Throws: `PostgreSQLError` if the server has refused it; what the replica finds; 134030 if
    ///   the outcome is unknown. But for the last one, nothing is written anywhere.
    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        try inReplica { isOnServer in
            try open.replica.write(changes) { writer in
                let stores = store.persistentStoreCoordinator?.persistentStores ?? []
                try send(
                    writer,
                    changes.origin,
                    isAlone: stores.count <= 1,
                    beforeCommit: beforeCommit
                ) { try $0.add(changes) }
                isOnServer = true
            }
        }
    }

    /// - Returns: What was updated.
    /// - Throws: As `write`.
    func update(_ batch: BatchUpdate) throws -> [RowReference] {
        let targets = targets(of: batch)
        var updated: [RowReference] = []
        try inReplica { isOnServer in
            _ = try open.replica.update(batch) { writer, rows in
                guard !rows.isEmpty else { return }
                do {
                    try writer.checkTargets(targets)
                } catch is LostTargets {
                    throw CocoaError.storeSave(
                        store.url,
                        "the batch update would have rows refer to an object that is deleted"
                    )
                }
                updated = rows.updatedReferences
                try send(writer, batch.origin) { try $0.add(rows, targets: targets) }
                isOnServer = true
            }
        }
        return updated
    }

    /// - Returns: What was deleted.
    /// - Throws: As `write`.
    func delete(_ plan: FetchPlan, _ origin: ChangeOrigin) throws -> [RowReference] {
        var deleted: [RowReference] = []
        try inReplica { isOnServer in
            _ = try open.replica.delete(plan, origin: origin) { writer, rows in
                guard !rows.isEmpty else { return }
                deleted = rows.deletes.map(\.reference)
                try send(writer, origin) { try $0.add(rows) }
                isOnServer = true
            }
        }
        return deleted
    }

    /// The keys of the rows that a batch has others refer to, by their trees' roots.
    private func targets(of batch: BatchUpdate) -> [Int: Set<Int64>] {
        var targets: [Int: Set<Int64>] = [:]
        for case (_, .constant(.reference(let reference))) in batch.values {
            let root = open.schema.store.model.entities[reference.entityIndex].rootIndex
            targets[root, default: []].insert(reference.primaryKey)
        }
        return targets
    }

    /// - Parameter write: Writes into the replica, and sets its parameter when the server has
    ///   committed the same.
    private func inReplica(_ write: (inout Bool) throws -> Void) throws {
        var isOnServer = false
        do {
            try write(&isOnServer)
        } catch {
            guard isOnServer else { throw error }
            // Saved, but not in the replica, whose disk may be full: it comes as others' saves do.
            open.follower.didNotApply(save)
            try store.catchUp(open)
        }
    }

    // MARK: How it gets to the server

    /// Has the server commit the save. Called with the replica's transaction open.
    ///
    /// - Parameters:
    ///   - isAlone: Whether there are no other stores, so that all is one round trip.
    ///   - beforeCommit: Writes the other stores.
    private func send(
        _ writer: StoreWriter,
        _ origin: ChangeOrigin,
        isAlone: Bool = true,
        beforeCommit: () throws -> Void = {},
        _ addRows: (inout SaveStatements) throws -> Void
    ) throws {
        var statements = SaveStatements(open.schema, writer)
        statements.add("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        if var origin = try ReplicaOrigin(in: writer.connection) {
            statements.check(origin)
            // In the replica's transaction, which is undone if the server refuses the save.
            origin.ownSave = save
            try origin.write(to: writer.connection)
        }
        try addRows(&statements)
        if let metadata {
            let plist = try MetadataCoding.encode(metadata.values, url: store.url)
            statements.add(
                "UPDATE \(open.schema.path("z_metadata")) SET plist = $1",
                .bytes(plist)
            )
        }
        statements.addHistory(writer.history?.takeNoted() ?? [], origin, save: save)
        if isAlone {
            try beforeCommit()
            try commit(statements.commands)
        } else {
            try commit(statements, writer, beforeCommit)
        }
        open.follower.didCommit(save)
    }

    /// Has other stores be written when all that can fail on the server has been done.
    private func commit(
        _ statements: SaveStatements,
        _ writer: StoreWriter,
        _ beforeCommit: () throws -> Void
    ) throws {
        try run(statements.commands + [PostgreSQLCommand("SET CONSTRAINTS ALL IMMEDIATE")])
        do {
            try beforeCommit()
        } catch {
            try run([PostgreSQLCommand("ROLLBACK")])
            throw error
        }
        do {
            var last = SaveStatements(open.schema, writer)
            last.checkIsUnderWay(save)
            try commit(last.commands)
        } catch let error as PostgreSQLError {
            // Not to be repeated: the other stores are written.
            throw error.state == PostgreSQLError.State.conflict
                ? CocoaError.serverLost(store.url, underlying: error) : error.cocoaError(store.url)
        }
    }

    private func commit(_ commands: [PostgreSQLCommand]) throws {
        do {
            try run(commands + [PostgreSQLCommand("COMMIT")])
        } catch let error as PostgreSQLError where error.isOutcomeUnknown {
            guard try isCommitted() else { throw error }
        }
    }

    private func run(_ commands: [PostgreSQLCommand]) throws {
        _ = try open.session.perform { try $0.run(commands) }
    }

    private func isCommitted() throws -> Bool {
        do {
            return try CommitOutcome(save: save, schema: open.schema).settle(open.session)
        } catch is PostgreSQLError {
            open.unsettled.withLock { $0.append(save) }
            open.follower.didGiveUp(save)
            throw CocoaError.saveOutcomeUnknown(store.url)
        }
    }
}
#endif
