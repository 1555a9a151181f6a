import CSQLite

/// The values of the row that a statement stands at.
///
/// SQLite has the values of a row side by side. Its functions for columns look at each call whether there
/// is a row, who else uses the connection, and whether memory was short, which takes longer than to read
/// a number. So the first value is asked for, and the others are found behind it. Whether that is so is
/// tried once, with a row of all types; where it is not, each value is asked for.
///
/// > Threading: Confined to the statement's user. Valid until its next step or reset.
struct ResultRow {
    private let statement: OpaquePointer
    private let first: UnsafeRawPointer?
    /// Kept here: each look at a static variable asks whether it has been set.
    private let size: Int

    @inline(__always) init(_ statement: OpaquePointer) {
        self.statement = statement
        size = Self.valueSize
        first = size == 0 ? nil : UnsafeRawPointer(sqlite3_column_value(statement, 0))
    }

    /// A value, as `sqlite3_column_value` gives it; columns begin at 0.
    @inline(__always) subscript(column: Int32) -> OpaquePointer? {
        guard let first else { return sqlite3_column_value(statement, column) }
        return OpaquePointer(first + Int(column) * size)
    }

    /// An integer; 0 for NULL.
    @inline(__always) func integer(_ column: Int32) -> Int64 { sqlite3_value_int64(self[column]) }

    /// How many bytes after a value the next one is; 0 if that can't be told.
    static let valueSize: Int = {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open(":memory:", &database) == SQLITE_OK else { return 0 }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        // From a table, as rows of stores are, and twice, since the second row replaces the first.
        let sql = """
            SELECT column1, column2, column3, column4, column5, column1
            FROM (VALUES (1, 2.5, 'three', x'04', NULL), (6, 7.5, 'eight', x'09', NULL))
            """
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement
        else { return 0 }
        let rows: [(Int64, Double, String, UInt8)] = [(1, 2.5, "three", 4), (6, 7.5, "eight", 9)]
        var size = 0
        for row in rows {
            guard sqlite3_step(statement) == SQLITE_ROW,
                let first = UnsafeRawPointer(sqlite3_column_value(statement, 0)),
                let last = UnsafeRawPointer(sqlite3_column_value(statement, 5))
            else { return 0 }
            let between = last - first
            guard between > 0, between % 5 == 0, size == 0 || size == between / 5 else { return 0 }
            size = between / 5
            // Those between have not been asked for.
            guard isRow(row, at: first, size) else { return 0 }
        }
        return size
    }()

    private static func isRow(
        _ row: (integer: Int64, real: Double, text: String, byte: UInt8),
        at first: UnsafeRawPointer,
        _ size: Int
    ) -> Bool {
        func value(_ column: Int) -> OpaquePointer { OpaquePointer(first + column * size) }
        guard sqlite3_value_type(value(1)) == SQLITE_FLOAT,
            sqlite3_value_type(value(2)) == SQLITE_TEXT,
            sqlite3_value_type(value(3)) == SQLITE_BLOB,
            sqlite3_value_bytes(value(3)) == 1,
            let text = sqlite3_value_text(value(2)), let bytes = sqlite3_value_blob(value(3))
        else { return false }
        return sqlite3_value_int64(value(0)) == row.integer
            && sqlite3_value_double(value(1)) == row.real
            && String(cString: text) == row.text
            && bytes.load(as: UInt8.self) == row.byte
            && sqlite3_value_type(value(4)) == SQLITE_NULL
            && sqlite3_value_int64(value(5)) == row.integer
    }
}
