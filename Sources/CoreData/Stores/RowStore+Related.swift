extension RowStore {
    /// The content of a to-many relationship of several rows of an entity, by their keys; rows
    /// without content are left out.
    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        of primaryKeys: [Int64]
    ) throws -> [Int64: [RowReference]] {
        if let store = self as? SQLiteStore {
            return try store.relatedAtOnce(layout, slot, of: primaryKeys)
        }
        var result: [Int64: [RowReference]] = [:]
        for primaryKey in primaryKeys {
            result[primaryKey] = try related(layout, slot, primaryKey)
        }
        return result
    }
}
