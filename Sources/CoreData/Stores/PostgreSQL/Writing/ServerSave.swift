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

    /// - Throws: `PostgreSQLError` if the server has refused it; what the replica finds; 134030 if
    ///   the outcome is unknown. But for the last one, nothing is written anywhere.
    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        var isOnServer = false
        do {
            try open.replica.write(changes) { writer in
                try send(changes, writer, beforeCommit)
                isOnServer = true
                open.follower.didCommit(save)
            }
        } catch {
            guard isOnServer else { throw error }
            // Saved, but not in the replica, whose disk may be full: it comes as others' saves do.
            open.follower.didNotApply(save)
            try store.catchUp(open)
        }
    }

    /// Has the server commit the save. Called with the replica's transaction open.
    private func send(
        _ changes: StoreChangeSet,
        _ writer: StoreWriter,
        _ beforeCommit: () throws -> Void
    ) throws {
        var statements = SaveStatements(open.schema, writer)
        statements.add("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        try statements.add(changes)
        if let metadata {
            let plist = try MetadataCoding.encode(metadata.values, url: store.url)
            statements.add(
                "UPDATE \(open.schema.path("z_metadata")) SET plist = $1",
                .bytes(plist)
            )
        }
        statements.addHistory(writer.history?.takeNoted() ?? [], changes.origin, save: save)
        // Other stores of the save are written when all that can fail here has been done; without
        // any, all is one round trip.
        if (store.persistentStoreCoordinator?.persistentStores.count ?? 1) <= 1 {
            try beforeCommit()
            return try commit(statements.commands)
        }
        statements.add("SET CONSTRAINTS ALL IMMEDIATE")
        try run(statements.commands)
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
            throw CocoaError.saveOutcomeUnknown(store.url)
        }
    }
}
#endif
