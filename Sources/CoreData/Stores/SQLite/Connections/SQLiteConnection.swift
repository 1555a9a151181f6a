import CSQLite
import Foundation

/// How the connections of one store are opened.
struct ConnectionSettings: Sendable {
    var path: String
    var isReadOnly = false
    /// For read-only media, where SQLite can make no `-shm` file: the file is promised not to
    /// change.
    var isImmutable = false
    /// For read-only folders that hold a log without its index: no one else uses the file, so that
    /// the index can be made in memory, by each connection for itself.
    var isUnshared = false
    /// Whether an empty log beside the file is what reading has made, and goes with the reader.
    var removesEmptyLog = false
    /// How many connections with these settings are kept open for later.
    var idleLimit = 4
    /// How long to wait for a lock of another process.
    var timeout: Duration = .seconds(30)
    /// Pragmas of each connection, in order, the client's last.
    var pragmas: [(name: String, value: String)] = []
    /// Whether a lost power supply may take the file with it: throwaway stores.
    var isVolatile = false
    /// Whether the file is a copy of what a server has, which tells the history of its changes.
    var isReplica = false

    /// Whether a commit is on the disk when it returns. Not so with `synchronous` below `FULL`.
    var commitsAreDurable: Bool {
        let last = pragmas.last { $0.name.lowercased() == "synchronous" }
        return ["FULL", "EXTRA", "2", "3"].contains(last?.value.uppercased() ?? "FULL")
    }
}

/// One connection to a database, with its prepared statements.
///
/// > Threading: One user at a time: whoever has checked it out. `interrupt()` from any thread.
final class SQLiteConnection: @unchecked Sendable {
    // @unchecked: handed from thread to thread by a lock's owner, never used by two.

    private static let maximumStatements = 200

    let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    /// Told of changes by triggers: table and primary key; see `DerivedValueFunctions`.
    let derivedChanges = DerivedChanges()
    /// For statements that look up one key after the other.
    let nextKey: NextKey
    /// The pages of the WAL after this connection's last commit.
    fileprivate(set) var walPageCount = 0
    private let file: OpenDatabases.File?
    /// Set for a reader that takes an empty log away with it.
    private let emptyLogSettings: ConnectionSettings?

    /// Opens a database, without touching its file yet.
    init(_ settings: ConnectionSettings, mayCreate: Bool = false) throws(SQLiteError) {
        // No mutex, since a connection has one user at a time. Extended codes, since primary ones
        // do not tell a key in use from other constraints.
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        if settings.isReadOnly {
            flags |= SQLITE_OPEN_READONLY
        } else {
            flags |= SQLITE_OPEN_READWRITE | (mayCreate ? SQLITE_OPEN_CREATE : 0)
        }
        var name = settings.path
        // There is no flag for it, only a parameter of a URI, in which `?`, `#` and `%` of the path
        // have to be escaped.
        if settings.isImmutable {
            flags |= SQLITE_OPEN_URI
            let path = settings.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
            name = "file:\(path ?? settings.path)?immutable=1"
        }
        var handle: OpaquePointer?
        var code = SQLITE_OK
        file = OpenDatabases.enter(settings.path) {
            // `unix-none` does no locking at all, which is right for a file that nobody shares.
            code = sqlite3_open_v2(name, &handle, flags, settings.isUnshared ? "unix-none" : nil)
        }
        emptyLogSettings = settings.removesEmptyLog ? settings : nil
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(handle, code: code)
            // A failed open may give a handle too, which has to be closed
            // (sqlite.org/c3ref/open.html).
            sqlite3_close_v2(handle)
            OpenDatabases.leave(file)
            throw error
        }
        do {
            nextKey = try NextKey(on: handle)
        } catch {
            sqlite3_close_v2(handle)
            OpenDatabases.leave(file)
            throw error
        }
        self.handle = handle
        // From here on, an error lets `deinit` close the connection.
        let milliseconds = settings.timeout / .milliseconds(1)
        sqlite3_busy_timeout(handle, Int32(max(0, min(milliseconds, Double(Int32.max)))))
        try registerDerivedValueFunctions()
        let registered = SQLiteFunctions.register(on: handle)
        if registered != SQLITE_OK { throw SQLiteError(handle, code: registered) }
        // The hook also takes the place of SQLite's automatic checkpoint
        // (sqlite.org/c3ref/wal_hook.html), which would run inside of a save; `Checkpointer` does
        // it instead.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
                    .walPageCount = Int(pages)
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    deinit {
        statements = [:]
        // The last statements are finalized above; v2 outlives any that is still being let go.
        sqlite3_close_v2(handle)
        // After the close: as long as SQLite has locks, nobody else may open and close the file.
        OpenDatabases.leave(file)
        if let emptyLogSettings { Self.removeEmptyLog(emptyLogSettings) }
    }

    /// Removes the log and its index that a reader has made, unless there is something in it, or
    /// someone uses it: SQLite does so itself where the last connection to close may write.
    private static func removeEmptyLog(_ settings: ConnectionSettings) {
        var info = stat()
        guard stat(settings.path + "-wal", &info) == 0, info.st_size == 0 else { return }
        var settings = settings
        settings.isReadOnly = false
        // The connection that cleans up must not start another one to clean up behind itself.
        settings.removesEmptyLog = false
        do {
            _ = try SQLiteConnection(settings).integer("SELECT COUNT(*) FROM sqlite_master")
        } catch {
            // An empty log does no harm.
        }
    }

