/// Objects whose deletion is undone, or given up by a merge policy.
extension NSManagedObjectContext {
    /// Brings back what delete rules have deleted because others had related it to an object whose
    /// deletion is undone, and gives the object back to those that it was taken from since.
    func undoLateRules(of object: NSManagedObject) {
        comeBack(object)
        guard object.row != nil else { return }
        for other in changed(deletedList, .deleted) where other.flags.contains(.deletedLate) {
            guard other.flags.isDisjoint(with: [.gone, .detached]), let row = other.row,
                other.registry.store === object.registry.store
            else { continue }
            var slots = SlotSet()
            for slot in other.layout.toOneSlots
            where other.layout.slots[slot].inverseSlot >= 0
                && row.reference(slot).map(current) == object.anyReference
            { slots.insert(slot) }
            guard !slots.isEmpty else { continue }
            yield(other, to: row, in: slots)
            // Its own rules may have taken others along in the same way.
            undoLateRules(of: other)
        }
    }

    /// What an object's relationships to many have, as far as it is known, by slot.
    func knownMembers(of object: NSManagedObject) -> [Int: [NSManagedObject]] {
        var result: [Int: [NSManagedObject]] = [:]
        for slot in object.layout.toManySlots {
            guard let collection = object.overlay?.box(slot).content as? ToManyCollection else {
                continue
            }
            result[slot] = collection.objects ?? collection.added
        }
        return result
    }

    /// Gives an object that is not deleted after all back to the objects that delete rules have
    /// taken it from.
    ///
    /// - Parameter members: What its relationships to many had while it was deleted; nil if they
    ///   still do.
    func comeBack(_ object: NSManagedObject, with members: [Int: [NSManagedObject]]? = nil) {
        let members = members ?? knownMembers(of: object)
        for slot in object.layout.slots
        where slot.isRelationship && slot.kind != .volatile && slot.inverseSlot >= 0 {
            let collection = object.overlay?.box(slot.index).content as? ToManyCollection
            let related =
                slot.isToMany
                ? members[slot.index] ?? []
                : object.toOneObject(slot.index).map { [$0] } ?? []
            for other in related where other.flags.isDisjoint(with: [.deleted, .detached]) {
                if other.layout.slots[slot.inverseSlot].isToMany {
                    // A content that was never read has lost nothing: it will have the
                    // object when it is read.
                    guard other.toMany(slot.inverseSlot).contains(object) == false else { continue }
                    regain(object, in: other, slot.inverseSlot)
                    settle(other)
                } else if other.toOneObject(slot.inverseSlot) == nil {
                    // Who was given to somebody else since keeps that; only what a rule
                    // has cleared comes back.
                    let isOwn =
                        slot.isToMany
                        ? collection?.isChanged(other) == true
                        : object.overlay?.changed.contains(slot.index) == true
                    takeBackClearing(of: other, slot.inverseSlot, object, isOwn: isOwn)
                }
            }
        }
    }

    /// Drops additions to an object's relationships to many that hold no more: of members that were
    /// deleted since, or whose own end a conflict has taken back.
    func dropLostAdditions(of object: NSManagedObject) {
        for slot in object.layout.toManySlots {
            let property = object.layout.slots[slot]
            guard property.inverseSlot >= 0,
                let collection = object.overlay?.box(slot).content as? ToManyCollection
            else { continue }
            let lost = collection.added.filter { member in
                // The end of the member is the one that is saved: an addition that it
                // does not share is none.
                !member.flags.isDisjoint(with: [.deleted, .detached])
                    || !property.isManyToMany
                        && member.toOneObject(property.inverseSlot) !== object
            }
            guard !lost.isEmpty else { continue }
            object.replaceValues { for member in lost { collection.dropAddition(of: member) } }
            notePending(.pendingRefresh, object)
            settle(object)
        }
    }

    /// Gives an object back what a delete rule has cleared, which is no change then.
    ///
    /// - Parameter isOwn: Whether the two were related here, without being saved.
    private func takeBackClearing(
        of other: NSManagedObject,
        _ slot: Int,
        _ object: NSManagedObject,
        isOwn: Bool
    ) {
        // What was never saved has no row to go back to, and is a change again.
        guard other.row != nil, !isOwn else { return other.link(slot, object) }
        // Others may have given it away, or to the object.
        guard other.refers(to: object, slot) || isSaved(other, slot, object) else { return }
        var dropped = SlotSet()
        dropped.insert(slot)
        other.replaceValues { other.forgetStoredValues(dropping: dropped) }
        notePending(.pendingRefresh, other)
        settle(other)
    }

    /// Whether the store has an object refer to another one by now. What can't be read does not.
    private func isSaved(_ other: NSManagedObject, _ slot: Int, _ object: NSManagedObject) -> Bool {
        guard let store = other.registry.store else { return false }
        let row = try? store.row(other.layout, other.primaryKey)
        return row?.reference(slot).map(current) == object.anyReference
    }

    /// Takes back the removal of an object from a relationship to many.
    func regain(_ object: NSManagedObject, in owner: NSManagedObject, _ slot: Int) {
        let property = owner.layout.slots[slot]
        let isOwn =
            !property.isManyToMany && object.overlay?.changed.contains(property.inverseSlot) == true
        // Where the store has it, it has a place.
        guard property.isOrdered, !isOwn else { return owner.link(slot, object) }
        owner.replaceValues { owner.toMany(slot).dropRemoval(of: object) }
        notePending(.pendingRefresh, owner)
    }
}
