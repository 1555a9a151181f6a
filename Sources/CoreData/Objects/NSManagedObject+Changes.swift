import Foundation

/// What has changed in an object.
extension NSManagedObject {
    /// `changedValues()`.
    func unsavedValues() -> [String: Any] {
        guard let overlay else { return [:] }
        return values(of: overlay.changed.members.filter { isInserted || differsFromRow($0) })
    }

    /// `changedValuesForCurrentEvent()`.
    func valuesChangedInEvent() -> [String: Any] {
        overlay.map { values(of: $0.changedInEvent.members) } ?? [:]
    }

    /// `committedValues(forKeys:)`.
    func savedValues(forKeys keys: [String]?) -> [String: Any] {
        fireIfFault()
        let names = keys ?? layout.slots.map(\.name)
        var result: [String: Any] = [:]
        for name in names {
            let slot = requiredSlot(name)
            guard slot.kind.isInRow else { continue }
            result[name] = row.flatMap { committedValue($0, slot) } ?? NSNull()
        }
        return result
    }

    /// The attributes and to-one IDs of a row, as merge conflicts show them.
    final func snapshot(_ row: Row) -> [String: Any] {
        var result: [String: Any] = [:]
        for slot in layout.slots where slot.kind.isInRow {
            if slot.kind == .toOne {
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
