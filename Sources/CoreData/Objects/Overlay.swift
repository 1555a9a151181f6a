/// What an object has beside its row: changed values, and what it keeps of its relationships.
/// Allocated on demand.
final class Overlay {
    /// Values in storage form, one a slot; empty until one is set. Valid where `present` says.
    var values: [SlotValue] = []
    var present = SlotSet()
    /// The slots that differ from the row, or may: what the next save looks at.
    var changed = SlotSet()
    /// The slots that were set since pending changes were last processed.
    var changedInEvent = SlotSet()
    /// To-one objects (nil: set to nil), to-many collections, transformed values and volatile
    /// ones, by slot. Few, so a search along them is fastest.
    var boxes: [(slot: Int, content: AnyObject?)] = []

    /// Relationships between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`, with what
    /// they held before.
    var announced: [(slot: Int, before: [NSManagedObject])] = []

    @inline(__always) func box(_ slot: Int) -> (found: Bool, content: AnyObject?) {
        for box in boxes where box.slot == slot { return (true, box.content) }
        return (false, nil)
    }

    func setBox(_ slot: Int, _ content: AnyObject?) {
        for index in boxes.indices where boxes[index].slot == slot {
            boxes[index].content = content
            return
        }
        boxes.append((slot, content))
    }

    /// Drops what can be had again from a row: everything that is not a change.
    func dropUnchanged() {
        boxes.removeAll { !changed.contains($0.slot) }
        for slot in present.members where !changed.contains(slot) {
            present.remove(slot)
            values[slot] = .null
        }
    }
}
