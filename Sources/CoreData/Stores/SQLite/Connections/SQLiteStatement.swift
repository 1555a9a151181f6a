import CSQLite
import Foundation

/// A prepared statement.
///
/// > Threading: Confined to its connection's user.
final class SQLiteStatement {
    let handle: OpaquePointer
    private let database: OpaquePointer
    /// What the first value that SQLite did not take was refused with. Running the statement
    /// throws it: the parameter would be NULL. `SQLITE_OK` in a statement that may run.
    private var bindingFailure = SQLITE_OK

    /// - Parameter isPersistent: Whether the statement is kept, which SQLite plans its memory by.
    init(_ database: OpaquePointer, _ sql: String, isPersistent: Bool = true) throws(SQLiteError) {
        var handle: OpaquePointer?
        var sql = sql
        let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sql.withUTF8 { bytes in
            guard let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
            return bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(database, $0.baseAddress, count, flags, &handle, nil)
            }
        }
        guard code == SQLITE_OK, let handle else {
            // SQL without a statement, such as a comment alone, gives no handle and no error.
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
        if bindingFailure != SQLITE_OK { throw refusedBinding() }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw error(code)
    }

    /// Runs a statement that gives no rows, and makes it ready for the next run.
    @inline(__always) func run() throws(SQLiteError) {
        if bindingFailure != SQLITE_OK { throw refusedBinding() }
        let code = sqlite3_step(handle)
        // A reset returns once more what the step has returned.
        sqlite3_reset(handle)
        if code != SQLITE_DONE && code != SQLITE_ROW { throw error(code) }
    }

    /// Ends the run; the values stay bound.
    @inline(__always) func reset() {
        sqlite3_reset(handle)
        bindingFailure = SQLITE_OK
    }

    /// Lets go of what is bound, so that memory bound in place is not referred to any more.
    func clear() {
        reset()
        sqlite3_clear_bindings(handle)
    }

    /// The error of a value that was not bound; the statement may be bound anew after it.
    @inline(never) private func refusedBinding() -> SQLiteError {
        let code = bindingFailure
        reset()
        return SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
    }

    /// The error of a step. The statement is ready for the next run after it, as after any other: one
    /// that has failed refuses values, and connections keep statements.
    @inline(never) private func error(_ code: Int32) -> SQLiteError {
        let error = SQLiteError(database, code: code)
        sqlite3_reset(handle)
        return error
    }

    // MARK: Binding
    //
    // A value that SQLite refuses, since it is too large or memory is short, stops the statement
    // from running.

    @inline(__always) private func note(_ code: Int32) {
        if code != SQLITE_OK, bindingFailure == SQLITE_OK { bindingFailure = code }
    }

    @inline(__always) func bind(_ index: Int32, _ value: Int64) {
        note(sqlite3_bind_int64(handle, index, value))
    }
    @inline(__always) func bind(_ index: Int32, _ value: Double) {
        note(sqlite3_bind_double(handle, index, value))
    }
    @inline(__always) func bindNull(_ index: Int32) { note(sqlite3_bind_null(handle, index)) }

    /// Binds text; SQLite makes a copy.
    func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bindText(UnsafeRawBufferPointer($0), index, Self.copying) }
    }

    /// Binds bytes; SQLite makes a copy.
    func bind(_ index: Int32, _ data: Data) {
        data.withUnsafeBytes { bytes in
            // No address would bind NULL, and empty data is a value.
            if let start = bytes.baseAddress, bytes.count > 0 {
                note(
                    sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.copying)
                )
            } else {
                note(sqlite3_bind_zeroblob(handle, index, 0))
            }
        }
    }

    /// Binds text without a copy: the memory must stay until the statement has run.
    @inline(__always) func bindText(inPlace bytes: UnsafeRawBufferPointer, _ index: Int32) {
        bindText(bytes, index, nil)
    }

    @inline(__always) private func bindText(
        _ bytes: UnsafeRawBufferPointer,
        _ index: Int32,
        _ destructor: sqlite3_destructor_type?
    ) {
        // An empty string may have no address, and no address would bind NULL.
        guard let start = bytes.baseAddress else {
            note(sqlite3_bind_text(handle, index, "", 0, Self.copying))
            return
        }
        note(
            sqlite3_bind_text64(
                handle,
                index,
                start.assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count),
                destructor,
                UInt8(SQLITE_UTF8)
            )
        )
    }

    /// Binds bytes without a copy: the memory must stay until the statement has run.
    @inline(__always) func bindBytes(inPlace bytes: UnsafeRawBufferPointer, _ index: Int32) {
        note(sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil))
    }

    /// SQLite's `SQLITE_TRANSIENT`, a macro that Swift does not import.
    static var copying: sqlite3_destructor_type {
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
        // The count comes first, since it turns other encodings into UTF-8. Text as a blob needs no
        // memory, which `sqlite3_column_text` takes for a zero at the end.
        let count = Int(sqlite3_column_bytes(handle, column))
        guard let start = sqlite3_column_blob(handle, column) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
    /// Empty for NULL.
    func bytes(_ column: Int32) -> Data {
        // First the value and then its size, as sqlite.org/c3ref/column_blob.html asks for.
        guard let start = sqlite3_column_blob(handle, column) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
    var columnCount: Int32 { sqlite3_column_count(handle) }
}
