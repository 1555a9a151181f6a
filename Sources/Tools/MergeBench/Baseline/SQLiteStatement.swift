import CSQLite

/// A compiled statement of a database.
///
/// > Threading: That of its database.
package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase
    /// The result of the first value that was not bound, which stops the statement from running.
    private var bindingResult = SQLITE_OK

    init(handle: OpaquePointer, database: SQLiteDatabase) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    @inline(__always) private func note(_ result: Int32) {
        if result != SQLITE_OK, bindingResult == SQLITE_OK { bindingResult = result }
    }

    /// Binds an integer; indexes begin at 1.
    @inline(__always) package func bind(_ index: Int32, _ value: Int64) {
        note(sqlite3_bind_int64(handle, index, value))
    }

    /// Binds a real number.
    @inline(__always) package func bind(_ index: Int32, _ value: Double) {
        note(sqlite3_bind_double(handle, index, value))
    }

    /// Binds a text; NULL for nil.
    @inline(__always) package func bind(_ index: Int32, _ value: String?) {
        guard var value else {
            note(sqlite3_bind_null(handle, index))
            return
        }
        // SQLITE_TRANSIENT: SQLite copies the bytes.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                note(sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), transient))
            }
        }
    }

    /// Goes on to the next row.
    ///
    /// - Returns: Whether there is one.
    /// - Throws: ``SQLiteFailure``.
    @inline(__always) package func step() throws -> Bool {
        // A value that SQLite has refused would be stored as NULL.
        let code = bindingResult == SQLITE_OK ? sqlite3_step(handle) : bindingResult
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            throw database.failure(String(cString: sqlite3_sql(handle)))
        }
        return false
    }

    /// Runs a statement without rows, and makes it ready for the next values.
    ///
    /// - Throws: ``SQLiteFailure``.
    @inline(__always) package func run() throws {
        // After an error, too: SQLite runs a statement again only once it has been reset.
        defer { reset() }
        _ = try step()
    }

    /// Makes the statement ready to run again.
    @inline(__always) package func reset() {
        sqlite3_reset(handle)
        bindingResult = SQLITE_OK
    }

    /// An integer of the row; columns begin at 0.
    @inline(__always) package func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    /// A real number of the row.
    @inline(__always) package func real(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }

    /// A text of the row; empty for NULL.
    @inline(__always) package func text(_ column: Int32) -> String {
        let count = Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let bytes = sqlite3_column_text(handle, column) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
