import Foundation

extension StoreWriter {
    /// Removes what refers to deleted rows: keys in other tables and rows of join tables.
    ///
    /// - Throws: An error that names the relationship, if a row must have such a reference.
    func nullifyReferences(
        to deleted: [RowReference],
        of layout: EntityLayout,
        _ changes: inout BatchChanges
    ) throws {
        guard !deleted.isEmpty else { return }
        let rootIndex = layout.rootIndex
        // One parameter for all keys, however many: SQLite limits their number, and the statements
        // stay the same.
        let keys = "[\(deleted.map { String($0.primaryKey) }.joined(separator: ","))]"
        for entity in schema.members {
            for index in entity.toOneSlots {
                let slot = entity.slots[index]
                // Sub-entities have the slot again, in the same column.
                guard slot.declaringEntityIndex == entity.index,
                    schema.model.entities[slot.destinationIndex].rootIndex == rootIndex
                else { continue }
                try nullify(slot, entity, keys, &changes)
            }
        }
        for (place, access) in schema.toManyAccess {
            let owner = schema.model.entities[place.entity]
            // Other kinds of access are an inverse's column, which was made null above, and join
            // tables, which follow.
            guard owner.rootIndex == rootIndex,
                case .ownerKey(let table, let column, let order) = access
            else { continue }
            // Without a new version: what a row belongs to by this is the owner's relationship, and
            // changes of to-many relationships raise no version.
            let orderPart = order.map { ", \(SQLName.quoted($0)) = NULL" } ?? ""
            try run(
                "UPDATE \(SQLName.quoted(table)) SET \(SQLName.quoted(column)) = NULL\(orderPart) "
                    + "WHERE \(SQLName.quoted(column)) IN (SELECT value FROM json_each(?))",
                keys
            )
        }
        for join in schema.joinTables {
            let ends = [(join.owner, join.sourceColumn), (join.inverse, join.destinationColumn)]
            for (place, column) in ends
            where schema.model.entities[place.entity].rootIndex == rootIndex {
                try run(
                    "DELETE FROM \(SQLName.quoted(join.name)) WHERE \(SQLName.quoted(column)) IN "
                        + "(SELECT value FROM json_each(?))",
                    keys
                )
            }
        }
    }

    private func nullify(
        _ slot: PropertySlot,
        _ entity: EntityLayout,
        _ keys: String,
        _ changes: inout BatchChanges
    ) throws {
        let names = schema.columns(entity, slot.index)
        guard let column = names.value,
            let table = schema.entityTable(rootIndex: entity.rootIndex)?.name
        else { return }
        // The place goes with the owner: it would be one in a collection that the row is not in.
        let assignments = [column, names.destinationEntity, names.order].compactMap(\.self)
            .map { "\(SQLName.quoted($0)) = NULL" }.joined(separator: ", ")
        // Before the check, which needs their number; its error takes the update back.
        let touched = try changedRows(
            "UPDATE \(SQLName.quoted(table)) SET Z_OPT = IFNULL(Z_OPT, 0) + 1, \(assignments) "
                + "WHERE \(SQLName.quoted(column)) IN (SELECT value FROM json_each(?)) "
                + "RETURNING Z_PK, Z_ENT, Z_OPT",
            keys
        )
        guard !touched.isEmpty else { return }
        guard slot.isOptional else {
            throw CocoaError.storeSave(
                file.url,
                "the batch delete would leave \(touched.count) \(entity.name) object(s) without "
                    + "their \(slot.name), which is required; delete those first"
            )
        }
        var changed = SlotSet()
        changed.insert(slot.index)
        changes.update(touched, changed)
        for row in touched { history?.updated(row.reference, [slot.name]) }
    }

    private func run(_ sql: String, _ keys: String) throws {
        let statement = try connection.statement(sql)
        defer { statement.clear() }
        statement.bind(1, keys)
        try statement.run()
    }

    /// The rows of a statement that gives keys and entity numbers.
    func references(_ sql: String, _ keys: String) throws -> [RowReference] {
        try rows(sql, keys) { reference, _ in reference }
    }

    /// The rows of a statement that gives versions, too.
    private func changedRows(_ sql: String, _ keys: String) throws -> [VersionedReference] {
        try rows(sql, keys) { reference, statement in
            VersionedReference(
                reference: reference,
                version: Int32(truncatingIfNeeded: statement.integer(2))
            )
        }
    }

    private func rows<Element>(
        _ sql: String,
        _ keys: String,
        _ element: (RowReference, SQLiteStatement) -> Element
    ) throws -> [Element] {
        let statement = try connection.statement(sql)
        defer { statement.clear() }
        statement.bind(1, keys)
        var result: [Element] = []
        while try statement.step() {
            guard let entity = schema.layoutIndex(ofNumber: statement.integer(1)) else { continue }
            let key = statement.integer(0)
            let reference = RowReference(entityIndex: entity, primaryKey: key)
            result.append(element(reference, statement))
        }
        return result
    }
}
