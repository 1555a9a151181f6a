/// Copies the rows of one store into another one that is empty.
struct StoreCopy {
    let source: any RowStore
    let target: any RowStore
    /// The entities that both have.
    let entities: [EntityLayout]

    /// Writes one transaction for each inheritance tree, and one for relationships that no row
    /// tells of.
    func run() throws {
        var links: [StoreChangeSet.ToManyChange] = []
        for root in entities where root.isRoot {
            var changes = StoreChangeSet(isCopy: true)
            for row in try source.rows(FetchPlan(layout: root)) {
                guard let layout = entities.first(where: { $0.index == row.entityIndex }) else {
                    continue
                }
                changes.inserts.append(copy(row, layout))
                for slot in layout.toManySlots.map({ layout.slots[$0] })
                where slot.isManyToMany || slot.inverseSlot < 0 || slot.isOrdered {
                    // Of all others the members say in their own rows who owns them.
                    let content = try source.related(layout, slot, row.primaryKey)
                    guard !content.isEmpty else { continue }
                    links.append(
                        StoreChangeSet.ToManyChange(
                            owner: row.reference,
                            slot: slot.index,
                            added: slot.isManyToMany || slot.inverseSlot < 0 ? content : [],
                            removed: [],
                            order: slot.isOrdered ? content : nil
                        )
                    )
                }
            }
            if !changes.isEmpty { try target.write(changes) }
        }
        // After all rows: they may lead to rows of any tree.
        if !links.isEmpty { try target.write(StoreChangeSet(toManyChanges: links, isCopy: true)) }
    }

    /// A row is in one cache only, so the target gets one of its own.
    private func copy(_ row: Row, _ layout: EntityLayout) -> Row {
        Row.make(
            layout: layout,
            primaryKey: row.primaryKey,
            version: 1,
            values: layout.slots.map { row.value($0.index, $0.kind) }
        )
    }
}
