extension MemoryTables {
    /// Changes what the rows themselves do not say of to-many relationships.
    mutating func apply(_ changes: [StoreChangeSet.ToManyChange]) {
        // All removals first: what one change adds must not be taken out again by another.
        for change in changes {
            for member in change.removed { remove(member, change.owner, slot(of: change)) }
        }
        for change in changes {
            for member in change.added { add(member, change.owner, slot(of: change)) }
        }
        for change in changes {
            guard let order = change.order else { continue }
            orders[Self.place(slot(of: change)), default: [:]][change.owner.primaryKey] =
                order.map(\.primaryKey)
        }
    }

    /// Removes a deleted row from the relationships that are kept beside the rows.
    mutating func forgetRelationships(of layout: EntityLayout, _ key: Int64) {
        // Whatever is left under the key would come up again if a row is inserted with that key
        // once more.
        for index in layout.toManySlots {
            let slot = layout.slots[index], place = Self.place(slot)
            orders[place]?[key] = nil
            guard slot.isManyToMany || slot.inverseSlot < 0 else { continue }
            let content = members[place]?.removeValue(forKey: key) ?? [:]
            let other = inverse(slot)
            for member in content.keys {
                if let other {
                    members[other]?[member]?[key] = nil
                } else {
                    owners[place]?[member] = nil
                }
            }
        }
        // The row may be a member of relationships that it has no inverse of.
        for (place, byMember) in owners {
            let declared = model.entities[place.entity].slots[place.slot]
            guard model.entities[declared.destinationIndex].rootIndex == layout.rootIndex,
                let owner = byMember[key]
            else { continue }
            owners[place]?[key] = nil
            members[place]?[owner]?[key] = nil
        }
    }

    private func slot(of change: StoreChangeSet.ToManyChange) -> PropertySlot {
        model.entities[change.owner.entityIndex].slots[change.slot]
    }

    private mutating func remove(
        _ member: RowReference,
        _ owner: RowReference,
        _ slot: PropertySlot
    ) {
        let place = Self.place(slot)
        if slot.isManyToMany, let other = inverse(slot) {
            members[place]?[owner.primaryKey]?[member.primaryKey] = nil
            members[other]?[member.primaryKey]?[owner.primaryKey] = nil
        } else if slot.inverseSlot < 0, owners[place]?[member.primaryKey] == owner.primaryKey {
            // Another owner, to whom the member has gone in the same save, keeps it.
            owners[place]?[member.primaryKey] = nil
            members[place]?[owner.primaryKey]?[member.primaryKey] = nil
        }
    }

    private mutating func add(
        _ member: RowReference,
        _ owner: RowReference,
        _ slot: PropertySlot
    ) {
        let place = Self.place(slot)
        if slot.isManyToMany, let other = inverse(slot) {
            members[place, default: [:]][owner.primaryKey, default: [:]][member.primaryKey] = member
            members[other, default: [:]][member.primaryKey, default: [:]][owner.primaryKey] = owner
        } else if slot.inverseSlot < 0 {
            // A member has one owner: it leaves the one before.
            if let before = owners[place]?[member.primaryKey] {
                members[place]?[before]?[member.primaryKey] = nil
            }
            owners[place, default: [:]][member.primaryKey] = owner.primaryKey
            members[place, default: [:]][owner.primaryKey, default: [:]][member.primaryKey] = member
        }
    }
}
