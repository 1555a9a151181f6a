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
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(url.path, &opened, flags, nil) == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw SQLiteFailure("\(url.path) can't be opened as an SQLite file.")
        }
        handle = opened
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

    /// Compiles a statement.
    ///
    /// - Throws: ``SQLiteFailure``.
    package func prepare(_ sql: String) throws -> SQLiteStatement {
        var made: OpaquePointer?
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
