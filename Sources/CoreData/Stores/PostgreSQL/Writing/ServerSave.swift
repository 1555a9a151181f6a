#if PostgreSQL
import Foundation

/// One attempt to write a save, or a group of some, into the replica and the server.
struct ServerSave {
    /// What the feed is told of one save.
    private struct Record {
        let save: UUID
        let origin: ChangeOrigin
        var changes: [HistoryWriter.Change] = []
    }
    let store: PostgreSQLStore
    let open: OpenPostgreSQLStore
    let metadata: StoreMetadata?

    // MARK: What is written

    /// - Throws: `PostgreSQLError` if the server has refused it; what the replica finds; 134030 if
    ///   the outcome is unknown. But for the last one, nothing is written anywhere.
    func write(_ group: [StoreChangeSet], beforeCommit: () throws -> Void = {}) throws {
        let changes = StoreChangeSet(joining: group)
        try inReplica { saves in
            var ahead: RowsAhead?
            do {
                try open.replica.write(
                    changes,
                    whenInserted: changes.goesAhead
                        ? { writer, rows in
                            let rowsAhead =
                                try ahead ?? RowsAhead(changes, try begin(writer), open.session)
                            ahead = rowsAhead
                            try rowsAhead.send(rows)
                        } : nil
                ) { writer in
                    let noted = writer.history?.takeNoted() ?? []
                    saves = try send(
                        writer,
                        records(of: group, noted),
                        ahead: ahead,
                        isAlone: changes.isWholeSave,
                        changesToMany: !changes.toManyChanges.isEmpty,
                        beforeCommit: beforeCommit
                    ) { statements in
                        guard let ahead else { return try statements.add(changes) }
                        try statements.insert(changes.inserts.dropFirst(ahead.count))
                        try statements.end(changes)
                    }
                }
            } catch {
                ahead?.stream.abandon()
                throw error
            }
        }
    }

    /// New rows that go to the server while the replica writes the next ones: both take their time.
    private final class RowsAhead {
        /// Those that come next.
        var beginning: Beginning
        let stream: StatementStream
        /// How many rows were sent.
        private(set) var count = 0

        init(
            _ changes: StoreChangeSet,
            _ beginning: Beginning,
            _ session: ServerSession
        ) throws {
            self.beginning = beginning
            try self.beginning.statements.begin(changes)
            stream = StatementStream(session)
        }

        func send(_ rows: ArraySlice<Row>) throws {
            try beginning.statements.insert(rows)
            stream.add(beginning.statements.takeCommands())
            count += rows.count
        }
    }

    /// Which of the changes that were noted are of which save.
    private func records(
        of group: [StoreChangeSet],
        _ noted: [HistoryWriter.Change]
    ) -> [Record] {
        var records = group.map { Record(save: UUID(), origin: $0.origin) }
        guard records.count > 1 else {
            records[0].changes = noted
            return records
        }
        var places: [RowReference: Int] = [:]
        for (place, changes) in group.enumerated() {
            for reference in changes.references { places[reference] = place }
        }
        for change in noted { records[places[change.reference] ?? 0].changes.append(change) }
        return records
    }