    /// Runs the pragmas of a connection that is used for rows.
    func configure(_ settings: ConnectionSettings) throws(SQLiteError) {
        // First of all, before the file is looked at: set by then, SQLite keeps the log's index in
        // memory ("Use of WAL Without Shared-Memory", sqlite.org/wal.html).
        if settings.isUnshared { try execute("PRAGMA locking_mode=EXCLUSIVE") }
        for pragma in settings.pragmas {
            // It is the file's: a connection that can't write fails where it has another one.
            if settings.isReadOnly, pragma.name.lowercased() == "journal_mode" { continue }
            try execute("PRAGMA \(pragma.name)=\(pragma.value)")
        }
    }

    /// The prepared statement for `sql`, ready to bind.
    func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[sql] {
            // A statement that is being stepped can't be bound again: a recursive use gets its own,
            // which is not kept.
            if !statement.isBusy { return statement }
            return try SQLiteStatement(handle, sql, isPersistent: false)
        }
        // All at once, which needs no record of use; a statement that runs is kept alive by its
        // user.
        if statements.count >= Self.maximumStatements { statements = [:] }
        let statement = try SQLiteStatement(handle, sql)
        statements[sql] = statement
        return statement
    }

    /// Runs statements that give no rows.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw SQLiteError(handle, code: code) }
    }

    /// The first column of the first row, as an integer; nil if there is no row or it is NULL.
    func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// Whether a table of that name exists. Views and virtual tables are none: what reading them
    /// runs is up to whoever made the file, and need not end.
    func hasTable(_ name: String) throws(SQLiteError) -> Bool {
        // Views and virtual tables have no root page (sqlite.org/schematab.html).
        let statement = try statement(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 "
                + "AND name = ? COLLATE NOCASE"
        )
        defer { statement.reset() }
        statement.bind(1, name)
        return try statement.step()
    }

    /// The names of the tables that match a pattern of `GLOB`.
    func tableNames(matching pattern: String) throws(SQLiteError) -> [String] {
        let statement = try statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name GLOB ?"
        )
        defer { statement.reset() }
        statement.bind(1, pattern)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }

    /// The names of a table's columns, generated ones left out; empty if there is no such table.
    func columnNames(of table: String) throws(SQLiteError) -> [String] {
        guard try hasTable(table) else { return [] }
        let statement = try statement("SELECT name FROM pragma_table_info(?)")
        defer { statement.reset() }
        statement.bind(1, table)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }

    /// The rows that the last statement changed, triggers left out.
    @inline(__always) var changeCount: Int { Int(sqlite3_changes(handle)) }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether commits go to a write-ahead log.
    var usesLog: Bool {
        get throws(SQLiteError) {
            let statement = try statement("PRAGMA journal_mode")
            defer { statement.reset() }
            return try statement.step() && statement.text(0) == "wal"
        }
    }

    /// Whether the file that the connection has open has another place by now, or none: it was
    /// moved, removed or replaced.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        // A layer below SQLite that can't tell is taken for one that does not move files.
        return code == SQLITE_OK && moved != 0
    }

    private var stepLimit: StepLimit?
    /// Whether the last transaction failed in its commit, of which enough may be in the log to count
    /// after a crash.
    private(set) var isOutcomeUnknown = false

    /// Whether a setting could not be taken back.
    var isMisconfigured = false

    /// Whether the connection is of no use between transactions: it could not end one. Whoever
    /// keeps connections lets go of this one: closing it rolls back, and gives up its locks.
    var mustBeClosed: Bool { isInTransaction || isMisconfigured }

    /// Runs `body` in a transaction that takes the write lock at once.
    ///
    /// An error of `body` rolls everything back; so does one of the commit.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        stepLimit?.begin()
        isOutcomeUnknown = false
        // A deferred transaction that reads before it writes can fail with SQLITE_BUSY at once,
        // whatever the timeout, if somebody else has written in between
        // (sqlite.org/lang_transaction.html).
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            do {
                try execute("COMMIT")
            } catch {
                // A busy commit has written nothing. After any other error a part may be in the
                // log.
                isOutcomeUnknown = error.code != SQLITE_BUSY
                throw error
            }
            return result
        } catch {
            rollBack()
            throw stepLimit?.failure ?? error
        }
    }

    /// Bounds what each transaction runs from now on.
    func limitSteps(to count: Int) { stepLimit = StepLimit(self, count: count) }

    /// Ends a transaction without effect. SQLite has done so itself after some errors.
    ///
    /// Where memory is short even this fails, and `mustBeClosed` is true.
    func rollBack() {
        guard isInTransaction else { return }
        for statement in statements.values { statement.reset() }
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Ends what the connection is running with `SQLITE_INTERRUPT`.
    func interrupt() { sqlite3_interrupt(handle) }

    /// Finalizes the statements; the connection itself closes when it is released.
    func finalizeStatements() { statements = [:] }
}
