import Foundation

/// Relationships by slot. Both ends are always changed together.
extension NSManagedObject {
    /// The object of a to-one relationship.
    final func toOneObject(_ slot: Int) -> NSManagedObject? {
        fireIfFault()
        if let overlay {
            let (found, content) = overlay.box(slot)
            if found { return content as? NSManagedObject }
        }
        guard let row, layout.slots[slot].kind == .toOne, let reference = row.reference(slot),
            let store = registry.store, let context = registry.context
        else { return nil }
        // The identity map is weak. The box keeps the object alive, so that the next access, by
        // whomever, finds the same one with its changes.
        let object = context.object(reference, in: store)
        ensureOverlay().setBox(slot, object)
        return object
    }

    /// Sets a to-one relationship and its inverse.
    final func setToOne(_ slot: Int, _ object: NSManagedObject?) {
        noteIfUnread()
        let property = layout.slots[slot]
        if let object { checkRelated(property, object) }
        alignRows(slot, with: toOneObject(slot))
        if let object {
            alignRows(slot, with: object)
            // Which may have found that others have deleted it.
            noteIfDeleted(property, object)
        }
        // Asked again, for aligning the rows may have brought another partner.
        let old = toOneObject(slot)
        guard old !== object else { return }
        // This end first: contents that are read below go by it. Then whoever has lost something by
        // it, and last the new partner, whose own former one has been cleared by then.
        change(slot) { ensureOverlay().setBox(slot, object) }
        guard property.inverseSlot >= 0 else { return }
        old?.letGo(of: self, property.inverseSlot)
        leaveStrayOwners(slot)
        guard let object else { return }
        if !object.layout.slots[property.inverseSlot].isToMany,
            let previous = object.toOneObject(property.inverseSlot), previous !== self
        {
            previous.letGo(of: object, slot)
        }
        object.link(property.inverseSlot, self)
    }

    /// Has both ends of a one-to-one relationship show what the store says now, if the row of only
    /// one of them refers to the other: others have changed both since one of them was read. A
    /// change would else be none for the end that was read before, and only the other row be
    /// written.
    private final func alignRows(_ slot: Int, with other: NSManagedObject?) {
        let inverse = layout.slots[slot].inverseSlot
        guard let other, inverse >= 0, !other.layout.slots[inverse].isToMany else { return }
        fireIfFault()
        other.fireIfFault()
        guard row != nil, other.row != nil, other.flags.isDisjoint(with: [.deleted, .detached]),
            refers(to: other, slot) != other.refers(to: self, inverse)
        else { return }
        // Where the row has changed here, the save finds that others have changed it, too.
        for object in [self, other] where !object.hasChangesOfRow {
            registry.context?.catchUp(object)
        }
    }

    /// Clears this end of a relationship to an object that shows it: the other end may have been
    /// read later, and then the row of this one has to be written all the same.
    final func letGo(of object: NSManagedObject, _ slot: Int) {
        guard !layout.slots[slot].isToMany else { return unlink(slot, object) }
        registry.context?.catchUp(self, slot, object)
        if flags.contains(.updated), isBehind(object, slot) {
            // Whom it shows, others have taken from it before.
            let partner = toOneObject(slot)
            change(slot) { ensureOverlay().setBox(slot, nil) }
            partner?.unlink(layout.slots[slot].inverseSlot, self)
        }
        unlink(slot, object)
    }

    /// The collection of a to-many relationship, which may not be loaded.
    final func toMany(_ slot: Int) -> ToManyCollection {
        if let collection = overlay?.box(slot).content as? ToManyCollection { return collection }
        let collection = ToManyCollection()
        ensureOverlay().setBox(slot, collection)
        return collection
    }

    /// The content of a to-many relationship, read from the store if need be. What the store fails
    /// to read is missing, and is read again by the next access.
    final func toManyObjects(_ slot: Int) -> [NSManagedObject] {
        let collection = toMany(slot)
        if let objects = collection.objects { return objects }
        do {
            let objects = try readToMany(slot)
            collection.isUnread = false
            return objects
        } catch {
            collection.isUnread = true
            registry.context?.reportUnreadable(layout.slots[slot], of: self, error)
            return collection.added
        }
    }

