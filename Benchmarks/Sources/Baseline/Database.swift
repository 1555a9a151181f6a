import CSQLiteBaseline
import Foundation

/// SQLite as thin as it gets from Swift: what every layer is measured against.
public final class Database {
    public let handle: OpaquePointer

    /// Opens a file with the pragmas that the runtime's stores use.
    public init(_ path: String) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
            fatalError("can't open \(path)")
        }
        handle = opened
        execute("PRAGMA page_size=4096")
        execute("PRAGMA auto_vacuum=2")
        execute("PRAGMA journal_mode=WAL")
        execute("PRAGMA synchronous=FULL")
        execute("PRAGMA cache_size=-65536")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements without results.
    public func execute(_ sql: String) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            fatalError("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    /// A compiled statement, for as long as the database lives.
    public func prepare(_ sql: String) -> Statement {
        var made: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &made, nil) == SQLITE_OK, let made else {
            fatalError("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
        return Statement(handle: made)
    }
}

/// A compiled statement.
public struct Statement {
    public let handle: OpaquePointer

    @inline(__always) public func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }
    @inline(__always) public func bind(_ index: Int32, _ value: Double) {
        sqlite3_bind_double(handle, index, value)
    }
    @inline(__always) public func bind(_ index: Int32, _ value: String?) {
        guard var value else {
            sqlite3_bind_null(handle, index)
            return
        }
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        value.withUTF8 { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), transient)
            }
        }
    }
    @inline(__always) public func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    /// Whether there is a row.
    @inline(__always) public func step() -> Bool {
        let code = sqlite3_step(handle)
        guard code == SQLITE_ROW || code == SQLITE_DONE else { fatalError("step: \(code)") }
        return code == SQLITE_ROW
    }
    @inline(__always) public func reset() { sqlite3_reset(handle) }
    @inline(__always) public func integer(_ index: Int32) -> Int64 {
        sqlite3_column_int64(handle, index)
    }
    @inline(__always) public func real(_ index: Int32) -> Double {
        sqlite3_column_double(handle, index)
    }
    @inline(__always) public func text(_ index: Int32) -> String {
        let count = Int(sqlite3_column_bytes(handle, index))
        guard count > 0, let bytes = sqlite3_column_text(handle, index) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
