/// Works out the tables and columns that a new store of a model gets.
struct SchemaPlan {
    let model: ModelLayout
    let members: [EntityLayout]
    /// `Z_ENT` by layout index; 0 for entities that the store does not have.
    let numbers: [Int]

    // MARK: Entity tables

    func makeTables() -> [EntityTable] {
        let roots = Set(members.map(\.rootIndex)).sorted()
        let ownerless = toManysWithoutInverse()
        return roots.map { rootIndex in
            EntityTable(
                rootIndex: rootIndex,
                name: "Z" + model.entities[rootIndex].name.uppercased(),
                columns: columns(rootIndex, ownerless: ownerless)
            )
        }
    }

    /// The columns in their order: by group; in a group the entities in pre-order; in an entity
    /// the attributes before the relationships, each by name.
    private func columns(
        _ rootIndex: Int,
        ownerless: [Int: [(DeclaredSlot, PropertySlot)]]
    ) -> [EntityColumn] {
        // One name space for the whole tree, attributes and relationships together: names that
        // clash get their numbers in pre-order, so that the order in which they are taken here is
        // part of the format.
        var names = ColumnNames()
        var values: [EntityColumn] = []
        var orders: [EntityColumn] = []
        let root = model.entities[rootIndex]
        for entityIndex in root.index...root.lastDescendantIndex where numbers[entityIndex] > 0 {
            let entity = model.entities[entityIndex]
            // An inherited property has one column, which its ancestor's turn has made.
            let own = entity.slots.filter { $0.declaringEntityIndex == entityIndex }
            for slot in own.filter({ !$0.isRelationship }) + own.filter(\.isRelationship) {
                guard let group = slot.kind.columnGroup else { continue }
                let place = DeclaredSlot(entity: entityIndex, slot: slot.index)
                if let composite = slot.composite {
                    values += elementColumns(composite, slot, place, &names)
                    continue
                }
                let name = names.take("Z" + slot.name.uppercased())
                values.append(
                    EntityColumn(
                        name: name,
                        declaredType: slot.kind.declaredColumnType,
                        role: .value(place),
                        group: group
                    )
                )
                if slot.kind == .toOne {
                    // Named after the key's column, number included, so that they need not be made
                    // unique themselves.
                    values += destinationEntityColumn(slot, place, name)
                    orders += orderColumn(slot, place, name)
                }
            }
            for (place, slot) in ownerless[entityIndex] ?? [] {
                let name = names.take("Z\(numbers[place.entity])\(slot.name.uppercased())")
                values.append(integer(name, .owner(place)))
                if slot.isOrdered {
                    orders.append(integer("Z_FOK_\(name.dropFirst())", .ownerOrder(place)))
                }
            }
        }
        // The sort is by group only: what stands in a group keeps its order, places at its end.
        return (0...7).flatMap { group in
            values.filter { $0.group == group } + (group == 0 ? orders : [])
        }
    }

    /// A column for each element, named after the composite and the element.
    private func elementColumns(
        _ composite: CompositeLayout,
        _ slot: PropertySlot,
        _ place: DeclaredSlot,
        _ names: inout ColumnNames
    ) -> [EntityColumn] {
        composite.elements.enumerated().map { index, element in
            let path = ([slot.name] + element.path).joined(separator: "_")
            return EntityColumn(
                name: names.take("Z" + path.uppercased()),
                declaredType: element.kind.declaredColumnType,
                role: .element(place, index),
                group: element.kind.columnGroup ?? 0
            )
        }
    }

    private func destinationEntityColumn(
        _ slot: PropertySlot,
        _ place: DeclaredSlot,
        _ name: String
    ) -> [EntityColumn] {
        // Without sub-entities the destination's entity is known from the model.
        guard model.entities[slot.destinationIndex].hasSubentities else { return [] }
        let number = numbers[slot.destinationIndex]
        return [integer("Z\(number)_\(name.dropFirst())", .destinationEntity(place))]
    }

    private func orderColumn(
        _ slot: PropertySlot,
        _ place: DeclaredSlot,
        _ name: String
    ) -> [EntityColumn] {
        guard slot.inverseSlot >= 0 else { return [] }
        let inverse = model.entities[slot.destinationIndex].slots[slot.inverseSlot]
        // The place is kept by the row that holds the key, since a row is in one such collection at
        // most.
        guard inverse.isToMany, inverse.isOrdered else { return [] }
        return [integer("Z_FOK_\(name.dropFirst())", .order(place))]
    }

