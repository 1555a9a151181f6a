import Foundation

/// What has changed in an object.
extension NSManagedObject {
    /// `changedValues()`.
    func baseChangedValues() -> [String: Any] {
        guard let overlay else { return [:] }
        let isNew = flags.contains(.inserted) && row == nil
        let changed = values(
            of: overlay.changed.members.filter { slot in
                !overlay.quiet.contains(slot) && (isNew || differsFromRow(slot))
            }
        )
        // All attributes of a new object are to be written; those without a value are no changes.
        return isNew ? changed.filter { !($0.value is NSNull) } : changed
    }

    /// `changedValuesForCurrentEvent()`.
    func baseChangedValuesForCurrentEvent() -> [String: Any] {
        var result: [String: Any] = [:]
        let changed = overlay?.changedInEvent ?? SlotSet()
        for slot in changed.members where !layout.slots[slot].isTransient {
            result[layout.slots[slot].name] = valueBeforeEvent(slot) ?? NSNull()
        }
        guard
            flags.contains(.pendingDelete) || registry.context?.eventValues.hasDeleted(self) == true
        else { return result }
        // A deletion ends what the object is related to, which its properties still say.
        for slot in layout.slots where slot.isRelationship && !slot.isTransient {
            guard !changed.contains(slot.index), let related = knownRelated(slot) else { continue }
            result[slot.name] = related
        }
        return result
    }

    /// What a relationship leads to, as far as that is known without reading it; nil for nothing.
    private func knownRelated(_ slot: PropertySlot) -> Any? {
        guard slot.isToMany else { return anyValue(slot.index) }
        guard slot.kind == .toMany, toMany(slot.index).objects?.isEmpty == false else { return nil }
        return anyValue(slot.index)
    }

    /// Keeps what a property is before the first change of the event under way, if the row does not
    /// tell.
    @inline(__always) final func noteValueBeforeEvent(_ slot: Int) {
        guard let overlay else { return }
        // Observers are being told of the last event: this change begins another one.
        if flags.isDisjoint(with: .anyPending), !overlay.changedInEvent.isEmpty {
            overlay.changedInEvent = SlotSet()
            registry.context?.eventValues.forget(self)
        }
        if overlay.wasChangedBeforeEvent(slot), !flags.contains(.pendingInsert) {
            keepValueBeforeEvent(slot)
        }
    }

    @inline(never) private final func keepValueBeforeEvent(_ slot: Int) {
        // A list of what a relationship to many holds would take as long as that is, once an event.
        guard !layout.slots[slot].isTransient, !layout.slots[slot].isToMany else { return }
        registry.context?.eventValues.note(anyValue(slot) ?? NSNull(), slot, of: self)
    }

    private func valueBeforeEvent(_ slot: Int) -> Any? {
        let property = layout.slots[slot]
        if let value = registry.context?.eventValues[self, slot] { return value }
        if property.isToMany { return collectionBeforeEvent(slot) }
        // Inserted in this event: there is nothing before it but what all new objects have.
        guard let row else {
            return (property.property as? NSAttributeDescription)?.defaultValue
        }
        return committedValue(row, property)
    }

    /// What a relationship to many held when the object was last fetched or saved.
    private func collectionBeforeEvent(_ slot: Int) -> AnyObject {
        let collection = toMany(slot)
        let added = Set(collection.added.map(ObjectIdentifier.init))
        let before =
            toManyObjects(slot).filter { !added.contains(ObjectIdentifier($0)) }
            + collection.removed
        return layout.slots[slot].isOrdered
            ? NSOrderedSet(array: before) : NSSet(array: before)
    }

    /// `committedValues(forKeys:)`.
    func baseCommittedValues(forKeys keys: [String]?) -> [String: Any] {
        fireIfFault()
        let slots = keys.map { $0.map(requiredSlot) } ?? layout.slots
        guard let row else { return [:] }
        var result: [String: Any] = [:]
        for slot in slots where slot.kind.isInRow {
            result[slot.name] = committedValue(row, slot) ?? NSNull()
        }
        return result
    }

    /// The attributes and to-one IDs of a row, as merge conflicts show them.
    final func snapshot(_ row: Row) -> [String: Any] {
        var result: [String: Any] = [:]
        for slot in layout.slots where slot.kind.isInRow {
            if slot.kind == .toOne {
                // An ID and no object: the row may be one of the past, whose object is gone.
                let id = row.reference(slot.index).flatMap { reference in
                    registry.context?.objectID(reference, in: registry.storeIdentity)
                }
                result[slot.name] = id ?? NSNull()
            } else {
                result[slot.name] = committedValue(row, slot) ?? NSNull()
            }
        }
        return result
    }

    private func committedValue(_ row: Row, _ slot: PropertySlot) -> Any? {
        switch slot.kind {
        case .toOne:
            guard let reference = row.reference(slot.index), let store = registry.store else {
                return nil
            }
            return registry.context?.object(reference, in: store)
        case .transformable:
            // From the row's bytes, for the box may hold a later value.
            return row.isNull(slot.index)
                ? nil
                : TransformableValue.unarchive(row.bytes(slot.index), slot.property, of: self)
        default:
            return slot.kind.anyValue(row.value(slot.index, slot.kind))
        }
    }

    /// The values of persistent properties among some.
    private func values(of slots: [Int]) -> [String: Any] {
        var result: [String: Any] = [:]
        for slot in slots where !layout.slots[slot].isTransient {
            result[layout.slots[slot].name] = anyValue(slot) ?? NSNull()
        }
        return result
    }
}
