/// Both ends of every loaded relationship agree, and no object shows a neighbour that is deleted,
/// has left the context, or is of another one.
///
/// Ends that were read at different times may differ until the save between them is merged; see
/// `ConsistencyJudge.isComparable(_:readAt:)`.
struct RelationshipInvariant {
    private let judge: ConsistencyJudge
    init(_ judge: ConsistencyJudge) { self.judge = judge }

    func check(_ objects: [NSManagedObject]) -> [Inconsistency] {
        objects.flatMap { object -> [Inconsistency] in
            guard let overlay = object.overlay,
                object.flags.isDisjoint(with: [.deleted, .gone, .detached, .fault])
            else { return [] }
            return overlay.boxes.flatMap { box -> [Inconsistency] in
                let slot = object.layout.slots[box.slot]
                guard slot.isRelationship, slot.kind != .volatile, slot.inverseSlot >= 0 else {
                    return []
                }
                if let collection = box.content as? ToManyCollection {
                    return (collection.objects ?? collection.added).flatMap {
                        self.findings(object, slot, $0, readAt: collection.readAt)
                    }
                }
                guard let neighbour = box.content as? NSManagedObject else { return [] }
                return findings(object, slot, neighbour, readAt: 0)
            }
        }
    }

    private func findings(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        _ neighbour: NSManagedObject,
        readAt: UInt64
    ) -> [Inconsistency] {
        [
            // One finding at most: of a neighbour that can't be there, the other end is wrong as
            // well.
            wrongNeighbour(object, slot, neighbour)
                ?? wrongInverse(object, slot, neighbour, readAt: readAt)
        ].compactMap(\.self)
    }

    // MARK: Neighbours

    private func wrongNeighbour(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        _ neighbour: NSManagedObject
    ) -> Inconsistency? {
        let name = neighbour.consistencyName
        if neighbour.registry.context !== judge.context {
            return Inconsistency(object, "shows \(name) of another context in \(slot.name)")
        }
        if judge.state.isRelatedToDeleted(object, slot.index, neighbour) { return nil }
        // Rules that leave references alone leave them to whoever has set them.
        let rule = neighbour.layout.slots[slot.inverseSlot].deleteRule
        let isCleared = rule == .nullifyDeleteRule || rule == .cascadeDeleteRule
        if neighbour.flags.contains(.deleted), isCleared,
            neighbour.flags.contains(.deletePropagated), isKnown(object, slot)
        {
            return Inconsistency(object, "shows \(name) in \(slot.name), which is deleted")
        }
        if neighbour.flags.contains(.detached) {
            return isCleared && isKnown(object, slot)
                ? Inconsistency(object, "shows \(name) in \(slot.name), which has left the context")
                : nil
        }
        if neighbour.flags.isDisjoint(with: .deleted),
            neighbour.registry.identityMap.object(neighbour.primaryKey) !== neighbour
        {
            return Inconsistency(
                object,
                "shows \(name) in \(slot.name), which is not the registered object for its row"
            )
        }
        return nil
    }

    /// Whether the context must know of what was committed last of a relationship, or has changed
    /// it. Until it does, what was read may be related to something that is deleted here.
    private func isKnown(_ object: NSManagedObject, _ slot: PropertySlot) -> Bool {
        if judge.isChangedBelow(object) { return false }
        if slot.isToMany { return judge.areToManyKnown(object) }
        if isChanged(object, slot) { return true }
        // A parent may have taken back what was read from it.
        guard judge.context.source.isStoreLevel || judge.isSettled else { return false }
        guard let entry = judge.entry(object) else { return true }
        return judge.mustKnow(entry, of: object)
    }

    // MARK: Inverses

    private func wrongInverse(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        _ neighbour: NSManagedObject,
        readAt: UInt64
    ) -> Inconsistency? {
        guard neighbour.flags.isDisjoint(with: .deleted) else { return nil }
        let inverse = neighbour.layout.slots[slot.inverseSlot]
        switch (slot.isToMany, inverse.isToMany) {
        case (true, false):
            return wrongOwner(object, slot, neighbour, inverse, readAt: readAt)
        case (false, true): return missingMember(object, slot, neighbour, inverse)
        case (true, true): return missingPartner(object, slot, neighbour, inverse, readAt)
        case (false, false): return wrongPartner(object, slot, neighbour, inverse)
        }
    }

