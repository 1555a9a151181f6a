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
            undoLateRules(of: other)
        }
    }

    /// Gives an object that is not deleted after all back to the objects that delete rules have
    /// taken it from.
    func comeBack(_ object: NSManagedObject) {
        for slot in object.layout.slots
        where slot.isRelationship && slot.kind != .volatile && slot.inverseSlot >= 0 {
            let collection = object.overlay?.box(slot.index).content as? ToManyCollection
            let related =
                slot.isToMany
                ? collection?.objects ?? [] : object.toOneObject(slot.index).map { [$0] } ?? []
            for other in related where other.flags.isDisjoint(with: [.deleted, .detached]) {
                if other.layout.slots[slot.inverseSlot].isToMany {
                    guard other.toMany(slot.inverseSlot).contains(object) == false else { continue }
                    regain(object, in: other, slot.inverseSlot)
                    settle(other)
                } else if other.toOneObject(slot.inverseSlot) == nil {
                    let isOwn = collection?.isChanged(other) == true
                    takeBackClearing(of: other, slot.inverseSlot, object, isOwn: isOwn)
                }
            }
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
        guard let row = other.row, !isOwn else { return other.link(slot, object) }
        // Others may have given it away.
        guard row.reference(slot).map(current) == object.anyReference else { return }
        var dropped = SlotSet()
        dropped.insert(slot)
        other.replaceValues { other.forgetStoredValues(dropping: dropped) }
        notePending(.pendingRefresh, other)
        settle(other)
    }

    /// Takes back the removal of an object from a relationship to many.
    func regain(_ object: NSManagedObject, in owner: NSManagedObject, _ slot: Int) {
        guard owner.layout.slots[slot].isOrdered else { return owner.link(slot, object) }
        owner.replaceValues { owner.toMany(slot).dropRemoval(of: object) }
        notePending(.pendingRefresh, owner)
    }
}
