import CSQLite
import Foundation
import Testing

@testable import CoreData

@Suite struct ResultRowTests {
    @Test func valuesAreFoundSideBySide() {
        // Where not, rows are read more slowly, and nothing else says so.
        #expect(ResultRow.valueSize > 0)
    }

    /// Beside SQLite's own functions for columns, over rows from a table, an index, a sorter and a join.
    @Test(
        arguments: [
            "SELECT * FROM t", "SELECT * FROM t ORDER BY c", "SELECT * FROM t ORDER BY b LIMIT 2",
            "SELECT t.*, u.a, u.c FROM t JOIN t AS u ON u.a = t.a + 1",
            "SELECT c, a FROM t WHERE a > 1", "SELECT DISTINCT b, d, c FROM t",
            "SELECT a, count(*), max(c), total(b), NULL, x'0102' FROM t GROUP BY a % 2",
            "SELECT * FROM t UNION ALL SELECT e, d, c, b, a FROM t",
        ]
    )
    func valuesAreThoseOfColumns(_ sql: String) throws {
        let connection = try SQLiteConnection(ConnectionSettings(path: ":memory:"))
        try connection.execute(
            """
            CREATE TABLE t (a INTEGER PRIMARY KEY, b REAL, c TEXT, d BLOB, e);
            CREATE INDEX i ON t (c);
            INSERT INTO t VALUES (1, 1.5, 'one', x'01', NULL), (2, 2, 'zwei', x'', 'text'),
                (3, NULL, NULL, NULL, 7), (4, -0.25, '', x'00ff', 1e300);
            """
        )
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        let handle = statement.handle
        var rowCount = 0
        while try statement.step() {
            rowCount += 1
            let row = ResultRow(handle)
            for column in 0..<sqlite3_column_count(handle) {
                let value = row[column]
                #expect(sqlite3_value_type(value) == sqlite3_column_type(handle, column))
                #expect(row.integer(column) == sqlite3_column_int64(handle, column))
                #expect(sqlite3_value_double(value) == sqlite3_column_double(handle, column))
                #expect(sqlite3_value_bytes(value) == sqlite3_column_bytes(handle, column))
                #expect(sqlite3_value_blob(value) == sqlite3_column_blob(handle, column))
            }
        }
        #expect(rowCount > 0)
    }
}
