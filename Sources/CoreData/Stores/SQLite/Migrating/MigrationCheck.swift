import Foundation

/// Checks what a migration has made, before it counts.
struct MigrationCheck {
    private let plan: SchemaMigration
    private let connection: SQLiteConnection
    private let url: URL

    init(_ plan: SchemaMigration, _ connection: SQLiteConnection, url: URL) {
        self.plan = plan
        self.connection = connection
        self.url = url
    }

    /// - Throws: 134110 that names the entity and the property.
    func run() throws {
        for pair in plan.pairs {
            // Entity by entity, and not with sub-entities: each of them has a pair of its own.
            guard let table = plan.destination.entityTable(rootIndex: pair.destination.rootIndex)
            else { continue }
            let rows =
                "SELECT count(*) FROM \(SQLName.quoted(table.name)) "
                + "WHERE Z_ENT = \(plan.destinationNumber(pair))"
            if pair.destination.isAbstract { try checkEmpty(pair, rows) }
            for slot in pair.destination.slots where isNewlyRequired(slot, pair) {
                guard let column = plan.destination.columns(pair.destination, slot.index).value
                else { continue }
                try checkFilled(pair, slot, rows + " AND \(SQLName.quoted(column)) IS NULL")
            }
        }
    }

    /// What was required before is not looked at, as Apple's framework does not: a store may hold
    /// what it would not let in today.
    private func isNewlyRequired(_ slot: PropertySlot, _ pair: SchemaMigration.Pair) -> Bool {
        guard !slot.isOptional, slot.kind.isInRow,
            !(slot.property is NSDerivedAttributeDescription)
        else { return false }
        let place = DeclaredSlot(entity: slot.declaringEntityIndex, slot: slot.index)
        // New ones count, and optional ones that are required now; narrowing may have emptied a
        // required to-one.
        return pair.sourceSlots[slot.index]?.isOptional != false
            || plan.link(place)?.isNarrowed == true
    }

    private func checkEmpty(_ pair: SchemaMigration.Pair, _ rows: String) throws {
        let count = try connection.integer(rows) ?? 0
        guard count > 0 else { return }
        throw CocoaError.migration(
            url,
            "\(pair.destination.name) is abstract in the new model and has \(count) objects; make "
                + "them objects of a subentity with the old model first, or use a mapping model",
            entity: pair.destination.name
        )
    }

    private func checkFilled(
        _ pair: SchemaMigration.Pair,
        _ slot: PropertySlot,
        _ rows: String
    ) throws {
        let count = try connection.integer(rows) ?? 0
        guard count > 0 else { return }
        let what = slot.isRelationship ? "relationship" : "attribute"
        throw CocoaError.migration(
            url,
            "Validation error missing attribute values on mandatory destination \(what): "
                + "\(pair.destination.name).\(slot.name) is empty in \(count) objects; "
                + (slot.isRelationship ? "make it optional" : "give it a default value")
                + ", or use a mapping model",
            entity: pair.destination.name,
            attribute: slot.isRelationship ? nil : slot.name,
            relationship: slot.isRelationship ? slot.name : nil
        )
    }
}
