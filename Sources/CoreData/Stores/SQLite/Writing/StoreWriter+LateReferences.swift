extension StoreWriter {
    /// Looks for rows that refer to deleted ones by the to-one end of a one-to-many relationship:
    /// such a row can be written without a change of the row that it refers to, so that no version
    /// tells of it. (Of a one-to-one relationship both rows change.)
    ///
    /// - Throws: `LateReferences`.
    /// - Complexity: A statement for each such relationship to the deleted rows' entities, and a
    ///   look into its index for each row.
    func checkReferences(to deletes: [StoreChangeSet.Delete]) throws {
        guard !deletes.isEmpty else { return }
        let entities = schema.model.entities
        let keysByEntity = Dictionary(grouping: deletes, by: \.reference.entityIndex)
            .mapValues { $0.map { String($0.reference.primaryKey) }.joined(separator: ",") }
        var entries: [LateReferences.Entry] = []
        for entity in schema.members {
            for index in entity.toOneSlots {
                let slot = entity.slots[index]
                // Sub-entities have the slot again, in the same column.
                guard slot.declaringEntityIndex == entity.index else { continue }
                let keys = keysByEntity.filter { index, _ in
                    // Sub-entities follow their parent in the layouts' order, so that a tree below
                    // one is a range.
                    slot.destinationIndex <= index && index <= slot.destinationLastIndex
                        && entities[index].clearsOwner(slot)
                }
                guard !keys.isEmpty,
                    let column = schema.columns(entity, slot.index).value,
                    let table = schema.entityTable(rootIndex: entity.rootIndex)?.name
                else { continue }
                let rows = try references(
                    "SELECT Z_PK, Z_ENT FROM \(SQLName.quoted(table)) WHERE "
                        + "\(SQLName.quoted(column)) IN (SELECT value FROM json_each(?))",
                    "[\(keys.values.joined(separator: ","))]"
                )
                entries += rows.map { LateReferences.Entry(row: $0, slot: index) }
            }
        }
        guard entries.isEmpty else { throw LateReferences(entries: entries) }
    }
}

extension EntityLayout {
    /// Whether a rule of this entity says what becomes of a row that refers to a deleted one of it
    /// by a relationship whose inverse is to many.
    ///
    /// - Parameter slot: The to-one relationship.
    func clearsOwner(_ slot: PropertySlot) -> Bool {
        guard slot.inverseSlot >= 0 else { return false }
        let inverse = slots[slot.inverseSlot]
        return inverse.isToMany && inverse.deleteRule != .noActionDeleteRule
    }
}