    /// The same, for those who can't go on without all of the content.
    ///
    /// - Throws: What the store throws.
    final func readToMany(_ slot: Int) throws -> [NSManagedObject] {
        let collection = toMany(slot)
        if let objects = collection.objects { return objects }
        let context = registry.context
        // Noted before reading: a save that is committed meanwhile then counts as unknown, and the
        // content as possibly behind it, never the other way round.
        let readAt = context?.consistency == nil ? 0 : CommitLedger.now
        load(slot, try context?.relatedObjects(self, layout.slots[slot]) ?? [])
        collection.readAt = readAt
        return collection.objects ?? []
    }

    /// Takes what the store holds of a to-many relationship, but for objects that have been given
    /// to another owner here.
    final func load(_ slot: Int, _ stored: [NSManagedObject]) {
        let property = layout.slots[slot], inverse = property.inverseSlot
        guard inverse >= 0 else { return toMany(slot).load(stored) }
        var present = registry.context?.withoutDeleted(stored, inverse, of: self, slot) ?? stored
        // No member's row names an owner here: who belongs together is said by the join table, and
        // by the changes of either end, which `load` puts on top.
        if property.isManyToMany { return toMany(slot).load(present) }
        let collection = toMany(slot)
        // Mostly none, for which no copy of the content is made.
        let lost = present.indices.filter { !isOwner(of: present[$0], inverse, slot) }
        if !lost.isEmpty {
            for index in lost.reversed() { present.remove(at: index) }
            // Left out, not removed: the member comes back if its own change is taken back.
            registry.context?.provisionalContents.append((self, slot))
        }
        // Given to this object here, and the store, which was asked just now, cannot know.
        if !collection.claimed.isEmpty {
            let known = Set(present.map(ObjectIdentifier.init))
            // A roll-back takes the members' changes back, and no change of this end.
            registry.context?.provisionalContents.append((self, slot))
            present += collection.claimed.values.filter { member in
                !known.contains(ObjectIdentifier(member)) && !collection.isChanged(member)
                    && member.flags.isDisjoint(with: [.deleted, .detached])
                    && member.overlay?.changed.contains(inverse) == true
                    && member.toOneObject(inverse) === self
            }
        }
        collection.load(present)
    }

    /// Whether a member that the store says to be this object's has not been given to somebody else
    /// here.
    private final func isOwner(of member: NSManagedObject, _ inverse: Int, _ slot: Int) -> Bool {
        if let overlay = member.overlay, overlay.changed.contains(inverse) {
            return member.toOneObject(inverse) === self
        }
        // The member's row is older than this content and names another owner. The pair is left
        // until the merge; who changes the member before that has to reach both owners.
        if let row = member.row, let context = registry.context,
            row.reference(inverse).map(context.current) != anyReference
        {
            context.strays.note(member, in: self, slot)
        }
        return true
    }

    /// Replaces the content of a to-many relationship, and changes the inverse to match.
    final func setToMany(_ slot: Int, _ content: [NSManagedObject]) {
        // The new content may have been made of the one that could not be read. A member that is
        // added or removed by itself is the same change whatever else there is.
        let isMisled = toMany(slot).isUnread
        if isMisled { flags.insert(.misled) }
        let old = toManyObjects(slot)
        var kept = Set<ObjectIdentifier>()
        // Ordered relationships are sets as well, and an array may name an object twice.
        let objects = content.filter { kept.insert(ObjectIdentifier($0)).inserted }
        for object in old where !kept.contains(ObjectIdentifier(object)) {
            removeFromToMany(slot, object)
            // Its end of the relationship has changed along.
            if isMisled { object.flags.insert(.misled) }
        }
        for object in objects { addToToMany(slot, object) }
        guard layout.slots[slot].isOrdered else { return }
        let collection = toMany(slot)
        // Only an order that differs is a change: it makes a save write the order of all members.
        if collection.objects.map({ !$0.elementsEqual(objects, by: ===) }) ?? true {
            change(slot) { collection.reorder(objects) }
        }
    }