    /// A member of a loaded to-many relationship that shows another owner.
    private func wrongOwner(
        _ owner: NSManagedObject,
        _ slot: PropertySlot,
        _ member: NSManagedObject,
        _ inverse: PropertySlot,
        readAt: UInt64
    ) -> Inconsistency? {
        let shown: Shown
        if isChanged(member, inverse) {
            // Read after a commit that the member does not know of yet, or before one that only the
            // member knows of: nothing was taken out then.
            guard
                judge.isSettled || judge.entry(member) == nil
                    || judge.hasLatestRow(member) && judge.isComparable(member, readAt: readAt),
                !judge.isChangedBelow(member)
            else { return nil }
            shown = toOne(member, inverse)
        } else {
            guard judge.context.source.isStoreLevel,
                judge.isComparable(member, readAt: readAt)
            else { return nil }
            if member.row == nil || member.flags.contains(.fault) {
                // Looked up in the store only where that may cost something.
                guard judge.isSettled else { return nil }
                shown = judge.rowBelow(member).map { row($0, inverse) } ?? .unknown
            } else {
                guard judge.hasLatestRow(member) else { return nil }
                shown = toOne(member, inverse)
            }
        }
        guard shown.differs(from: owner, in: judge.context) else { return nil }
        return Inconsistency(
            owner,
            "has \(member.consistencyName) in \(slot.name), whose \(inverse.name) is "
                + shown.text
        )
    }

    /// An owner whose loaded to-many relationship lacks an object that names it.
    private func missingMember(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        _ owner: NSManagedObject,
        _ inverse: PropertySlot
    ) -> Inconsistency? {
        // A content that is not read lacks nothing: `contains` answers nil then.
        guard let collection = owner.overlay?.box(inverse.index).content as? ToManyCollection,
            collection.contains(object) == false
        else { return nil }
        if !isChanged(object, slot) {
            guard judge.context.source.isStoreLevel, judge.hasLatestRow(object),
                judge.isComparable(object, readAt: collection.readAt),
                judge.areToManyComparable(owner, readAt: collection.readAt)
            else { return nil }
        }
        return Inconsistency(
            object,
            "has \(owner.consistencyName) for \(slot.name), whose \(inverse.name) lacks it"
        )
    }

    /// An object of a many-to-many relationship that shows it from one side only.
    private func missingPartner(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        _ partner: NSManagedObject,
        _ inverse: PropertySlot,
        _ readAt: UInt64
    ) -> Inconsistency? {
        guard let other = partner.overlay?.box(inverse.index).content as? ToManyCollection,
            other.contains(object) == false
        else { return nil }
        let collection = object.overlay?.box(slot.index).content as? ToManyCollection
        let isOwn = collection?.isChanged(partner) == true || other.isChanged(object)
        if !isOwn {
            // A commit between the two readings is seen by one end only.
            let readAt = min(readAt, other.readAt)
            guard judge.context.source.isStoreLevel,
                judge.areToManyComparable(object, readAt: readAt),
                judge.areToManyComparable(partner, readAt: readAt)
            else { return nil }
        }
        return Inconsistency(
            object,
            "has \(partner.consistencyName) in \(slot.name), whose \(inverse.name) lacks it"
        )
    }

    /// The other end of a one-to-one relationship that shows a third object.
    private func wrongPartner(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        _ partner: NSManagedObject,
        _ inverse: PropertySlot
    ) -> Inconsistency? {
        let shown: Shown
        if isChanged(object, slot) || isChanged(partner, inverse) {
            // Read ahead of a merge, which will take the partner from it.
            guard isChanged(object, slot) || judge.isComparable(object, readAt: 0) else {
                return nil
            }
            shown = toOne(partner, inverse)
        } else {
            guard judge.context.source.isStoreLevel, judge.hasLatestRow(object),
                judge.hasLatestRow(partner), judge.isComparable(object, readAt: 0),
                judge.isComparable(partner, readAt: 0)
            else { return nil }
            shown = toOne(partner, inverse)
        }
        guard shown.differs(from: object, in: judge.context) else { return nil }
        return Inconsistency(
            object,
            "has \(partner.consistencyName) for \(slot.name), whose \(inverse.name) is "
                + shown.text
        )
    }

    // MARK: Values, without reading them

    /// What a to-one relationship shows.
    private enum Shown {
        case unknown
        case object(NSManagedObject?)
        case reference(RowReference?)

        var text: String {
            switch self {
            case .unknown: "unknown"
            case .object(let object): object?.consistencyName ?? "nil"
            case .reference(let reference): reference.map { "p\($0.primaryKey)" } ?? "nil"
            }
        }

        func differs(from object: NSManagedObject, in context: NSManagedObjectContext) -> Bool {
            switch self {
            case .unknown: false
            case .object(let shown): shown !== object
            case .reference(let reference):
                reference.map(context.current)?.primaryKey
                    != context.current(object.anyReference).primaryKey
            }
        }
    }

    private func isChanged(_ object: NSManagedObject, _ slot: PropertySlot) -> Bool {
        object.overlay?.changed.contains(slot.index) == true
    }

    private func toOne(_ object: NSManagedObject, _ slot: PropertySlot) -> Shown {
        if let (isRead, content) = object.overlay?.box(slot.index), isRead {
            return .object(content as? NSManagedObject)
        }
        return object.row.map { row($0, slot) } ?? .unknown
    }

    private func row(_ row: Row, _ slot: PropertySlot) -> Shown {
        slot.kind == .toOne ? .reference(row.reference(slot.index)) : .unknown
    }
}
