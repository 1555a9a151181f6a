import CSQLite
import Foundation

/// Opens a store's file or makes a new one.
struct StoreOpening {
    let file: StoreFile
    var settings: ConnectionSettings
    private let checksVersion: Bool
    private let analyzes: Bool
    private let vacuums: Bool
    private let tracksHistory: Bool

    init(file: StoreFile, options: [AnyHashable: Any]?, isReadOnly: Bool) throws {
        let isThrowaway = file.url.isNullDevice
        if isThrowaway {
            let name = "CoreData-\(UUID().uuidString).sqlite"
            self.file = try StoreFile(
                FileManager.default.temporaryDirectory.appendingPathComponent(name)
            )
        } else {
            self.file = file
        }
        settings = ConnectionSettings(path: self.file.path)
        settings.isReadOnly = isReadOnly && !isThrowaway
        settings.isVolatile = isThrowaway
        settings.isReplica = options.isOn(StoreOptions.isReplica)
        if let seconds = options?[NSPersistentStoreTimeoutOption] as? NSNumber {
            // A `Duration` stops the process at a number beyond its range, and SQLite takes 32 bits
            // of milliseconds.
            settings.timeout = .seconds(max(0, min(seconds.doubleValue, 1_000_000)))
        }
        if let count = options?[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber {
            settings.idleLimit = max(1, count.intValue)
        }
        // A file may come from anywhere: what its schema calls must be innocuous, and cells are
        // checked when they are read (sqlite.org/security.html). A negative cache size is in KiB.
        settings.pragmas = [
            ("trusted_schema", "OFF"),
            ("cell_size_check", "ON"),
            ("cache_size", "-65536"),
            // In WAL mode NORMAL synchronizes at checkpoints only, so that a power cut would take
            // saves that have returned (sqlite.org/pragma.html).
            ("synchronous", isThrowaway ? "OFF" : "FULL"),
        ]
        let pragmas = try Self.pragmas(options, url: file.url)
        try Self.checkNames(of: pragmas, url: file.url)
        // Behind the defaults: of two pragmas of one name the last one counts.
        settings.pragmas += pragmas
        checksVersion = !options.isOn(NSIgnorePersistentStoreVersioningOption)
        analyzes = options.isOn(NSSQLiteAnalyzeOption) && !isReadOnly
        vacuums = options.isOn(NSSQLiteManualVacuumOption) && !isReadOnly
        tracksHistory = options.isOn(NSPersistentHistoryTrackingKey) && !isReadOnly
    }

    /// The client's pragmas: words and numbers only, since they become SQL text.
    private static func pragmas(
        _ options: [AnyHashable: Any]?,
        url: URL
    ) throws -> [(name: String, value: String)] {
        guard let given = options?[NSSQLitePragmasOption] as? [AnyHashable: Any] else { return [] }
        // A dictionary has no order; by name each connection is set up alike.
        let pairs = given.map { (name: "\($0)", value: "\($1)") }.sorted { $0.name < $1.name }
        for (name, value) in pairs {
            let isPlain = { (text: String) in
                !text.isEmpty
                    && text.allSatisfy {
                        $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-")
                    }
            }
            guard isPlain(name), isPlain(value) else {
                throw CocoaError.storeOpen(
                    url,
                    "the pragma \"\(name)\" of NSSQLitePragmasOption is not a word with a word or "
                        + "number as its value"
                )
            }
        }
        return pairs
    }

    /// SQLite passes over a pragma that it does not know, so a mistyped name would go unseen.
    ///
    /// https://www.sqlite.org/pragma.html#pragma_pragma_list
    private static func checkNames(
        of pragmas: [(name: String, value: String)],
        url: URL
    ) throws {
        guard !pragmas.isEmpty else { return }
        let connection = try SQLiteConnection(ConnectionSettings(path: ":memory:"))
        for (name, _) in pragmas {
            let known = try connection.statement(
                "SELECT 1 FROM pragma_pragma_list WHERE name = ? COLLATE NOCASE"
            )
            defer { known.reset() }
            known.bind(1, name)
            guard try known.step() else {
                throw CocoaError.storeOpen(
                    url,
                    "SQLite knows no pragma \"\(name)\", which NSSQLitePragmasOption has"
                )
            }
        }
    }

    // MARK: Opening

    /// Opens the file or makes a new one; the metadata is that of the file.
    func open(
        model: ModelLayout,
        entities: [EntityLayout]
    ) throws -> (OpenSQLiteStore, StoreMetadata) {
        let designed = StoreSchema(model: model, entities: entities)
        guard settings.isReadOnly else { return try openForWriting(designed) }
        let (connection, settings) = try readingConnection()
        // Without a way to write, an empty database can't be set up as `openForWriting` does.
        guard let metadata = try StoreMetadata(in: connection, url: file.url) else {
            throw CocoaError.corruptFile(
                file.url,
                "it is empty, and nothing can be set up in it read-only: open it for writing once"
            )
        }
        if checksVersion { try metadata.checkCompatible(with: designed.members, url: file.url) }
        let schema = try designed.resolved(in: connection, url: file.url)
        connection.finalizeStatements()
        let open = try OpenSQLiteStore(
            file: file,
            identifier: metadata.uuid,
            schema: schema,
            settings: settings,
            history: try HistorySchema(in: connection, url: file.url),
            writerConnection: nil
        )
        return (open, metadata)
    }

    private func openForWriting(
        _ designed: StoreSchema
    ) throws -> (OpenSQLiteStore, StoreMetadata) {
        // Asked before a connection makes or takes up the log. An empty one tells, too: a save may
        // have written files of values, and not got as far as its rows.
        let wasInterrupted = file.hasLogFile
        // First of all: opening for writing turns the journal into a log, and closing copies a log
        // into the file, while a store that is refused must keep its bytes.
        try checkBeforeWriting(designed)
        let connection = try SQLiteConnection(settings, mayCreate: true)
        var metadata = try StoreMetadata(in: connection, url: file.url)
        let isNew = metadata == nil
        if isNew {
            try prepareEmptyDatabase(connection)
            // After the page size, which can't change any more in a WAL (sqlite.org/pragma.html),
            // and before the client's own pragmas.
            try connection.execute("PRAGMA journal_mode=WAL")
            try connection.configure(settings)
            metadata = try create(designed, connection)
        } else {
            // Before the client's pragmas here, too: `journal_mode` may be among them, and is the
            // last word.
            try connection.execute("PRAGMA journal_mode=WAL")
            try connection.configure(settings)
        }
        guard let metadata else {
            throw CocoaError.corruptFile(file.url, "its table Z_METADATA has no row")
        }
        let schema = try designed.resolved(in: connection, url: file.url)
        // Before the first transaction that writes into tables which triggers may be on.
        try schema.boundForeignTriggers(on: connection)
        let history = try openHistory(schema, connection)
        // A new store may come after one of which a crash has left files.
        if vacuums || wasInterrupted || isNew {
            try ExternalDataSweep(connection, file).run()
        }
        if vacuums { try connection.execute("VACUUM") }
        if analyzes { try connection.execute("ANALYZE") }
        // A log that has grown in a burst of saves is cut back to 64 MB when it begins anew.
        try connection.execute("PRAGMA journal_size_limit=67108864")
        let open = try OpenSQLiteStore(
            file: file,
            identifier: metadata.uuid,
            schema: schema,
            settings: settings,
            history: history,
            writerConnection: connection
        )
        return (open, metadata)
    }

    /// Gives a database without tables, which need not be a new file, the layout of a store's.
    ///
    /// Both settings must be made before the first table; a file that has a page already takes
    /// them over when it is rebuilt.
    private func prepareEmptyDatabase(_ connection: SQLiteConnection) throws {
        try connection.execute("PRAGMA page_size=4096; PRAGMA auto_vacuum=2")
        guard file.exists, try connection.integer("PRAGMA auto_vacuum") != 2 else { return }
        try connection.execute("VACUUM")
    }

    /// Looks at an existing file through a connection that can't write: a file that is refused is
    /// left exactly as it was, also what stands in its write-ahead log.
    private func checkBeforeWriting(_ designed: StoreSchema) throws {
        guard file.exists else { return try file.checkMayBeMade() }
        try file.checkHeader()
        try file.checkMayBeWritten()
        // Only a connection that can write is able to end what a crash interrupted.
        guard !file.hasRollbackJournal else { return }
        var reading = self
        reading.settings.isReadOnly = true
        let (connection, _) = try reading.readingConnection(leavesNoLog: false)
        guard let metadata = try StoreMetadata(in: connection, url: file.url) else { return }
        if checksVersion { try metadata.checkCompatible(with: designed.members, url: file.url) }
        _ = try designed.resolved(in: connection, url: file.url)
        _ = try HistorySchema(in: connection, url: file.url)
    }

    /// Makes the tables of the history if they are asked for; with tables, each change is told.
    private func openHistory(
        _ schema: StoreSchema,
        _ connection: SQLiteConnection
    ) throws -> HistorySchema? {
        let present = try HistorySchema(in: connection, url: file.url)
        // Also without the option: whoever reads the history would never hear of a change that it
        // lacks.
        guard tracksHistory || present != nil else { return nil }
        try connection.transaction { try HistorySchema.complete(schema, in: connection) }
        return try HistorySchema(in: connection, url: file.url)
    }

    /// Makes the tables of the entities.
    ///
    /// - Throws: 134080 for names that a model tells apart and SQL does not, which are tables of one
    ///   name; nothing is made then.
    private func makeTables(_ schema: StoreSchema, _ connection: SQLiteConnection) throws {
        for definition in schema.definitions() {
            do {
                try connection.execute(definition)
            } catch {
                throw error.code == SQLITE_ERROR ? tablesOfOneName(error) : error
            }
        }
    }

    private func tablesOfOneName(_ error: SQLiteError) -> any Error {
        CocoaError.storeOpen(
            file.url,
            "SQLite can't make its tables (\(error.message)): names that differ in case only, or begin "
                + "with an underscore, may be one to it; rename one of the entities, or use another "
                + "kind of store",
            underlying: error.cocoaError(file.url)
        )
    }

    /// Makes the tables in one transaction, unless another process has done so meanwhile.
    private func create(
        _ schema: StoreSchema,
        _ connection: SQLiteConnection
    ) throws -> StoreMetadata {
        try connection.transaction {
            if let existing = try StoreMetadata(in: connection, url: file.url) {
                if checksVersion {
                    try existing.checkCompatible(with: schema.members, url: file.url)
                }
                return existing
            }
            try makeTables(schema, connection)
            let statement = try connection.statement(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)"
            )
            for entity in schema.members {
                statement.bind(1, Int64(schema.numbers[entity.index]))
                statement.bind(2, entity.name)
                statement.bind(3, Int64(entity.parent.map { schema.numbers[$0.index] } ?? 0))
                try statement.run()
            }
            // In the same transaction as the tables: whatever ends it, the file is a whole store or
            // an empty database, which the next opening sets up.
            let metadata = StoreMetadata(entities: schema.members)
            try metadata.write(to: connection, url: file.url)
            if let model = schema.members.first?.entity.model {
                try ModelCache.write(model, to: connection)
            }
            return metadata
        }
    }
}
