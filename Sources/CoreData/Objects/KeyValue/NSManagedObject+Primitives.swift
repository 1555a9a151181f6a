import Foundation

/// Values set between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
extension NSManagedObject {
    /// Sets a property without noting a change, and a relationship without its inverse.
    final func setPrimitive(_ value: Any?, _ slot: Int) {
        let property = layout.slots[slot]
        noteIfUnread()
        fireIfFault()
        // Read first: what is read later would be put on top of what is set here.
        if property.isToMany { _ = toManyObjects(slot) }
        // Setters note no change, and tell no observer, while an object awakes: that is what a
        // primitive setter is to do.
        let wasAwaking = flags.contains(.awaking)
        flags.insert(.awaking)
        if !property.isRelationship {
            setAnyValue(value, slot)
        } else if property.isToMany {
            setPrimitiveContent(Self.objects(in: value, for: property), slot)
        } else {
            ensureOverlay().setBox(slot, Self.object(value, for: property))
        }
        if wasAwaking { return }
        flags.remove(.awaking)
        let overlay = ensureOverlay()
        if !overlay.changed.contains(slot) { overlay.quiet.insert(slot) }
        overlay.changed.insert(slot)
    }

    private func setPrimitiveContent(_ content: [NSManagedObject], _ slot: Int) {
        let collection = toMany(slot), isOrdered = layout.slots[slot].isOrdered
        let kept = Set(content)
        for object in collection.objects ?? [] where !kept.contains(object) {
            collection.remove(object, keepsOrder: isOrdered)
        }
        for object in content where collection.contains(object) != true {
            collection.add(object, isOrdered: isOrdered)
        }
        if isOrdered, collection.objects?.elementsEqual(content, by: ===) != true {
            collection.reorder(content)
        }
    }

    /// Notes what a property is before it is changed.
    final func beginChange(_ slot: Int) {
        guard !flags.contains(.awaking) else { return }
        noteValueBeforeEvent(slot)
        registry.undoJournal?.note(slot, of: self)
        guard layout.slots[slot].inverseSlot >= 0 else { return }
        let overlay = ensureOverlay()
        // Calls may nest, an accessor within client code's own pair: the other ends are compared
        // with what was before the outermost.
        guard !overlay.announced.contains(where: { $0.slot == slot }) else { return }
        let before = related(slot)
        overlay.announced.append((slot, before))
    }

    /// Brings the other ends of a relationship in line with what it was set to.
    final func endChange(_ slot: Int) {
        guard !flags.contains(.awaking), let overlay,
            let index = overlay.announced.firstIndex(where: { $0.slot == slot })
        else { return }
        let before = overlay.announced.remove(at: index).before
        let inverse = layout.slots[slot].inverseSlot
        let now = related(slot)
        // Both lists are complete before any other end is changed, for each change below may load
        // or change this object's contents.
        let kept = Set(now), known = Set(before)
        // One end only, here and below: the client has set this end already.
        for object in before where !kept.contains(object) { object.unlink(inverse, self) }
        for object in now where !known.contains(object) {
            if !object.layout.slots[inverse].isToMany,
                let previous = object.toOneObject(inverse), previous !== self
            {
                previous.unlink(slot, object)
            }
            object.link(inverse, self)
        }
    }

    private func related(_ slot: Int) -> [NSManagedObject] {
        layout.slots[slot].isToMany
            ? toManyObjects(slot) : toOneObject(slot).map { [$0] } ?? []
    }
}
