import Foundation

/// Damage to what a database says of itself.
enum SchemaDamage {
    static func damage(_ url: URL, _ numbers: inout SeededNumbers) throws {
        let database = try Database(url.path)
        defer { database.close() }
        let tables = try database.strings(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        )
        let table = tables[numbers.number(below: tables.count)]
        let columns = try database.strings("SELECT name FROM pragma_table_info('\(table)')")
        let other = tables[numbers.number(below: tables.count)]
        for sql in statements(table, columns, other, &numbers) {
            do {
                try database.rows(sql) { _ in }
            } catch {
                // What SQLite refuses is no damage.
            }
        }
    }

    private static func statements(
        _ table: String,
        _ columns: [String],
        _ other: String,
        _ numbers: inout SeededNumbers
    ) -> [String] {
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
        let values = columns.map { "n AS \"\($0)\"" }.joined(separator: ", ")
        let page = numbers.number(below: 60)
        // Triggers that have no end are stopped after seconds, which few mutants can have.
        switch numbers.number(below: 50) == 0 ? 8 : numbers.number(below: 8) {
        // A view that has no end, in the place of a table.
        case 0:
            return [
                "DROP TABLE \"\(table)\"",
                "CREATE VIEW \"\(table)\" AS \(endless) SELECT \(values) FROM r",
            ]
        // A view of itself, by way of another one.
        case 1:
            return [
                "ALTER TABLE \"\(table)\" RENAME TO \"BEHIND\"",
                "CREATE VIEW \"\(table)\" AS SELECT * FROM \"BEHIND\" UNION ALL SELECT * FROM \"BEHIND\"",
            ]
        // Triggers that fail.
        case 2:
            return ["INSERT", "UPDATE", "DELETE"].map {
                "CREATE TRIGGER \"t\($0)\" BEFORE \($0) ON \"\(table)\" BEGIN "
                    + "SELECT RAISE(FAIL, 'refused'); END"
            }
        // Constraints that what is there does not meet.
        case 3:
            return [
                "CREATE UNIQUE INDEX \"u\" ON \"\(table)\" (\(columns.isEmpty ? "0" : "(1)"))",
                "CREATE INDEX \"i\" ON \"\(table)\" (abs(\(columns.first.map { "\"\($0)\"" } ?? "1")))",
            ]
        // Another table's pages, no page, or one beyond the end.
        case 4:
            return [
                "PRAGMA writable_schema=ON",
                "UPDATE sqlite_master SET rootpage = \(page) WHERE name = '\(table)'",
            ]
        case 5:
            return [
                "PRAGMA writable_schema=ON",
                "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master "
                    + "WHERE name = '\(other)') WHERE name = '\(table)'",
            ]
        // Columns of other types and names, or fewer of them.
        case 6:
            return [
                "PRAGMA writable_schema=ON",
                "UPDATE sqlite_master SET sql = replace(sql, 'INTEGER', 'BLOB') "
                    + "WHERE name = '\(table)'",
            ]
        case 7:
            return [
                "ALTER TABLE \"\(table)\" DROP COLUMN \"\(columns.last ?? "")\"",
                "CREATE TABLE \"Z_MORE\" (\(names))",
            ]
        // Triggers that go on and on.
        default:
            return ["INSERT", "UPDATE", "DELETE"].map {
                "CREATE TRIGGER \"t\($0)\" AFTER \($0) ON \"\(table)\" BEGIN "
                    + "INSERT INTO \"\(table)\" (\(names)) \(endless) SELECT \(values) FROM r; END"
            }
        }
    }
}
