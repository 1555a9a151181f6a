/// A relationship of the destination that rows keep, with its inverse if there is one, and the
/// source's relationships that its links come from.
struct LinkMigration {
    /// How rows keep the links of a relationship and its inverse.
    enum Form {
        /// A key in the row of the one side.
        case key
        /// A key in the row of either side.
        case keyPair
        /// A key of the owner in the row of the other side, which knows nothing of it.
        case ownerKey
        case join
    }

    /// The relationship that says all: the to-one, if just one end is that.
    let place: DeclaredSlot
    let inverse: DeclaredSlot?
    let form: Form
    /// The source's relationships, of each of which `place` has all links.
    let sources: [DeclaredSlot]
    /// Whether `sources` are what `inverse` was, so that their links are turned round.
    let isTurned: Bool
    /// Whether there are links to objects that the relationship does not lead to any more.
    let isNarrowed: Bool
    /// Whether the rows' columns can be copied as they are.
    let isDirect: Bool

    var places: [DeclaredSlot] { [place] + (inverse.map { [$0] } ?? []) }

    // MARK: Making

    /// All relationships of the destination that a store keeps, each with its inverse once.
    static func all(
        from source: StoreSchema,
        to destination: StoreSchema,
        pairs: [SchemaMigration.Pair]
    ) -> [LinkMigration] {
        var seen: Set<DeclaredSlot> = []
        var result: [LinkMigration] = []
        for entity in destination.members {
            for slot in entity.slots
            where slot.declaringEntityIndex == entity.index && slot.isRelationship
                && !slot.isTransient
            {
                let own = DeclaredSlot(entity: entity.index, slot: slot.index)
                guard !seen.contains(own) else { continue }
                let other = destination.inverse(of: slot)
                // The inverse says the same links: taken over a second time, they would overwrite
                // the first.
                seen.formUnion([own, other].compactMap(\.self))
                result.append(
                    LinkMigration(own, slot, other, from: source, to: destination, pairs: pairs)
                )
            }
        }
        return result
    }

    private init(
        _ own: DeclaredSlot,
        _ slot: PropertySlot,
        _ other: DeclaredSlot?,
        from source: StoreSchema,
        to destination: StoreSchema,
        pairs: [SchemaMigration.Pair]
    ) {
        let otherSlot = other.map { destination.model.entities[$0.entity].slots[$0.slot] }
        // The one side goes first: its rows hold the key.
        if slot.isToMany, let other, otherSlot?.isToMany == false {
            place = other
            inverse = own
        } else {
            place = own
            inverse = other
        }
        switch (slot.isToMany, otherSlot?.isToMany) {
        case (true, true?): form = .join
        case (true, nil): form = .ownerKey
        case (false, false?): form = .keyPair
        default: form = .key
        }
        let direct = Self.sources(of: place, in: destination, pairs)
        let turned = inverse.map { Self.sources(of: $0, in: destination, pairs) } ?? []
        // The relationship itself may be new while its inverse goes on, which has all links too.
        isTurned = direct.isEmpty && !turned.isEmpty
        sources = isTurned ? turned : direct
        isNarrowed = [own, other].compactMap(\.self).contains { place in
            Self.sources(of: place, in: destination, pairs).contains {
                Self.isNarrowed($0, place, from: source, to: destination, pairs)
            }
        }
        // Copying columns is sound only if each key still leads to a row that the relationship
        // allows.
        isDirect =
            !isTurned && !isNarrowed
            && Self.isDirect(form, sources, turned, source)
    }

    /// What the entities that have a relationship had for it.
    private static func sources(
        of place: DeclaredSlot,
        in destination: StoreSchema,
        _ pairs: [SchemaMigration.Pair]
    ) -> [DeclaredSlot] {
        let declaring = destination.model.entities[place.entity]
        var result: [DeclaredSlot] = []
        for pair in pairs where declaring.contains(pair.destination.index) {
            guard let slot = pair.sourceSlots[place.slot], slot.isRelationship else { continue }
            let source = DeclaredSlot(entity: slot.declaringEntityIndex, slot: slot.index)
            if !result.contains(source) { result.append(source) }
        }
        return result
    }

    /// Whether some objects that a source's relationship leads to are none for the destination's.
    private static func isNarrowed(
        _ old: DeclaredSlot,
        _ new: DeclaredSlot,
        from source: StoreSchema,
        to destination: StoreSchema,
        _ pairs: [SchemaMigration.Pair]
    ) -> Bool {
        let oldSlot = source.model.entities[old.entity].slots[old.slot]
        let newSlot = destination.model.entities[new.entity].slots[new.slot]
        guard oldSlot.destinationIndex >= 0, newSlot.destinationIndex >= 0 else { return false }
        let from = source.model.entities[oldSlot.destinationIndex]
        let to = destination.model.entities[newSlot.destinationIndex]
        // An entity that has vanished is no pair; keys to its rows are cut in the end.
        return pairs.contains {
            from.contains($0.source.index) && !to.contains($0.destination.index)
        }
    }

    private static func isDirect(
        _ form: Form,
        _ sources: [DeclaredSlot],
        _ inverseSources: [DeclaredSlot],
        _ source: StoreSchema
    ) -> Bool {
        let slots = sources.map { source.model.entities[$0.entity].slots[$0.slot] }
        switch form {
        case .key: return slots.allSatisfy { !$0.isToMany }
        case .keyPair:
            // Keys of both sides must say the same.
            return slots.allSatisfy { slot in
                guard !slot.isToMany, let inverse = source.inverse(of: slot) else { return false }
                return inverseSources == [inverse]
                    && !source.model.entities[inverse.entity].slots[inverse.slot].isToMany
            }
        case .ownerKey:
            // Each source has a column of its own, and one column can be copied from one only.
            guard sources.count <= 1 else { return false }
            return slots.allSatisfy { $0.isToMany && $0.inverseSlot < 0 }
        // A join table that needs no change stays, see `SchemaMigration.keeps(_:)`; others are made
        // anew.
        case .join: return false
        }
    }
}

extension StoreSchema {
    /// The inverse of a relationship, where it is declared; nil without one.
    func inverse(of slot: PropertySlot) -> DeclaredSlot? {
        guard slot.inverseSlot >= 0, slot.destinationIndex >= 0 else { return nil }
        let inverse = model.entities[slot.destinationIndex].slots[slot.inverseSlot]
        return DeclaredSlot(entity: inverse.declaringEntityIndex, slot: inverse.index)
    }
}