    /// Adds an object to a to-many relationship and sets the inverse; does nothing if it is there.
    final func addToToMany(_ slot: Int, _ object: NSManagedObject, at index: Int? = nil) {
        let property = layout.slots[slot]
        checkRelated(property, object)
        fireIfFault()
        let collection = toMany(slot)
        // A place needs the content, and so does membership, unless the inverse is to-one: then the
        // object says itself whom it belongs to, and a thousand additions read nothing.
        if index != nil || property.inverseSlot < 0 || property.isManyToMany {
            _ = toManyObjects(slot)
        }
        guard collection.contains(object) != true else { return }
        if collection.contains(object) == nil, property.inverseSlot >= 0,
            object.toOneObject(property.inverseSlot) === self
        {
            // The to-one end knows what the content, which was not read, would say.
            return
        }
        var isChange = true
        change(slot) {
            isChange = collection.add(object, at: index, isOrdered: property.isOrdered)
        }
        guard property.inverseSlot >= 0 else { return }
        // A removal that is taken back is no change, so nothing else would keep the member if the
        // content is read again and the store has given it away meanwhile.
        if !isChange, !property.isManyToMany { collection.claim(object) }
        if !object.layout.slots[property.inverseSlot].isToMany,
            let previous = object.toOneObject(property.inverseSlot), previous !== self
        {
            previous.letGo(of: object, slot)
        }
        object.link(property.inverseSlot, self, isNew: isChange)
    }

    /// Removes an object from a to-many relationship and from the inverse.
    final func removeFromToMany(_ slot: Int, _ object: NSManagedObject) {
        _ = toManyObjects(slot)
        guard toMany(slot).contains(object) == true else { return }
        let inverse = layout.slots[slot].inverseSlot
        if inverse >= 0, object.isBehind(self, inverse) {
            registry.context?.catchUp(object)
            // Others have taken it out since the content was read: that is no change here.
            if !toMany(slot).isChanged(object), object.isBehind(self, inverse) {
                replaceValues { toMany(slot).lose(object) }
                registry.context?.notePending(.pendingRefresh, self)
                return
            }
        }
        unlink(slot, object)
        guard inverse >= 0 else { return }
        object.unlink(inverse, self)
        guard object.layout.slots[inverse].isToMany else { return }
        // One end may have been read before others have put it into both: what takes an addition
        // back there, is a removal here.
        let content = toMany(slot), back = object.toMany(inverse)
        guard content.isChanged(object) != back.isChanged(self) else { return }
        if content.isChanged(object) {
            object.change(inverse) { back.keepRemoved(self) }
        } else {
            change(slot) { content.keepRemoved(object) }
        }
    }

    /// Whether a member of a relationship to many shows another owner than that, which has read its
    /// content since: others have saved it, and it is not merged yet.
    final func isBehind(_ owner: NSManagedObject, _ slot: Int) -> Bool {
        !layout.slots[slot].isToMany && overlay?.changed.contains(slot) != true
            && flags.isDisjoint(with: [.inserted, .deleted, .detached])
            && toOneObject(slot) !== owner
    }

    /// Whether the object's row, whatever was changed since, refers to another one.
    final func refers(to object: NSManagedObject, _ slot: Int) -> Bool {
        guard layout.slots[slot].kind == .toOne, let context = registry.context else {
            return false
        }
        return row?.reference(slot).map(context.current) == object.anyReference
    }

    /// Adds or sets one end only.
    ///
    /// - Parameter isNew: Whether the other end has changed, and has not taken a change back.
    final func link(_ slot: Int, _ object: NSManagedObject, isNew: Bool = true) {
        let property = layout.slots[slot]
        guard property.isToMany else {
            fireIfFault()
            change(slot) { ensureOverlay().setBox(slot, object) }
            return leaveStrayOwners(slot)
        }
        let collection = readyToTakeBack(slot, object)
        if collection.contains(object) != true {
            var isChange = true
            change(slot) { isChange = collection.add(object, isOrdered: property.isOrdered) }
            if !isChange, !property.isManyToMany { collection.claim(object) }
        } else if !collection.isChanged(object) {
            if !property.isManyToMany {
                collection.claim(object)
            } else if isNew {
                // The other end, read later, lacked it: others have taken it out of both since.
                change(slot) { collection.keepAdded(object) }
            }
        }
    }