    /// - Returns: What was updated.
    /// - Throws: As `write`.
    func update(_ batch: BatchUpdate) throws -> [RowReference] {
        let targets = targets(of: batch)
        var updated: [RowReference] = []
        try inReplica { saves in
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
                saves = try send(writer, [record(batch.origin, writer)]) { statements in
                    try statements.add(rows, targets: targets)
                }
            }
        }
        return updated
    }

    /// - Returns: What was deleted.
    /// - Throws: As `write`.
    func delete(_ plan: FetchPlan, _ origin: ChangeOrigin) throws -> [RowReference] {
        var deleted: [RowReference] = []
        try inReplica { saves in
            _ = try open.replica.delete(plan, origin: origin) { writer, rows in
                guard !rows.isEmpty else { return }
                deleted = rows.deletes.map(\.reference)
                saves = try send(writer, [record(origin, writer)]) { try $0.add(rows) }
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

    private func record(_ origin: ChangeOrigin, _ writer: StoreWriter) -> Record {
        Record(save: UUID(), origin: origin, changes: writer.history?.takeNoted() ?? [])
    }

    /// - Parameter write: Writes into the replica, and sets its parameter to the saves when the server
    ///   has committed the same.
    private func inReplica(_ write: (inout [UUID]) throws -> Void) throws {
        var saves: [UUID] = []
        do {
            try write(&saves)
        } catch let failure {
            guard !saves.isEmpty else { throw failure }
            // Saved, but not in the replica, whose disk may be full: it comes as others' saves do.
            open.follower.didNotApply(saves)
            do {
                try store.catchUp(open)
            } catch {
                findOutLater(about: saves)
                throw CocoaError.saveIsMissingInReplica(store.url, underlying: failure)
            }
            return
        }
        open.follower.didApply(saves)
    }

    // MARK: How it gets to the server

    /// The first statements of a transaction, and where the replica is that it is made in.
    private struct Beginning {
        var statements: SaveStatements
        let origin: ReplicaOrigin?
    }

    private func begin(_ writer: StoreWriter) throws -> Beginning {
        var statements = SaveStatements(open.schema, writer)
        statements.add("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        let origin = try ReplicaOrigin(in: writer.connection)
        if let origin { statements.check(origin) }
        return Beginning(statements: statements, origin: origin)
    }

    /// Has the server commit saves in one transaction. Called with the replica's transaction open.
    ///
    /// - Parameters:
    ///   - ahead: What was sent already.
    ///   - isAlone: Whether no other stores take part, so that all is one round trip.
    ///   - changesToMany: Whether relationships change that the rows themselves do not tell.
    ///   - beforeCommit: Writes the other stores.
    /// - Returns: The saves.
    private func send(
        _ writer: StoreWriter,
        _ records: [Record],
        ahead: RowsAhead? = nil,
        isAlone: Bool = true,
        changesToMany: Bool = false,
        beforeCommit: () throws -> Void = {},
        _ addRows: (inout SaveStatements) throws -> Void
    ) throws -> [UUID] {
        let saves = records.map(\.save)
        let beginning = try ahead?.beginning ?? begin(writer)
        var statements = beginning.statements
        if var origin = beginning.origin {
            // In the replica's transaction, which is undone if the server refuses the save.
            origin.ownSave = saves.last
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
        for record in records {
            statements.addHistory(record.changes, record.origin, save: record.save)
        }
        if isAlone {
            try beforeCommit()
            try commit(statements.commands, ahead?.stream, saves)
        } else {
            try commit(statements, saves, writer, beforeCommit)
        }
        open.follower.didCommit(
            saves,
            OvertakingChanges(records.map(\.changes), changesToMany: changesToMany)
        )
        return saves
    }

    /// Has other stores be written when all that can fail on the server has been done.
    private func commit(
        _ statements: SaveStatements,
        _ saves: [UUID],
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
            for save in saves { last.checkIsUnderWay(save) }
            try commit(last.commands, nil, saves)
        } catch let error as PostgreSQLError {
            // Not to be repeated: the other stores are written.
            throw error.state == PostgreSQLError.State.conflict
                ? CocoaError.serverLost(store.url, underlying: error) : error.cocoaError(store.url)
        }
    }

    /// - Parameter stream: What the commands follow; nil for a round trip of their own.
    private func commit(
        _ commands: [PostgreSQLCommand],
        _ stream: StatementStream?,
        _ saves: [UUID]
    ) throws {
        let commands = commands + [PostgreSQLCommand("COMMIT")]
        do {
            if let stream { try stream.end(commands) } else { try run(commands) }
        } catch let error as PostgreSQLError where error.isOutcomeUnknown {
            guard try areCommitted(saves) else { throw error }
        }
    }

    private func run(_ commands: [PostgreSQLCommand]) throws {
        _ = try open.session.perform { try $0.run(commands) }
    }

    private func areCommitted(_ saves: [UUID]) throws -> Bool {
        do {
            // What is true of one is true of all: they are one transaction.
            guard let save = saves.first else { return false }
            return try CommitOutcome(save: save, schema: open.schema).settle(open.session)
        } catch is PostgreSQLError {
            findOutLater(about: saves)
            throw CocoaError.saveOutcomeUnknown(store.url)
        }
    }

    /// Has the next save find out what became of these.
    private func findOutLater(about saves: [UUID]) {
        open.unsettled.withLock { $0 += saves }
        open.follower.didGiveUp(saves)
    }
}

extension StoreChangeSet {
    /// Whether new rows may go to the server before all are written. Not if other stores have to be
    /// written before the commit, or if relationships change that the rows get their places in
    /// afterwards.
    fileprivate var goesAhead: Bool { isWholeSave && toManyChanges.isEmpty && reinserts.isEmpty }
}
#endif
