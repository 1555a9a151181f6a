/// What an object has beside its row: changed values, and what it keeps of its relationships.
/// Allocated on demand.
///
/// The values of a new object lie behind the rest, in one allocation; others get memory of their own when
/// the first is set, for most overlays have relationships only.
///
/// > Threading: Confined to the context's queue.
final class Overlay: ManagedBuffer<OverlayContent, SlotValue> {
    // A buffer's content is read and written by way of pointers: every setter writes four parts of it, and
    // stored properties of a class would have each of these accesses checked for overlaps at run time.

    /// An overlay without values.
    ///
    /// - Parameters:
    ///   - room: For how many values there is to be room behind the rest.
    ///   - allocator: Who has memory for many overlays; nil for a single one.
    static func make(room: Int = 0, in allocator: SlabAllocator? = nil) -> Overlay {
        let byteCount =
            ObjectMemory.elementOffset(OverlayContent.self, SlotValue.self)
            + room * MemoryLayout<SlotValue>.stride
        guard let (memory, slab) = allocator?.takeMemory(byteCount: byteCount) else {
            let buffer = Overlay.create(minimumCapacity: room) { _ in OverlayContent(room: room) }
            return unsafeDowncast(buffer, to: Overlay.self)
        }
        let overlay = ObjectMemory.make(Overlay.self, at: memory)
        overlay.withUnsafeMutablePointerToHeader {
            $0.initialize(to: OverlayContent(room: room, slab: slab))
        }
        return overlay
    }

    deinit {
        dropValues()
        let slab = content.pointee.slab
        // Now and not behind this: what the boxes let go of may have overlays, too.
        if !boxes.isEmpty || !announced.isEmpty { content.pointee = OverlayContent(room: 0) }
        if let slab { EndedObjects.note(slab) }
    }

    @inline(__always) private var content: UnsafeMutablePointer<OverlayContent> {
        withUnsafeMutablePointerToHeader { $0 }
    }

    // MARK: Values

    /// Whether there are values, one for each slot; `present` says which of them count.
    @inline(__always) var hasValues: Bool { content.pointee.values != nil }

    /// A slot's value in storage form.
    @inline(__always) subscript(slot: Int) -> SlotValue {
        get { values[slot] }
        set { values[slot] = newValue }
    }

    /// All values; only if there are any.
    @inline(__always) var values: UnsafeMutableBufferPointer<SlotValue> {
        UnsafeMutableBufferPointer(
            start: content.pointee.values,
            count: content.pointee.valueCount
        )
    }

    /// Takes values for all slots.
    ///
    /// - Parameter arePlain: Whether none of them holds a reference.
    func setValues(_ values: [SlotValue], arePlain: Bool) {
        dropValues()
        let room = makeRoom(for: values.count)
        guard arePlain else { return _ = room.initialize(fromContentsOf: values) }
        // The bytes are the values: a copy of each counts nothing.
        values.withUnsafeBytes { UnsafeMutableRawBufferPointer(room).copyMemory(from: $0) }
    }

    /// Makes values for all slots, unless there are some.
    @inline(__always) func ensureValues(_ count: Int) {
        if !hasValues { makeRoom(for: count).initialize(repeating: .null) }
    }

    /// Memory for values that are not initialized.
    @inline(never) private func makeRoom(
        for count: Int
    ) -> UnsafeMutableBufferPointer<SlotValue> {
        let start: UnsafeMutablePointer<SlotValue> =
            count <= content.pointee.room && count > 0
            ? withUnsafeMutablePointerToElements { $0 } : .allocate(capacity: count)
        content.pointee.values = start
        content.pointee.valueCount = count
        return UnsafeMutableBufferPointer(start: start, count: count)
    }

    /// Lets go of all values.
    func dropValues() {
        guard let start = content.pointee.values else { return }
        for slot in 0..<content.pointee.valueCount where !start[slot].isPlain {
            (start + slot).deinitialize(count: 1)
        }
        content.pointee.values = nil
        content.pointee.valueCount = 0
        if start != withUnsafeMutablePointerToElements({ $0 }) { start.deallocate() }
    }

    // MARK: Sets of slots, and the rest

    /// The slots that have a value here.
    @inline(__always) var present: SlotSet {
        get { content.pointee.present }
        _modify { yield &content.pointee.present }
    }
    /// The slots that differ from the row, or may: what the next save looks at.
    @inline(__always) var changed: SlotSet {
        get { content.pointee.changed }
        _modify { yield &content.pointee.changed }
    }
    /// The slots that were set since pending changes were last processed; while these are posted, the
    /// slots that the notification is about.
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
        ensureValues(count)
        self[slot] = value
        content.pointee.present.insert(slot)
    }

    /// Sets a value and notes the change, if there is room for values already, and nobody may ask what
    /// was before.
    ///
    /// - Parameter isNew: Whether the event under way has inserted the object.
    /// - Returns: Whether that was done.
    @inline(__always) func setKnown(_ slot: Int, _ value: SlotValue, isNew: Bool) -> Bool {
        guard hasValues, isNew || !wasChangedBeforeEvent(slot) else { return false }
        self[slot] = value
        content.pointee.present.insert(slot)
        noteChange(slot)
        return true
    }

    /// Whether a slot differs from the row, or may, by changes before the event under way only.
    @inline(__always) func wasChangedBeforeEvent(_ slot: Int) -> Bool {
        content.pointee.changed.contains(slot) && !content.pointee.changedInEvent.contains(slot)
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
            self[slot] = .null
        }
    }
}

/// What stands before the values of an overlay.
struct OverlayContent {
    fileprivate var values: UnsafeMutablePointer<SlotValue>?
    fileprivate var valueCount = 0
    fileprivate let room: Int
    /// That of the overlay's memory; nil if it has memory of its own.
    fileprivate let slab: ObjectSlab?
    fileprivate var present = SlotSet()
    fileprivate var changed = SlotSet()
    fileprivate var changedInEvent = SlotSet()
    fileprivate var quiet = SlotSet()
    fileprivate var boxes: [(slot: Int, content: AnyObject?)] = []
    fileprivate var announced: [(slot: Int, before: [NSManagedObject])] = []

    fileprivate init(room: Int, slab: ObjectSlab? = nil) {
        self.room = room
        self.slab = slab
    }
}