    private func integer(_ name: String, _ role: EntityColumn.Role) -> EntityColumn {
        EntityColumn(name: name, declaredType: "INTEGER", role: role, group: 0)
    }

    /// To-many relationships without inverse, by the destination in whose table their column is.
    private func toManysWithoutInverse() -> [Int: [(DeclaredSlot, PropertySlot)]] {
        var result: [Int: [(DeclaredSlot, PropertySlot)]] = [:]
        for entity in members {
            for slot in entity.slots
            where slot.declaringEntityIndex == entity.index && slot.kind == .toMany
                && slot.inverseSlot < 0 && slot.destinationIndex >= 0
            {
                let place = DeclaredSlot(entity: entity.index, slot: slot.index)
                result[slot.destinationIndex, default: []].append((place, slot))
            }
        }
        return result
    }

    // MARK: Join tables

    func makeJoinTables() -> [JoinTable] {
        let keyColumns = joinKeyColumns()
        var result: [JoinTable] = []
        for entity in members {
            for slot in ownManyToManys(of: entity) {
                let place = DeclaredSlot(entity: entity.index, slot: slot.index)
                guard let (other, inverse) = self.inverse(of: slot),
                    owns(entity, slot, over: other, inverse)
                else { continue }
                let otherPlace = DeclaredSlot(entity: other.index, slot: inverse.index)
                let number = numbers[other.index]
                // Both columns of a relationship that is its own inverse would bear the same name.
                let isReflexive = place == otherPlace
                let destination =
                    isReflexive
                    ? "Z_\(number)\(slot.name.uppercased())" : keyColumns[otherPlace] ?? ""
                let source = isReflexive ? "REFLEXIVE" : keyColumns[place] ?? ""
                result.append(
                    JoinTable(
                        name: "Z_\(numbers[entity.index])\(slot.name.uppercased())",
                        owner: place,
                        inverse: otherPlace,
                        sourceColumn: source,
                        destinationColumn: destination,
                        destinationOrderColumn: slot.isOrdered
                            ? "Z_FOK_\(destination.dropFirst(2))" : nil,
                        sourceOrderColumn: inverse.isOrdered && !isReflexive
                            ? "Z_FOK_\(source.dropFirst(2))" : nil
                    )
                )
            }
        }
        return result
    }

    /// The declaring entity of the inverse, and the inverse.
    private func inverse(of slot: PropertySlot) -> (EntityLayout, PropertySlot)? {
        guard slot.inverseSlot >= 0, slot.destinationIndex >= 0 else { return nil }
        let inverse = model.entities[slot.destinationIndex].slots[slot.inverseSlot]
        return (model.entities[inverse.declaringEntityIndex], inverse)
    }

    /// The relationship of the entity whose name sorts first owns the table. Between two of one
    /// entity Apple's stores show no rule; the name that sorts last fits most of them.
    private func owns(
        _ entity: EntityLayout,
        _ slot: PropertySlot,
        over other: EntityLayout,
        _ inverse: PropertySlot
    ) -> Bool {
        // Not greater only: a relationship that is its own inverse owns its table.
        entity.index == other.index ? slot.name >= inverse.name : entity.name < other.name
    }

    private func ownManyToManys(of entity: EntityLayout) -> [PropertySlot] {
        entity.slots.filter {
            $0.declaringEntityIndex == entity.index && $0.kind == .toMany && $0.isManyToMany
        }
    }

    /// For each many-to-many relationship the column with the keys of the objects that have it:
    /// named after their entity and the inverse, which yields them, and unique for that entity.
    private func joinKeyColumns() -> [DeclaredSlot: String] {
        var result: [DeclaredSlot: String] = [:]
        for entity in members {
            var names = ColumnNames()
            for slot in ownManyToManys(of: entity) {
                guard let (_, inverse) = inverse(of: slot) else { continue }
                let name = names.take("Z_\(numbers[entity.index])\(inverse.name.uppercased())")
                result[DeclaredSlot(entity: entity.index, slot: slot.index)] = name
            }
        }
        return result
    }
}

/// Hands out column names: the first of a kind as it is, later ones with 1, 2, 3 behind them.
private struct ColumnNames {
    private var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

    mutating func take(_ name: String) -> String {
        var candidate = name
        var number = 0
        while !taken.insert(candidate).inserted {
            number += 1
            candidate = "\(name)\(number)"
        }
        return candidate
    }
}
