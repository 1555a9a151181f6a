/// What an object has beside its row: changed values, and what it keeps of its relationships.
/// Allocated on demand.
///
/// Its content is in memory of its own: every setter writes four parts of it, and stored properties
/// of a class would have each of these accesses checked for overlaps at run time.
///
/// > Threading: Confined to the context's queue.
final class Overlay {
    private struct Content {
        var values: [SlotValue] = []
        var present = SlotSet()
        var changed = SlotSet()
        var changedInEvent = SlotSet()
        var quiet = SlotSet()
        var boxes: [(slot: Int, content: AnyObject?)] = []
        var announced: [(slot: Int, before: [NSManagedObject])] = []
    }
    private let content: UnsafeMutablePointer<Content>

    init() {
        content = .allocate(capacity: 1)
        content.initialize(to: Content())
    }

    deinit {
        content.deinitialize(count: 1)
        content.deallocate()
    }

    /// Values in storage form, one a slot; empty until one is set. Valid where `present` says.
    @inline(__always) var values: [SlotValue] {
        get { content.pointee.values }
        _modify { yield &content.pointee.values }
    }
    @inline(__always) var present: SlotSet {
        get { content.pointee.present }
        _modify { yield &content.pointee.present }
    }
    /// The slots that differ from the row, or may: what the next save looks at.
    @inline(__always) var changed: SlotSet {
        get { content.pointee.changed }
        _modify { yield &content.pointee.changed }
    }
    /// The slots that were set since pending changes were last processed.
    @inline(__always) var changedInEvent: SlotSet {
        get { content.pointee.changedInEvent }
        _modify { yield &content.pointee.changedInEvent }
    }
    /// The slots among `changed` that were set as primitive values, and not announced.
    @inline(__always) var quiet: SlotSet {
        get { content.pointee.quiet }
        _modify { yield &content.pointee.quiet }
    }
    /// To-one objects (nil: set to nil), to-many collections, transformed values and volatile
    /// ones, by slot. Few, so a search along them is fastest.
    @inline(__always) var boxes: [(slot: Int, content: AnyObject?)] {
        get { content.pointee.boxes }
        _modify { yield &content.pointee.boxes }
    }
    /// Relationships between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`, with what
    /// they held before.
    @inline(__always) var announced: [(slot: Int, before: [NSManagedObject])] {
        get { content.pointee.announced }
        _modify { yield &content.pointee.announced }
    }

    /// Whether a slot has a value that is not the row's.
    @inline(__always) func has(_ slot: Int) -> Bool { content.pointee.present.contains(slot) }

    /// Sets a value.
    ///
    /// - Parameter count: How many slots the object has.
    @inline(__always) func set(_ slot: Int, _ value: SlotValue, of count: Int) {
        if content.pointee.values.isEmpty {
            content.pointee.values = [SlotValue](repeating: .null, count: count)
        }
        content.pointee.values[slot] = value
        content.pointee.present.insert(slot)
    }

    /// Sets a value and notes the change, if there is room for values already.
    ///
    /// - Returns: Whether that was done.
    @inline(__always) func setKnown(_ slot: Int, _ value: SlotValue) -> Bool {
        guard !content.pointee.values.isEmpty else { return false }
        content.pointee.values[slot] = value
        content.pointee.present.insert(slot)
        noteChange(slot)
        return true
    }

    /// Notes that a slot was set.
    @inline(__always) func noteChange(_ slot: Int) {
        content.pointee.changed.insert(slot)
        content.pointee.changedInEvent.insert(slot)
        // An announced change makes a value that was set quietly before a change like any other.
        if !content.pointee.quiet.isEmpty { content.pointee.quiet.remove(slot) }
    }

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

    /// Drops what can be had again from a row: everything that is not a change, or notes one of
    /// another object.
    func dropUnchanged() {
        boxes.removeAll { box in
            !changed.contains(box.slot)
                // A collection with claimed members is the only record of whom they were given to:
                // the store may name another owner by the time that it is read again.
                && (box.content as? ToManyCollection)?.claimed.isEmpty != false
        }
        for slot in present.members where !changed.contains(slot) {
            present.remove(slot)
            values[slot] = .null
        }
    }
}
