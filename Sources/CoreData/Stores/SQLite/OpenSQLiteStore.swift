import CSQLite
import Foundation

/// What an SQLite store has between opening and closing.
///
/// > Threading: Any thread. Readers have connections of their own; one writer at a time.
final class OpenSQLiteStore: @unchecked Sendable {
    // @unchecked: all is immutable or behind its own lock.

    let file: StoreFile
    /// The store's UUID.
    let identifier: String
    let schema: StoreSchema
    let settings: ConnectionSettings
    /// Whether commits go to a write-ahead log, as they do unless a client's pragma says otherwise.
    private let hasLog: Bool
    /// Nil for a store that keeps none.
    let history: HistorySchema?
    let readers: ConnectionPool
    let lookups: LookupReader
    private let writer: WriterLock<WriterPlace>
    private enum WriterPlace {
        /// A read-only store, or a closed one.
        case none
        case ready(StoreWriter)
        /// The connection could not end a transaction and is closed; the next caller gets another,
        /// of this number.
        case lost(next: Int)
    }
    let checkpointer: Checkpointer
    let keys = PrimaryKeyReservations()
    /// By layout index; the ones of root entities are used.
    private let caches: [RowCache]
    /// By layout index; nil for entities that the store does not have.
    private let familyPlans: [RowPlan?]
    private let lonePlans: [RowPlan?]
    let relatedReadings: [DeclaredSlot: RelatedReading]

    init(
        file: StoreFile,
        identifier: String,
        schema: StoreSchema,
        settings: ConnectionSettings,
        history: HistorySchema?,
        writerConnection: SQLiteConnection?
    ) throws {
        self.file = file
        self.identifier = identifier
        self.schema = schema
        self.settings = settings
        self.history = history
        hasLog = try writerConnection?.usesLog ?? false
        readers = ConnectionPool(settings, url: file.url)
        lookups = LookupReader(readers)
        checkpointer = Checkpointer(settings)
        // For each tree and not for each entity: all entities of a tree share a table, in which
        // primary keys are unique.
        caches = schema.model.entities.map { _ in RowCache() }
        familyPlans = schema.model.entities.map { layout in
            guard schema.numbers[layout.index] > 0 else { return nil }
            return RowPlan(layout, includesSubentities: true, schema: schema, file: file)
        }
        lonePlans = schema.model.entities.map { layout in
            // Without sub-entities the plan of the family reads the same rows;
            // `plan(_:includesSubentities:)` takes that one.
            guard schema.numbers[layout.index] > 0, layout.hasSubentities else { return nil }
            return RowPlan(layout, includesSubentities: false, schema: schema, file: file)
        }
        relatedReadings = Self.makeRelatedReadings(schema, plans: familyPlans)
        let place = try writerConnection.map {
            WriterPlace.ready(
                try StoreWriter(
                    $0,
                    schema: schema,
                    file: file,
                    history: history,
                    isReplica: settings.isReplica,
                    number: 0
                )
            )
        }
        writer = WriterLock(place ?? .none)
    }

    /// Runs `body` with the one connection that writes.
    ///
    /// > Threading: Waits for whoever is writing. Not recursive.
    ///
    /// - Throws: 134070 for a store that is closed or read-only; what SQLite reports.
    func withWriter<Result>(_ body: (StoreWriter) throws -> Result) throws -> Result {
        try writer.withLock { place in
            let current: StoreWriter
            switch place {
            case .none: throw CocoaError.storeIsClosed(file.url)
            case .ready(let writer): current = writer
            case .lost(let number):
                let connection = try SQLiteConnection(settings)
                try connection.configure(settings)
                // The limit went with the connection that was closed. Without it, triggers of
                // others' making that do not end would hold the writer's lock for ever.
                try schema.boundForeignTriggers(on: connection)
                current = try StoreWriter(
                    connection,
                    schema: schema,
                    file: file,
                    history: history,
                    isReplica: settings.isReplica,
                    number: number
                )
                // Last: after an error above the place is still lost, and the next caller tries
                // again.
                place = .ready(current)
            }
            current.givesWay = !writer.isUsedByMain
            // At each use: a file may be replaced while the store is open, and what is written to
            // the old one is seen by nobody.
            try checkPlace(current.connection)
            // Also where `body` throws: a transaction that can't be ended would keep its lock.
            defer {
                if current.connection.mustBeClosed {
                    // SQLite keeps a closed connection, and its locks, until the last statement is
                    // finalized (sqlite.org/c3ref/close.html), and the writer has statements that
                    // its connection does not know.
                    current.finalizeStatements()
                    place = .lost(next: current.number + 1)
                }
            }
            return try body(current)
        }
    }

    /// - Throws: 134030 if the file is not where the store is any more: what is written to it would
    ///   be lost.
    func checkPlace(_ connection: SQLiteConnection) throws {
        guard !settings.isVolatile, connection.hasMoved else { return }
        throw replacedError
    }

    /// Looks inside a transaction whether the file still holds the store that was opened.
    ///
    /// - Throws: 134030 if it holds another one, or none.
    func checkContent(_ connection: SQLiteConnection) throws {
        // Within a transaction there is one. Commits to a log that has lost its name are seen by
        // nobody else, and lost with the process.
        guard !hasLog || access(file.path + "-wal", F_OK) == 0 else { throw replacedError }
        do {
            // The UUID tells what `checkPlace` can't see: replacing or destroying a store exchanges
            // the content of a file that stays where it is.
            let statement = try connection.statement(
                "SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1"
            )
            defer { statement.reset() }
            guard try statement.step(), statement.text(0) == identifier else {
                throw replacedError
            }
        } catch let error as SQLiteError where error.code == SQLITE_ERROR {
            throw replacedError  // The table was dropped.
        }
    }

    private var replacedError: CocoaError {
        .storeSave(
            file.url,
            "the file or its log has been removed, moved or replaced since the store was added; "
                + "remove the store from its coordinator, add it again and repeat the changes"
        )
    }

    /// The row cache of an inheritance tree.
    func cache(rootIndex: Int) -> RowCache { caches[rootIndex] }

    /// How to read an entity's rows.
    func plan(_ layout: EntityLayout, includesSubentities: Bool = true) throws -> RowPlan {
        let plan =
            includesSubentities || !layout.hasSubentities
            ? familyPlans[layout.index] : lonePlans[layout.index]
        guard let plan else {
            throw CocoaError.storeOperation(
                file.url,
                "the entity \(layout.name) is not in the store's configuration; add a store whose "
                    + "configuration has it"
            )
        }
        return plan
    }

    /// Ends everything: waits for work under way, empties the WAL and closes the connections.
    func close(metadata: StoreMetadata?) {
        // Readers first: the checkpoint below can empty the log only when nobody reads from it. The
        // one that looks up rows has a connection of the pool's, which waits for it.
        lookups.close()
        readers.close()
        // The one under way is waited for, since SQLite allows one at a time.
        checkpointer.close()
        let last: StoreWriter? = writer.withLock { place in
            defer { place = .none }
            // Without a writer the log stays as it is. Commits in it are safe: whoever opens the
            // file next reads them.
            guard case .ready(let writer) = place else { return nil }
            return writer
        }
        guard let connection = last?.connection else { return }
        if let metadata {
            do {
                try connection.transaction { try metadata.write(to: connection, url: file.url) }
            } catch {
                // Closing cannot fail; what a client sets and never saves may be lost.
            }
        }
        last?.finalizeStatements()
        // Leaves an empty log, so that the database's file alone is the store.
        if !settings.isVolatile { Checkpointer.checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) }
    }
}
