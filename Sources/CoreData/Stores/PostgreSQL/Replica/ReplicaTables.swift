#if PostgreSQL
import Foundation

/// Writes what a server has into the tables of a replica, inside a transaction of the replica's.
///
/// > Threading: Confined to the lock that holds the writer.
struct ReplicaTables {
    let schema: ServerSchema
    let writer: StoreWriter

    private var connection: SQLiteConnection { writer.connection }

    // MARK: All rows

    /// The keys of a table's rows.
    func keys(_ table: ServerSchema.Table) throws -> Set<Int64> {
        let statement = try connection.statement("SELECT Z_PK FROM \(q(table.name))")
        defer { statement.clear() }
        var keys: Set<Int64> = []
        while try statement.step() { keys.insert(statement.integer(0)) }
        return keys
    }

    /// Removes all rows, with their files.
    func removeAll() throws {
        for table in schema.tables {
            try writer.willRemoveExternalValues(
                table.columns.filter(\.isExternal).map(\.name),
                table: table.name,
                condition: .true
            )
            try run("DELETE FROM \(q(table.name))", [])
        }
        for join in schema.store.joinTables { try run("DELETE FROM \(q(join.name))", []) }
    }

    // MARK: Rows

    /// Has rows be as the server has them, or gone if it has none.
    ///
    /// - Returns: The keys of the rows that are gone.
    func replace(
        _ table: ServerSchema.Table,
        _ keys: [Int64],
        by rows: [PostgreSQLResult]
    ) throws -> [Int64] {
        guard !keys.isEmpty else { return [] }
        let list = SQLBinding.text(RowImages.json(keys))
        let condition = SQLFragment("Z_PK IN (SELECT value FROM json_each(?))", [list])
        let external = table.columns.filter(\.isExternal).map(\.name)
        if !external.isEmpty {
            try writer.willRemoveExternalValues(
                external,
                table: table.name,
                condition: condition
            )
        }
        let there = Set(
            rows.flatMap { result in
                (0..<result.rowCount).map { result.integer($0, 0) }
            }
        )
        let gone = keys.filter { !there.contains($0) }
        try run(
            "DELETE FROM \(q(table.name)) WHERE Z_PK IN (SELECT value FROM json_each(?))",
            [.text(RowImages.json(gone))]
        )
        // Rows may have exchanged values that must be unique, and SQLite looks at each at once.
        let unique = uniqueColumns(table)
        if !unique.isEmpty {
            try run(
                "UPDATE \(q(table.name)) SET "
                    + unique.map { "\(q($0)) = NULL" }.joined(separator: ", ")
                    + " WHERE \(condition.sql)",
                condition.bindings
            )
        }
        for result in rows { try write(result, to: table) }
        return gone
    }

    /// Writes rows over those of the same keys.
    func write(_ rows: PostgreSQLResult, to table: ServerSchema.Table) throws {
        let columns = schema.columns(table)
        let names = columns.map { q($0.name) }
        // Not "OR REPLACE", which deletes rows without telling triggers.
        let statement = try connection.statement(
            "INSERT INTO \(q(table.name)) (\(names.joined(separator: ", "))) "
                + "VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) "
                + "ON CONFLICT (Z_PK) DO UPDATE SET "
                + names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        )
        defer { statement.clear() }
        for row in 0..<rows.rowCount {
            statement.bind(
                try columns.enumerated().map { index, column in
                    let value = rows.binding(row, index, column.type)
                    guard column.isExternal, case .blob(let data) = value else { return value }
                    let content = data.withUnsafeBytes { bytes in
                        Result { try writer.external.encode(bytes) }
                    }
                    return .blob(try content.get())
                }
            )
            try statement.run()
        }
    }

    private func uniqueColumns(_ table: ServerSchema.Table) -> [String] {
        let store = schema.store
        let names = store.members.filter { $0.rootIndex == table.rootIndex }.flatMap { entity in
            store.uniquenessConstraints(of: entity).joined().compactMap { key in
                entity.slot(named: key).flatMap { store.columns(entity, $0.index).value }
            }
        }
        return Set(names).sorted()
    }

    // MARK: Relationships

    /// Has to-many relationships that their members' rows tell be as the server has them.
    func replace(_ members: FeedPage.Members) throws {
        switch members.access {
        case .foreignKey(let table, _, let order?):
            try update(members.rows, table, [(order, 2)])
        case .ownerKey(let table, let column, let order):
            let columns = [column] + [order].compactMap(\.self)
            try run(
                "UPDATE \(q(table)) SET \(columns.map { "\(q($0)) = NULL" }.joined(separator: ", ")) "
                    + "WHERE \(q(column)) IN (SELECT value FROM json_each(?))",
                [.text(RowImages.json(members.owners))]
            )
            try update(
                members.rows,
                table,
                columns.enumerated().map { (name: $1, place: $0 + 1) }
            )
        case .foreignKey, .join: return
        }
    }

    private func update(
        _ rows: PostgreSQLResult,
        _ table: String,
        _ columns: [(name: String, place: Int)]
    ) throws {
        let statement = try connection.statement(
            "UPDATE \(q(table)) SET "
                + columns.map { "\(q($0.name)) = ?" }.joined(separator: ", ") + " WHERE Z_PK = ?"
        )
        for row in 0..<rows.rowCount {
            statement.bind(
                columns.map { rows.binding(row, $0.place, .integer) }
                    + [.integer(rows.integer(row, 0))]
            )
            try statement.run()
        }
    }

    /// Has the rows of a join table be as the server has them.
    func replace(_ joins: FeedPage.Joins) throws {
        let table = q(joins.table.name)
        for (column, keys) in [
            (joins.table.sourceColumn, joins.sources),
            (joins.table.destinationColumn, joins.destinations),
        ] where !keys.isEmpty {
            try run(
                "DELETE FROM \(table) WHERE \(q(column)) IN (SELECT value FROM json_each(?))",
                [.text(RowImages.json(keys))]
            )
        }
        try write(joins.rows, to: joins.table)
    }

    /// Writes rows of a join table that are not there.
    func write(_ rows: PostgreSQLResult, to join: JoinTable) throws {
        let columns = schema.columns(join)
        let statement = try connection.statement(
            "INSERT INTO \(q(join.name)) (\(columns.map { q($0.name) }.joined(separator: ", "))) "
                + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        )
        for row in 0..<rows.rowCount {
            statement.bind(columns.indices.map { rows.binding(row, $0, .integer) })
            try statement.run()
        }
    }

    private func run(_ sql: String, _ bindings: [SQLBinding]) throws {
        let statement = try connection.statement(sql)
        defer { statement.clear() }
        statement.bind(bindings)
        try statement.run()
    }

    private func q(_ name: String) -> String { SQLName.quoted(name) }
}
#endif
