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
        overlay.map { values(of: $0.changedInEvent.members) } ?? [:]
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
