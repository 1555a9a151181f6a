import CSQLite
import Foundation

/// A prepared statement.
///
/// > Threading: Confined to its connection's user.
final class SQLiteStatement {
    let handle: OpaquePointer
    private let database: OpaquePointer

    /// - Parameter isPersistent: Whether the statement is kept, which SQLite plans its memory by.
    init(_ database: OpaquePointer, _ sql: String, isPersistent: Bool = true) throws(SQLiteError) {
        var handle: OpaquePointer?
        var sql = sql
        let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sql.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(database, $0.baseAddress, Int32($0.count), flags, &handle, nil)
            }
        }
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError(database, code: code == SQLITE_OK ? SQLITE_MISUSE : code)
        }
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    // MARK: Running

    /// Goes to the next row; false at the end.
    @inline(__always) func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw error(code)
    }

    /// Runs a statement that gives no rows, and makes it ready for the next run.
    @inline(__always) func run() throws(SQLiteError) {
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        if code != SQLITE_DONE && code != SQLITE_ROW { throw error(code) }
    }

    @inline(__always) func reset() { sqlite3_reset(handle) }

    /// Lets go of what is bound, so that memory bound in place is not referred to any more.
    func clear() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    @inline(never) private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(database, code: code)
    }

    // MARK: Binding

    @inline(__always) func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }
    @inline(__always) func bind(_ index: Int32, _ value: Double) {
        sqlite3_bind_double(handle, index, value)
    }
    @inline(__always) func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    /// Binds text; SQLite makes a copy.
    func bind(_ index: Int32, _ text: String) {
        var text = text
        _ = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                // An empty string has no address, and no address would bind NULL.
                if let start = $0.baseAddress {
                    sqlite3_bind_text(handle, index, start, Int32($0.count), Self.copying)
                } else {
                    sqlite3_bind_text(handle, index, "", 0, Self.copying)
                }
            }
        }
    }

    /// Binds bytes; SQLite makes a copy.
    func bind(_ index: Int32, _ data: Data) {
        _ = data.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress, bytes.count > 0 {
                sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.copying)
            } else {
                sqlite3_bind_zeroblob(handle, index, 0)
            }
        }
    }

    /// Binds text without a copy: the memory must stay until the statement has run.
    @inline(__always) func bindText(inPlace bytes: UnsafeRawBufferPointer, _ index: Int32) {
        sqlite3_bind_text(
            handle,
            index,
            bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(truncatingIfNeeded: bytes.count),
            nil
        )
    }

    /// Binds bytes without a copy: the memory must stay until the statement has run.
    @inline(__always) func bindBytes(inPlace bytes: UnsafeRawBufferPointer, _ index: Int32) {
        sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }

    /// SQLite's `SQLITE_TRANSIENT`, a macro that Swift does not import.
    private static var copying: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // MARK: Reading

    @inline(__always) func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
    @inline(__always) func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }
    @inline(__always) func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }
    @inline(__always) func real(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }
    /// Empty for NULL.
    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
    /// Empty for NULL.
    func bytes(_ column: Int32) -> Data {
        guard let start = sqlite3_column_blob(handle, column) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
    var columnCount: Int32 { sqlite3_column_count(handle) }
}
