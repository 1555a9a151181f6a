import CSQLite
import Foundation

/// SQLite as thin as it gets from Swift: what every layer is measured against.
///
/// > Threading: One thread at a time.
package final class SQLiteDatabase {
    let handle: OpaquePointer

    /// Opens a file, or makes it, with the pragmas that the runtime's stores use.
    ///
    /// - Throws: ``SQLiteFailure``.
    package init(_ url: URL) throws {
        var opened: OpaquePointer?
        // No mutex of its own: one thread at a time uses a connection, and the lock would only
        // cost.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(url.path, &opened, flags, nil) == SQLITE_OK, let opened else {
            // SQLite hands out a connection even where it can't open the file, and it has to be
            // closed.
            sqlite3_close_v2(opened)
            throw SQLiteFailure("\(url.path) can't be opened as an SQLite file.")
        }
        handle = opened
        // Page size and vacuum first: they have an effect only as long as the file is empty, and
        // setting the journal mode writes its first page.
        for pragma in [
            "page_size=4096", "auto_vacuum=2", "journal_mode=WAL", "synchronous=FULL",
            "cache_size=-65536",
        ] {
            try execute("PRAGMA " + pragma)
        }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements without results.
    ///
    /// - Throws: ``SQLiteFailure``.
    package func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw failure(sql)
        }
    }

    /// Has commits leave the write-ahead log as it is instead of copying it into the file from
    /// 1,000 pages on (sqlite.org/pragma.html#pragma_wal_autocheckpoint).
    func leaveCheckpoints() throws { try execute("PRAGMA wal_autocheckpoint=0") }

    /// Compiles a statement.
    ///
    /// - Throws: ``SQLiteFailure``.
    package func prepare(_ sql: String) throws -> SQLiteStatement {
        var made: OpaquePointer?
        // Statements run many times, so they should not take what SQLite keeps for short-lived
        // ones.
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &made, nil) == SQLITE_OK, let made else {
            throw failure(sql)
        }
        return SQLiteStatement(handle: made, database: self)
    }

    /// Runs a transaction; a failure undoes it.
    ///
    /// - Throws: What `work` throws, or ``SQLiteFailure``.
    package func transaction(_ work: () throws -> Void) throws {
        // The lock for writing from the beginning, as the runtime's stores take it.
        try execute("BEGIN IMMEDIATE")
        do {
            try work()
            try execute("COMMIT")
        } catch {
            // If this fails too, the next transaction can't begin, and says so.
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    func failure(_ sql: String) -> SQLiteFailure {
        SQLiteFailure("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
}

/// What SQLite refused, in its own words.
package struct SQLiteFailure: LocalizedError {
    /// The statement or file, and SQLite's message.
    package let errorDescription: String?

    init(_ message: String) { errorDescription = message }
}
