import CSQLiteLibrary
import Foundation

/// A database file that is read by the SQLite library, without the engine.
struct Database {
    struct Failure: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    private let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close(handle)
            throw Failure(text: "SQLite error \(code) at opening")
        }
        self.handle = handle
    }

    func close() { sqlite3_close(handle) }

    func rows(_ sql: String, _ body: (Row) throws -> Void) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement
        else {
            throw failure(sql)
        }
        defer { sqlite3_finalize(statement) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(sql) }
            try body(Row(statement: statement))
        }
    }

    /// The first column of each row; NULL counts as empty.
    func strings(_ sql: String) throws -> [String] {
        var result: [String] = []
        try rows(sql) { result.append($0.text(0) ?? "") }
        return result
    }

    private func failure(_ sql: String) -> Failure {
        Failure(text: "\(String(cString: sqlite3_errmsg(handle))) (\(sql.prefix(60)))")
    }

    struct Row {
        fileprivate let statement: OpaquePointer

        func text(_ column: Int32) -> String? {
            sqlite3_column_text(statement, column).map { String(cString: $0) }
        }

        func data(_ column: Int32) -> Data? {
            guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
            guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
        }
    }
}
