import Foundation

/// Damage that is no damage to SQLite: rows, columns and tables that the engine does not expect.
enum TableDamage {
    private static let values = [
        "NULL", "-1", "0", "1", "2", "255", "9223372036854775807", "-9223372036854775808", "1e300",
        "''", "'text'", "x'00'", "x'0200'", "zeroblob(100000)", "'99999999999999999999'",
    ]

    static func damage(_ url: URL, _ numbers: inout SeededNumbers) throws {
        let database = try Database(url.path)
        defer { database.close() }
        let tables = try database.strings(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        )
        for _ in 0...numbers.number(below: 3) {
            let table = tables[numbers.number(below: tables.count)]
            let columns = try database.strings(
                "SELECT '\"' || name || '\"' FROM pragma_table_info('\(table)')"
            )
            guard !columns.isEmpty else { continue }
            let column = columns[numbers.number(below: columns.count)]
            let value = values[numbers.number(below: values.count)]
            let sql =
                switch numbers.number(below: 10) {
                case 0: "DROP TABLE \"\(table)\""
                case 1: "ALTER TABLE \"\(table)\" RENAME TO \"OTHER\(numbers.number(below: 9))\""
                case 2: "ALTER TABLE \"\(table)\" RENAME COLUMN \(column) TO \"OTHER\""
                case 3: "DELETE FROM \"\(table)\""
                case 4: "INSERT INTO \"\(table)\" (\(column)) VALUES (\(value))"
                default: "UPDATE \"\(table)\" SET \(column) = \(value)"
                }
            do {
                try database.rows(sql) { _ in }
            } catch {
                // What SQLite refuses is no damage: keys that must be unique, say.
            }
        }
    }
}
