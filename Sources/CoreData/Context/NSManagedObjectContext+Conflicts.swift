/// What merge policies do to objects whose rows others have changed.
extension NSManagedObjectContext {
    /// Drops an object's changes in some slots and takes the row as its ground.
    func yield(_ object: NSManagedObject, to stored: Row, in slots: SlotSet) {
        let wasDeleted = object.flags.contains(.deleted)
        // Noted first: what follows unloads contents, and these may be the only record of whom the
        // rules have taken the object from.
        let members = wasDeleted ? knownMembers(of: object) : [:]
        if wasDeleted {
            object.flags.remove(.deletePropagated)
            setState(nil, of: object)
            notePending(.pendingRefresh, object)
        }
        rebase(object, on: stored, dropping: slots)
        // On its new row it may be related to something that is deleted here, whose
        // rule takes it along.
        guard wasDeleted, object.flags.isDisjoint(with: [.inserted, .deleted]) else { return }
        // What is left of its changes is saved with it; rules of others may have changed it, too.
        if object.flags.isDisjoint(with: .updated), object.overlay?.changed.isEmpty == false {
            setState(.updated, of: object)
        }
        comeBack(object, with: members)
        // Its own content still has what its rules have deleted.
        object.replaceValues { object.forgetStoredRelationships() }
    }

    /// Keeps an object's deletion, although its row has changed.
    func delete(_ object: NSManagedObject, on stored: Row) {
        object.row = stored
        // Whom it was given here, its rules have taken from it; whom the row names, they have not.
        for slot in object.layout.toOneSlots { object.overlay?.changed.remove(slot) }
        object.forgetStoredRelationships()
        // The row of a partner in a one-to-one relationship, too, may have come to refer to it.
        for slot in object.layout.toOneSlots {
            let inverse = object.layout.slots[slot].inverseSlot
            guard inverse >= 0, let partner = knownObject(stored.reference(slot), of: object),
                !partner.layout.slots[inverse].isToMany, partner.toOneObject(inverse) !== object
            else { continue }
            catchUp(partner)
        }
        applyDeleteRules(to: [object])
    }

    /// Has other objects that show what the store says of an object's to-one relationships let go
    /// of it where its own changes say otherwise.
    func takeFromOthers(_ object: NSManagedObject, _ stored: Row) {
        for slot in object.layout.toOneSlots {
            let inverse = object.layout.slots[slot].inverseSlot
            guard inverse >= 0, object.overlay?.changed.contains(slot) == true,
                let store = object.registry.store, let reference = stored.reference(slot)
            else { continue }
            let property = object.layout.slots[slot]
            let isShared =
                coordinator.modelLayout.entities[property.destinationIndex].slots[inverse].isToMany
            // An owner of many has no column that names the object; a partner in one-to-one has.
            if isShared {
                guard let other = knownObject(reference, of: object),
                    other !== object.toOneObject(slot)
                else { continue }
                reread(other, inverse, object, false)
            } else {
                // The other row says so too, and has to be changed.
                let other = self.object(reference, in: store)
                guard other !== object.toOneObject(slot),
                    other.flags.isDisjoint(with: [.deleted, .detached])
                else { continue }
                alignPartner(other, inverse, with: object)
                other.letGo(of: object, inverse)
            }
        }
    }

    /// Brings a partner in a one-to-one relationship up to date whose row, read before others have
    /// related the two, does not refer to the object yet: what is changed here is a change for both
    /// rows.
    func alignPartner(_ partner: NSManagedObject, _ slot: Int, with object: NSManagedObject) {
        guard !partner.refers(to: object, slot), !partner.hasChangesOfRow else { return }
        catchUp(partner)
    }

    /// Puts an object's changes, but for those in some slots, on top of another row, and tells
    /// everybody what the object shows of it: observers, and the other ends of its relationships.
    func rebase(_ object: NSManagedObject, on stored: Row, dropping slots: SlotSet) {
        // What is to be compared is collected while the object still has its old row and its
        // changes.
        var moved: [(slot: Int, from: NSManagedObject?)] = []
        let ends = movedEnds(of: object, to: stored)
        for slot in object.layout.toOneSlots where object.layout.slots[slot].inverseSlot >= 0 {
            guard object.overlay?.changed.contains(slot) == true, slots.contains(slot) else {
                continue
            }
            moved.append((slot, object.toOneObject(slot)))
        }
        let parted = changedPartners(of: object, in: slots)
        object.replaceValues {
            object.row = stored
            object.forgetStoredValues(dropping: slots)
            notePending(.pendingRefresh, object)
        }
        for (partner, slot, isAdded) in parted {
            partner.replaceValues {
                let collection = partner.toMany(slot)
                if isAdded {
                    collection.dropAddition(of: object)
                } else {
                    collection.dropRemoval(of: object)
                }
            }
            notePending(.pendingRefresh, partner)
            // Where nothing but this had changed it, the partner is what its row says again.
            settle(partner)
        }
        // The other ends follow the object back to what the store says.
        for (slot, old) in moved {
            let inverse = object.layout.slots[slot].inverseSlot
            let now = object.toOneObject(slot)
            guard old !== now else { continue }
            if let old, !old.flags.contains(.deleted) { old.unlink(inverse, object) }
            guard let now, !now.flags.contains(.deleted) else { continue }
            if now.layout.slots[inverse].isToMany {
                regain(object, in: now, inverse)
            } else {
                if let other = now.toOneObject(inverse), other !== object {
                    other.unlink(slot, now)
                }
                now.link(inverse, object)
            }
        }
        // The delete rules come last: they go by whom the object belongs to when both ends
        // agree, and may delete it.
        reread(ends, of: object)
        takeFromOthers(object, stored)
        holdPartners(of: object)
        applyDeleteRules(to: [object])
    }