    /// Removes this object, which has just been changed, from other owners whose content was read
    /// later.
    private final func leaveStrayOwners(_ slot: Int) {
        guard let context = registry.context, !context.strays.isEmpty else { return }
        context.leaveStrayOwners(self, slot)
    }

    /// Removes or clears one end only.
    final func unlink(_ slot: Int, _ object: NSManagedObject) {
        let property = layout.slots[slot]
        if property.isToMany {
            let collection = readyToTakeBack(slot, object)
            // nil counts as yes: a content that was not read notes the removal all the same.
            guard collection.contains(object) != false else { return }
            change(slot) { collection.remove(object, keepsOrder: property.isOrdered) }
        } else if toOneObject(slot) === object {
            change(slot) { ensureOverlay().setBox(slot, nil) }
            leaveStrayOwners(slot)
        }
    }

    /// A to-many relationship's collection. It is loaded if a change is taken back that others may
    /// have made too: only what the store holds tells whether anything is left to be saved. (With
    /// a to-one inverse, that tells.)
    private final func readyToTakeBack(_ slot: Int, _ object: NSManagedObject) -> ToManyCollection {
        let collection = toMany(slot)
        if layout.slots[slot].isManyToMany, !collection.isLoaded, collection.isChanged(object) {
            _ = toManyObjects(slot)
        }
        return collection
    }

    /// Releases related and fetched objects, once the object's context has released it.
    final func breakRelationships() {
        guard let overlay, !overlay.boxes.isEmpty else { return }
        // Both ends of a relationship hold each other in their boxes, and what a property has fetched
        // may be the object itself: such cycles would outlive the context, which alone could have
        // broken them.
        overlay.boxes.removeAll { box in
            let property = layout.slots[box.slot]
            return property.isRelationship || property.isFetched
        }
    }

    /// Tells the check of the context that client code relates this to a deleted object, which only
    /// the save refuses.
    private func noteIfDeleted(_ property: PropertySlot, _ object: NSManagedObject) {
        guard !object.flags.isDisjoint(with: [.deleted, .detached]) else { return }
        registry.context?.consistency?.relateToDeleted(self, property.index, object)
    }

    private func checkRelated(_ property: PropertySlot, _ object: NSManagedObject) {
        // Let pass for now: validation refuses it, unless it is taken back before the save.
        noteIfDeleted(property, object)
        require(
            object.registry.context === registry.context,
            "Illegal attempt to establish a relationship '\(property.name)' between objects in "
                + "different contexts: get the object with object(with:) of this one's context."
        )
        require(
            // Subentities are numbered right behind their superentity, so that one range has them
            // all.
            object.layout.index >= property.destinationIndex
                && object.layout.index <= property.destinationLastIndex,
            "Unacceptable type of value for relationship: property = \"\(property.name)\"; given "
                + "type = \(object.layout.name)."
        )
    }

    /// `hasFault(forRelationshipNamed:)`.
    func baseHasFault(forRelationshipNamed key: String) -> Bool {
        let slot = requiredSlot(key)
        let (found, content) = overlay?.box(slot.index) ?? (false, nil)
        if slot.isToMany { return !((content as? ToManyCollection)?.isLoaded ?? false) }
        if found { return (content as? NSManagedObject)?.isFault ?? false }
        return isFault
    }

    /// `objectIDs(forRelationshipNamed:)`.
    func baseObjectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        let slot = requiredSlot(key)
        if slot.isToMany, !slot.isTransient, hasFault(forRelationshipNamed: key),
            let ids = registry.context?.relatedIDs(self, slot)
        {
            return ids
        }
        if slot.isToMany { return toManyObjects(slot.index).map(\.objectID) }
        return toOneObject(slot.index).map { [$0.objectID] } ?? []
    }

    final func requiredSlot(_ key: String) -> PropertySlot {
        guard let slot = layout.slot(named: key) else {
            fatalError("\"\(key)\" is not a property of the entity \(layout.name).")
        }
        return slot
    }
}
