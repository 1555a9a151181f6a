/// What the columns of new tables get from the old ones.
extension SchemaMigration {
    /// SQL over the source's row for a column of the destination's; nil if it stays empty, either
    /// for good or until the links are made.
    func content(of column: EntityColumn, for pair: Pair) -> SQLFragment? {
        switch column.role {
        case .value(let place):
            guard let slot = slot(place, in: pair) else { return nil }
            return slot.isRelationship ? key(slot, place, pair) : value(slot, pair)
        case .element(let place, let index):
            guard let slot = slot(place, in: pair) else { return nil }
            return element(index, of: slot, pair)
        case .destinationEntity(let place):
            guard let slot = slot(place, in: pair) else { return nil }
            return destinationEntity(slot, place, pair)
        case .order(let place):
            // The place goes with the key: where the link is written later, so is its place.
            guard let slot = slot(place, in: pair), let old = directSource(slot, place, pair)
            else { return nil }
            return source.columns(pair.source, old.index).order.map(named)
        case .owner(let place):
            return owner(place, pair).map { named($0.column) }
        case .ownerOrder(let place):
            return owner(place, pair)?.order.map(named)
        }
    }

    /// The slot of a pair's destination, if the property is one of that entity.
    private func slot(_ place: DeclaredSlot, in pair: Pair) -> PropertySlot? {
        let declaring = destination.model.entities[place.entity]
        return declaring.contains(pair.destination.index) ? pair.destination.slots[place.slot] : nil
    }

    private func named(_ name: String) -> SQLFragment { SQLFragment(SQLName.quoted(name)) }

    // MARK: Attributes

    private func value(_ slot: PropertySlot, _ pair: Pair) -> SQLFragment? {
        let standard = SQLBinding(slot.defaultValue, slot)
        // A value that the new kind can't take as it is counts as none, as for a new attribute.
        guard let old = pair.sourceSlots[slot.index], keepsValues(old, slot),
            let name = source.columns(pair.source, old.index).value
        else { return standard == .null ? nil : SQLFragment("?", [standard]) }
        let content = marked(named(name), from: old, to: slot)
        // A value that must not be missing any more gets the default where it is.
        guard old.isOptional, !slot.isOptional, standard != .null else { return content }
        return "ifnull(" + content + ", " + SQLFragment("?", [standard]) + ")"
    }

    /// Whether values of the source's kind are the same in the destination's column: SQLite makes
    /// an integer a real number itself, where the column is one of real numbers.
    private func keepsValues(_ old: PropertySlot, _ new: PropertySlot) -> Bool {
        if old.kind == new.kind { return true }
        guard let source = old.property as? NSAttributeDescription,
            let destination = new.property as? NSAttributeDescription
        else { return false }
        return AttributeConversion.keepsValues(
            from: source.attributeType,
            to: destination.attributeType
        )
    }

    /// An element of a composite, which keeps its keys from version to version.
    private func element(_ index: Int, of slot: PropertySlot, _ pair: Pair) -> SQLFragment? {
        guard let old = pair.sourceSlots[slot.index], let wanted = slot.composite?.elements[index],
            let place = old.composite?.index(of: wanted.path),
            old.composite?.elements[place].kind == wanted.kind
        else { return nil }
        let columns = source.columns(pair.source, old.index).elements
        return columns.indices.contains(place) ? columns[place].map(named) : nil
    }

    /// Data that may be kept in a file begins with a mark; a file that the mark names is read when
    /// the rows are there, see `StoreMigration`.
    private func marked(
        _ content: SQLFragment,
        from old: PropertySlot,
        to new: PropertySlot
    ) -> SQLFragment {
        guard old.allowsExternalStorage != new.allowsExternalStorage else { return content }
        return new.allowsExternalStorage
            // `||` gives text, whatever it joins; of NULL it gives NULL.
            ? "CAST(x'01' || " + content + " AS BLOB)"
            : "StoreMigrationExternalValue(" + content + ")"
    }

    // MARK: Relationships

    /// What the source has for a to-one, if its keys can be taken as they are.
    private func directSource(
        _ slot: PropertySlot,
        _ place: DeclaredSlot,
        _ pair: Pair
    ) -> PropertySlot? {
        guard link(place)?.isDirect == true else { return nil }
        return pair.sourceSlots[slot.index]
    }

    private func key(_ slot: PropertySlot, _ place: DeclaredSlot, _ pair: Pair) -> SQLFragment? {
        directSource(slot, place, pair)
            .flatMap { source.columns(pair.source, $0.index).value }.map(named)
    }

    private func destinationEntity(
        _ slot: PropertySlot,
        _ place: DeclaredSlot,
        _ pair: Pair
    ) -> SQLFragment? {
        guard let old = directSource(slot, place, pair) else { return nil }
        let columns = source.columns(pair.source, old.index)
        if let name = columns.destinationEntity {
            return SQLFragment(renumbered(SQLName.quoted(name)))
        }
        // Without that column the source's destination is one entity.
        guard let key = columns.value, old.destinationIndex >= 0 else { return nil }
        let number = renumbered("\(source.numbers[old.destinationIndex])")
        return SQLFragment("CASE WHEN \(SQLName.quoted(key)) IS NULL THEN NULL ELSE \(number) END")
    }

    /// The column of the owner through a to-many without inverse, if the pair's table has it.
    private func owner(
        _ place: DeclaredSlot,
        _ pair: Pair
    ) -> (column: String, order: String?)? {
        // The column is in the table of the members, so that only pairs whose rows came from that
        // table have it.
        guard let link = link(place), link.isDirect, let old = link.sources.first,
            case .ownerKey(let table, let name, let order)? = source.toManyAccess[old],
            source.entityTable(rootIndex: pair.source.rootIndex)?.name == table
        else { return nil }
        return (name, order)
    }
}
