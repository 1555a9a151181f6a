import CSQLite
import Foundation

extension StoreWriter {
    /// Finds which constraint a row violates, and which row has its values.
    ///
    /// - Throws: `error` itself, if it is about something else.
    func violation(_ error: SQLiteError, _ row: Row) throws -> UniquenessViolations.Violation {
        guard error.code == SQLITE_CONSTRAINT else { throw error }
        let layout = schema.model.entities[row.entityIndex]
        // SQLite says that a constraint failed, and which index it was in words only: so the row in
        // the way is looked for.
        for (declaring, keys) in constraints(of: layout) {
            guard let other = try other(row, layout, keys) else { continue }
            return UniquenessViolations.Violation(
                row: row,
                entity: declaring,
                constraint: keys,
                other: other
            )
        }
        throw error
    }

    /// Whether an update changes a value that must be unique.
    func hasUniqueChange(_ update: StoreChangeSet.Update) -> Bool {
        let layout = schema.model.entities[update.row.entityIndex]
        return constraints(of: layout).contains { _, keys in
            keys.contains { key in
                layout.slot(named: key).map { update.changed.contains($0.index) } ?? false
            }
        }
    }

    /// Makes the unique values of a row null, for rows that take them in the same save.
    func giveUpUniqueValues(_ update: StoreChangeSet.Update) throws {
        let layout = schema.model.entities[update.row.entityIndex]
        // NULL is equal to nothing in a unique index of SQLite: any number of rows may give up
        // their values.
        let keys = Set(constraints(of: layout).flatMap(\.keys))
        let columns = layout.slots.filter { keys.contains($0.name) }
            .compactMap { schema.columns(layout, $0.index).value }
        guard !columns.isEmpty else { return }
        let binder = try binder(layout.index)
        let statement = try connection.statement(
            "UPDATE \(SQLName.quoted(binder.tableName)) SET "
                + columns.map { "\(SQLName.quoted($0)) = NULL" }.joined(separator: ", ")
                + " WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
        )
        statement.bind(1, update.row.primaryKey)
        statement.bind(2, Int64(update.old.version))
        try statement.run()
    }

    /// The constraints that the rows of an entity are under, with the entity that declares each.
    private func constraints(
        of layout: EntityLayout
    ) -> [(declaring: EntityLayout, keys: [String])] {
        var result: [(EntityLayout, [String])] = []
        var ancestor: EntityLayout? = layout
        // The table is that of the whole tree, and an ancestor's index holds for all rows in it.
        while let entity = ancestor {
            result += schema.uniquenessConstraints(of: entity).map { (entity, $0) }
            ancestor = entity.parent
        }
        return result
    }

    private func other(_ row: Row, _ layout: EntityLayout, _ keys: [String]) throws -> Row? {
        let slots = keys.compactMap { layout.slot(named: $0)?.index }
        let columns = slots.compactMap { schema.columns(layout, $0).value }
        guard !columns.isEmpty, columns.count == keys.count else { return nil }
        let binder = try binder(layout.index)
        let statement = try connection.statement(
            "SELECT Z_PK FROM \(SQLName.quoted(binder.tableName)) WHERE "
                + columns.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: " AND ")
                + " AND Z_PK <> ?"
        )
        defer { statement.clear() }
        // A value that is null matches no row here, as it violates no unique index.
        binder.bindValues(row, slots: slots, statement)
        statement.bind(Int32(columns.count + 1), row.primaryKey)
        guard try statement.step() else { return nil }
        // Of whatever entity of the tree it is: the index does not tell them apart.
        return try storedRow(layout, statement.integer(0))
    }
}
