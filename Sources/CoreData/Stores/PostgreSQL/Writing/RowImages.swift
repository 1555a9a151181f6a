#if PostgreSQL
import Foundation

/// Reads rows out of a replica's tables, as the transaction of a save sees them, into arrays for a
/// server.
///
/// What SQLite has is sent, and not what the save was asked for: values that triggers and functions
/// of SQLite have made are among it.
struct RowImages {
    let schema: ServerSchema
    let writer: StoreWriter

    /// The columns of some rows of a table, in ascending order of keys.
    ///
    /// - Parameters:
    ///   - columns: What to read beside the keys.
    ///   - keys: Each once.
    /// - Returns: The keys, and an array for each column.
    /// - Throws: 134030 for a value that a server can't keep.
    func columns(
        _ columns: [ServerSchema.Column],
        of table: String,
        keys: [Int64]
    ) throws -> (keys: PostgreSQLArray, columns: [PostgreSQLArray]) {
        let names = ["Z_PK"] + columns.map(\.name)
        // Keys of new rows mostly follow each other.
        let first = keys.min() ?? 0, last = keys.max() ?? 0
        let isRange = last - first == Int64(keys.count - 1)
        let statement = try writer.connection.statement(
            "SELECT \(names.map(SQLName.quoted).joined(separator: ", ")) "
                + "FROM \(SQLName.quoted(table)) WHERE Z_PK "
                + (isRange ? "BETWEEN ? AND ?" : "IN (SELECT value FROM json_each(?))")
                + " ORDER BY Z_PK"
        )
        defer { statement.clear() }
        if isRange {
            statement.bind(1, first)
            statement.bind(2, last)
        } else {
            statement.bind(1, Self.json(keys))
        }
        var found = PostgreSQLArray(.integer)
        var arrays = columns.map { PostgreSQLArray($0.type) }
        // Not the columns themselves, whose names would be retained for each value.
        let areExternal = columns.map(\.isExternal)
        while try statement.step() {
            let row = ResultRow(statement.handle)
            found.append(row.integer(0))
            for index in areExternal.indices {
                let place = Int32(truncatingIfNeeded: index + 1)
                do {
                    if areExternal[index] {
                        let value = try content(statement.binding(place), columns[index])
                        try arrays[index].append(value)
                    } else {
                        try arrays[index].append(row, place)
                    }
                } catch let error as UnfitValue {
                    throw unfit(error, columns[index].name, table)
                }
            }
        }
        return (found, arrays)
    }

    /// Whole numbers of some columns of a table, where one of them is among `keys`.
    func integers(
        _ columns: [String],
        of table: String,
        where column: String,
        isIn keys: [Int64]
    ) throws -> [PostgreSQLArray] {
        let statement = try writer.connection.statement(
            "SELECT \(columns.map(SQLName.quoted).joined(separator: ", ")) "
                + "FROM \(SQLName.quoted(table)) "
                + "WHERE \(SQLName.quoted(column)) IN (SELECT value FROM json_each(?))"
        )
        defer { statement.clear() }
        statement.bind(1, Self.json(keys))
        var arrays = columns.map { _ in PostgreSQLArray(.integer) }
        while try statement.step() {
            for index in columns.indices {
                try arrays[index].append(statement.binding(Int32(index)))
            }
        }
        return arrays
    }

    /// A list as `json_each` reads it: one parameter, however many there are.
    static func json(_ keys: some Sequence<Int64>) -> String {
        "[\(keys.map(String.init).joined(separator: ","))]"
    }

    /// A value that SQLite has in the form of `ExternalValue`, as it is.
    private func content(_ value: SQLBinding, _ column: ServerSchema.Column) throws -> SQLBinding {
        guard case .blob(let data) = value else { return value }
        guard let content = try ExternalValue.decode(data, file: writer.file) else {
            throw CocoaError.storeSave(
                writer.file.url,
                "the file of a value in the column \(column.name) is gone"
            )
        }
        return .blob(content)
    }

    private func unfit(_ error: UnfitValue, _ column: String, _ table: String) -> CocoaError {
        let what =
            switch error {
            case .zeroInText: "a text with the character U+0000, which PostgreSQL can't keep"
            case .otherType: "a value of another type than the column's"
            }
        return .storeSave(writer.file.url, "the column \(column) of \(table) has \(what)")
    }
}
#endif
