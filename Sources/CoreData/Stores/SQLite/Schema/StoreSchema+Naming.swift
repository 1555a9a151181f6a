extension StoreSchema: ColumnNaming {
    // A relationship may lead out of the store's configuration. Names that the store does not have
    // then end in SQLite's "no such table" or "no such column", which names them.

    func table(rootIndex: Int) -> String {
        entityTable(rootIndex: rootIndex)?.name ?? "Z" + model.entities[rootIndex].name.uppercased()
    }

    func column(_ slot: PropertySlot, in layout: EntityLayout) -> String {
        columns(layout, slot.index).value ?? "Z" + slot.name.uppercased()
    }

    func column(_ slot: PropertySlot, element: Int, in layout: EntityLayout) -> String? {
        let names = columns(layout, slot.index).elements
        return element < names.count ? names[element] : nil
    }

    func toMany(_ slot: PropertySlot, in layout: EntityLayout) -> ToManyStorage {
        switch access(slot) {
        case .foreignKey(_, let column, _), .ownerKey(_, let column, _):
            .foreignKey(column: column)
        case .join(let table, let own, let other, _, _):
            .joinTable(name: table, ownerColumn: own, destinationColumn: other)
        case nil: .foreignKey(column: "Z" + slot.name.uppercased())
        }
    }

    func entityNumber(_ entityIndex: Int) -> Int64 { Int64(numbers[entityIndex]) }
}

extension StoreSchema {
    /// SQL for the rows of a table that are of an entity or one of its subentities.
    ///
    /// A table of one entity has that entity's rows, whatever number they bear.
    func entityCondition(_ layout: EntityLayout) -> String {
        if layout.isRoot, !layout.hasSubentities { return "1" }
        return "Z_ENT BETWEEN \(numbers[layout.index]) AND \(numbers[layout.lastDescendantIndex])"
    }
}
