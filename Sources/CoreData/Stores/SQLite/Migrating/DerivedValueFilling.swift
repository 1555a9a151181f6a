/// Works out the derived values that triggers keep from then on: where the rows are there before the
/// triggers, as in a migration, or come in an order that triggers miss, members before their owner.
///
/// Values of functions, such as `canonical:(author.name)`, follow with the next save of an object.
struct DerivedValueFilling {
    let schema: StoreSchema
    let connection: SQLiteConnection

    /// - Parameter keys: Of the rows whose values are worked out, by the roots of their trees; nil for
    ///   all rows.
    func run(_ keys: [Int: [Int64]]? = nil) throws {
        for entity in schema.members {
            for slot in entity.slots where slot.declaringEntityIndex == entity.index {
                guard let value = value(entity, slot),
                    let column = schema.columns(entity, slot.index).value,
                    let table = schema.entityTable(rootIndex: entity.rootIndex)?.name
                else { continue }
                let numbers = schema.numbers
                let some = keys.map { $0[entity.rootIndex] ?? [] }
                let isSome = some == nil ? "" : " AND Z_PK IN (SELECT value FROM json_each(?))"
                let statement = try connection.statement(
                    // Entities have consecutive numbers in pre-order, so that a range is an entity
                    // with all that inherit from it.
                    "UPDATE \(SQLName.quoted(table)) AS derived SET \(SQLName.quoted(column)) = "
                        + "(\(value)) WHERE Z_ENT BETWEEN \(numbers[entity.index]) "
                        + "AND \(numbers[entity.lastDescendantIndex])" + isSome
                )
                defer { statement.clear() }
                if let some {
                    statement.bind(1, "[\(some.map(String.init).joined(separator: ","))]")
                }
                try statement.run()
            }
        }
    }

    private func value(_ entity: EntityLayout, _ slot: PropertySlot) -> String? {
        guard let derivation = slot.derivation,
            let relationship = entity.slot(named: derivation.relationship),
            relationship.destinationIndex >= 0
        else { return nil }
        switch derivation {
        case .count: return members(relationship).map { "SELECT count(*) \($0)" }
        case .sum(_, let attribute):
            guard let value = column(attribute, of: relationship) else { return nil }
            return members(relationship).map { "SELECT ifnull(sum(\(value)), 0) \($0)" }
        case .path(_, let attribute):
            let destination = schema.model.entities[relationship.destinationIndex]
            guard let value = column(attribute, of: relationship),
                let key = schema.columns(entity, relationship.index).value,
                let table = schema.entityTable(rootIndex: destination.rootIndex)?.name
            else { return nil }
            return "SELECT other.\(value) FROM \(SQLName.quoted(table)) AS other "
                + "WHERE other.Z_PK = derived.\(SQLName.quoted(key))"
        case .function: return nil
        }
    }

    /// The rows that a to-many relationship leads to.
    private func members(_ relationship: PropertySlot) -> String? {
        switch schema.access(relationship) {
        case .foreignKey(let table, let key, _)?, .ownerKey(let table, let key, _)?,
            .join(let table, let key, _, _, _)?:
            "FROM \(SQLName.quoted(table)) AS members "
                + "WHERE members.\(SQLName.quoted(key)) = derived.Z_PK"
        case nil: nil
        }
    }

    private func column(_ attribute: String, of relationship: PropertySlot) -> String? {
        let destination = schema.model.entities[relationship.destinationIndex]
        return destination.slot(named: attribute)
            .flatMap { schema.columns(destination, $0.index).value }.map(SQLName.quoted)
    }
}
