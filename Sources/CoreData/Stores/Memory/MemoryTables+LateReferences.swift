extension MemoryTables {
    /// Looks for rows that refer to rows which a save would delete, and that it does not change.
    ///
    /// - Throws: `LateReferences`.
    func checkReferences(in changes: StoreChangeSet) throws {
        guard !changes.deletes.isEmpty else { return }
        var entries: [LateReferences.Entry] = []
        // Made when the first deleted row turns out to have members: most have none.
        var written: [RowReference: Row?]?
        for delete in changes.deletes {
            let layout = model.entities[delete.reference.entityIndex]
            for index in layout.toManySlots {
                let slot = layout.slots[index]
                // Links of a many-to-many go with the row, and without an inverse no row says who
                // owns it.
                guard slot.inverseSlot >= 0, !slot.isManyToMany,
                    slot.deleteRule != .noActionDeleteRule,
                    let content = members[Self.place(slot)]?[delete.reference.primaryKey]
                else { continue }
                let rows = written ?? Self.rows(of: changes)
                written = rows
                for member in content.values {
                    // Deleted by the same save, or given to another owner.
                    if let row = rows[member],
                        row?.reference(slot.inverseSlot)?.primaryKey
                            != delete.reference.primaryKey
                    {
                        continue
                    }
                    entries.append(LateReferences.Entry(row: member, slot: slot.inverseSlot))
                }
            }
        }
        guard entries.isEmpty else { throw LateReferences(entries: entries) }
    }

    /// Looks for deleted rows which a save relates others to.
    ///
    /// - Throws: `LostTargets`.
    func checkTargets(of changes: StoreChangeSet) throws {
        // A store that has deleted nothing needs no look at the relationships of the save.
        guard tables.contains(where: { !$0.value.deletedKeys.isEmpty }) else { return }
        let missing = changes.targets(model).flatMap { root, keys -> [RowReference] in
            guard let deleted = tables[root]?.deletedKeys else { return [] }
            return keys.intersection(deleted)
                .map { RowReference(entityIndex: root, primaryKey: $0) }
        }
        guard missing.isEmpty else { throw LostTargets(references: missing) }
    }

    /// What a save makes of rows; nil for those that it deletes.
    private static func rows(of changes: StoreChangeSet) -> [RowReference: Row?] {
        var result: [RowReference: Row?] = [:]
        for delete in changes.deletes { result.updateValue(nil, forKey: delete.reference) }
        for update in changes.updates { result[update.row.reference] = update.row }
        return result
    }
}