    /// Has the partners that an object was given here, in one-to-one relationships, be written with
    /// it where others have given them away.
    private func holdPartners(of object: NSManagedObject) {
        for slot in object.layout.toOneSlots where object.differsFromRow(slot) {
            let inverse = object.layout.slots[slot].inverseSlot
            guard inverse >= 0, let partner = object.toOneObject(slot),
                !partner.layout.slots[inverse].isToMany,
                partner.flags.isDisjoint(with: [.deleted, .detached])
            else { continue }
            partner.holdPartner(object, inverse)
        }
    }

    /// To-one relationships of which others have changed what a row says.
    typealias MovedEnds = [(slot: Int, from: RowReference?, to: RowReference?)]

    /// The to-one relationships of an object that a newer row changes, but for those that are
    /// changed here.
    func movedEnds(of object: NSManagedObject, to stored: Row) -> MovedEnds {
        let known = object.row
        return object.layout.toOneSlots.compactMap { slot in
            guard object.layout.slots[slot].inverseSlot >= 0,
                object.overlay?.changed.contains(slot) != true,
                known?.reference(slot) != stored.reference(slot)
            else { return nil }
            return (slot, known?.reference(slot), stored.reference(slot))
        }
    }

    /// Whether an owner that an object's row names has read its members.
    func isListedByOwner(_ object: NSManagedObject) -> Bool {
        guard let row = object.row else { return false }
        return object.layout.toOneSlots.contains { slot in
            let inverse = object.layout.slots[slot].inverseSlot
            guard inverse >= 0, let owner = knownObject(row.reference(slot), of: object),
                owner.layout.slots[inverse].isToMany
            else { return false }
            return (owner.overlay?.box(inverse).content as? ToManyCollection)?.isLoaded == true
        }
    }

    /// Brings the other ends of relationships up to date that an object's newer row has changed.
    func reread(_ ends: MovedEnds, of object: NSManagedObject) {
        for (slot, old, now) in ends {
            let inverse = object.layout.slots[slot].inverseSlot
            if let other = knownObject(old, of: object) { reread(other, inverse, object, false) }
            if let other = knownObject(now, of: object) { reread(other, inverse, object, true) }
        }
    }

    /// The objects that were added to many-to-many relationships of an object, or removed, with the
    /// slots of their ends.
    private func changedPartners(
        of object: NSManagedObject,
        in slots: SlotSet
    ) -> [(partner: NSManagedObject, slot: Int, isAdded: Bool)] {
        var result: [(partner: NSManagedObject, slot: Int, isAdded: Bool)] = []
        for slot in slots.members where object.layout.slots[slot].isManyToMany {
            let inverse = object.layout.slots[slot].inverseSlot
            guard let collection = object.overlay?.box(slot).content as? ToManyCollection else {
                continue
            }
            result += collection.added.map { ($0, inverse, true) }
            result += collection.removed.map { ($0, inverse, false) }
        }
        return result.filter { $0.partner.flags.isDisjoint(with: [.deleted, .detached]) }
    }

    /// The object of a row that another object refers to, if it is registered.
    private func knownObject(
        _ reference: RowReference?,
        of object: NSManagedObject
    ) -> NSManagedObject? {
        guard let store = object.registry.store, let reference = reference.map(current) else {
            return nil
        }
        let known = registry(reference.entityIndex, in: store).known(reference.primaryKey)
        return known?.flags.isDisjoint(with: [.deleted, .detached]) == true ? known : nil
    }

    /// Brings one end of a relationship up to date whose other end was changed by somebody else. Of
    /// a relationship to many, what else has changed is left to the merge that tells of it.
    private func reread(
        _ object: NSManagedObject,
        _ slot: Int,
        _ other: NSManagedObject,
        _ isMember: Bool
    ) {
        guard object.layout.slots[slot].isToMany else {
            // A fault reads the row as it is when it is fired.
            if !object.flags.contains(.fault) { refresh(object, mergeChanges: true) }
            return
        }
        guard let collection = object.overlay?.box(slot).content as? ToManyCollection,
            collection.isLoaded
        else { return }
        object.replaceValues {
            if isMember { collection.gain(other) } else { collection.lose(other) }
        }
        notePending(.pendingRefresh, object)
    }

    /// Has an object, and those that it is related to by what was stored, let go of each other where
    /// others have deleted these since: it can't be related to them again.
    func releaseLostPartners(of object: NSManagedObject) {
        for slot in object.layout.toOneSlots where object.overlay?.changed.contains(slot) != true {
            guard let partner = object.toOneObject(slot), partner.isLost else { continue }
            notePending(.pendingRefresh, object)
            let inverse = object.layout.slots[slot].inverseSlot
            guard inverse >= 0,
                let content = partner.overlay?.box(inverse).content as? ToManyCollection
            else { continue }
            partner.replaceValues { content.lose(object) }
            notePending(.pendingRefresh, partner)
        }
    }

    /// Saves an object whose row is gone as a new row with the same key.
    func reinsert(_ object: NSManagedObject) {
        // First of all: a partner that is brought up to date must not find the object gone.
        object.flags.insert(.reinserted)
        // While the old row is there to take them from; it is dropped below.
        object.holdAllValues()
        // What others have cut off it with its row is not there to be read again.
        object.replaceValues { object.forgetStoredRelationships() }
        notePending(.pendingRefresh, object)
        object.row = nil
        setState(.inserted, of: object)
    }
}
