import Foundation

/// Values that may be kept in files of their own.
extension StoreWriter {
    /// What the columns of a row's external values get, by slot; large ones are written to files.
    ///
    /// - Parameter changed: Only these slots, if given.
    func externalContent(
        _ row: Row,
        _ binder: RowBinder,
        changed: SlotSet? = nil
    ) throws -> [Int: Data] {
        guard !binder.externalSlots.isEmpty else { return [:] }
        var content: [Int: Data] = [:]
        for slot in binder.externalSlots where !row.isNull(slot) {
            guard changed?.contains(slot) ?? true else { continue }
            content[slot] = try row.withTail(slot) { bytes in
                Result { try external.encode(bytes) }
            }
            .get()
        }
        return content
    }

    /// Notes the files of a row's external values, which are about to be replaced or deleted.
    ///
    /// - Parameter changed: Only these slots, if given.
    func willReplaceExternalValues(
        _ primaryKey: Int64,
        _ binder: RowBinder,
        changed: SlotSet? = nil
    ) throws {
        let slots = binder.externalSlots.filter { changed?.contains($0) ?? true }
        let columns = slots.compactMap { schema.columns(binder.layout, $0).value }
        guard !columns.isEmpty else { return }
        try willRemoveExternalValues(
            columns,
            table: binder.tableName,
            condition: SQLFragment("Z_PK = ?", [.integer(primaryKey)])
        )
    }

    /// Notes the files of the external values of several rows.
    func willRemoveExternalValues(
        _ columns: [String],
        table: String,
        condition: SQLFragment
    ) throws {
        // By its length first: SQLite knows it without reading a large value, and a file's name has
        // one length.
        for column in columns.map(SQLName.quoted) {
            let statement = try connection.statement(
                "SELECT \(column) FROM \(SQLName.quoted(table)) WHERE "
                    + "length(\(column)) = \(ExternalValue.referenceByteCount) AND \(condition.sql)"
            )
            defer { statement.clear() }
            statement.bind(condition.bindings)
            while try statement.step() { external.willRemove(statement.bytes(0)) }
        }
    }
}
