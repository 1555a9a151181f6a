import Foundation

/// Typed access by slot: what key-value access and generated accessors are made of.
extension NSManagedObject {
    /// Gets the row of a fault. Returns with `isFault` false, unless the store failed to read it.
    @inline(never) final func fire() {
        // First, not last: client code that runs below reads properties, and would fire the fault
        // again.
        flags.remove(.fault)
        if let heldRow {
            // A fetch has brought the row along. Another context may have saved since, which is asked
            // of the row first: mostly none has. A parent's rows are not in a cache of the child's.
            let isNewest = heldRow._withUnsafeGuaranteedRef { $0.isNewestKnown }
            let isNested = heldRegistry._withUnsafeGuaranteedRef { $0.isNested }
            if !isNewest || isNested { takeLatestRow() }
        } else {
            row = registry.context?.fulfillFault(self)
        }
        guard heldRow != nil else { return }
        flags.remove(.unread)
        // The base class's `awakeFromFetch()` does nothing: most objects are spared the call.
        guard type(of: self) != NSManagedObject.self else { return }
        flags.insert(.awaking)
        awakeFromFetch()
        flags.remove(.awaking)
    }

    @inline(never) private final func takeLatestRow() {
        guard let fetched = row else { return }
        row = registry.context?.latestRow(of: self, fetched) ?? fetched
    }

    @inline(__always) final func fireIfFault() {
        if flags.contains(.fault) { fire() }
    }

    /// The value of an attribute or the reference of an unchanged to-one.
    @inline(__always) final func slotValue(_ slot: Int) -> SlotValue {
        slotValue(slot, kind(of: slot))
    }

    /// How rows keep a slot's value.
    @inline(__always) final func kind(of slot: Int) -> StorageKind {
        heldRegistry._withUnsafeGuaranteedRef { $0.layout.slots[slot].kind }
    }

    /// The same as `slotValue(_:)`, for who has asked for the kind.
    @inline(__always) final func slotValue(_ slot: Int, _ kind: StorageKind) -> SlotValue {
        fireIfFault()
        if let heldOverlay {
            let value: SlotValue? = heldOverlay._withUnsafeGuaranteedRef { overlay in
                overlay.has(slot) ? overlay[slot] : nil
            }
            if let value { return value }
        }
        return heldRow?._withUnsafeGuaranteedRef { $0.value(slot, kind) } ?? .null
    }

    /// nil if null.
    @inline(__always) final func integer(_ slot: Int) -> Int64? {
        // Most reads are of clean objects: the row answers without a `SlotValue` being made of it.
        if heldOverlay == nil, !flags.contains(.fault), let heldRow {
            return heldRow._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.integer(slot) }
        }
        if case .integer(let value) = slotValue(slot) { return value }
        return nil
    }

    /// nil if null.
    @inline(__always) final func real(_ slot: Int) -> Double? {
        if heldOverlay == nil, !flags.contains(.fault), let heldRow {
            return heldRow._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.real(slot) }
        }
        if case .real(let value) = slotValue(slot) { return value }
        return nil
    }

    /// nil if null.
    @inline(__always) final func text(_ slot: Int) -> String? {
        if heldOverlay == nil, !flags.contains(.fault), let heldRow {
            return heldRow._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.text(slot) }
        }
        if case .text(let value) = slotValue(slot) { return value }
        return nil
    }

    /// Sets an attribute in storage form and notes the change.
    @inline(__always) final func setSlot(_ slot: Int, _ value: SlotValue) {
        // All but the first change of an object that nobody observes, in an event that can't be
        // undone: there is nobody to be told.
        if flags.contains(.pendingUpdate), !flags.isDisjoint(with: .anyChange),
            flags.isDisjoint(with: [.fault, .awaking, .observed]), let heldOverlay,
            heldRegistry._withUnsafeGuaranteedRef({ $0.undoJournal == nil }),
            heldOverlay._withUnsafeGuaranteedRef({
                $0.setKnown(slot, value, isNew: flags.contains(.pendingInsert))
            })
        {
            return
        }
        setAndTell(slot, value)
    }

    @inline(never) private final func setAndTell(_ slot: Int, _ value: SlotValue) {
        noteIfUnread()
        // The fault fires first: `awakeFromFetch()` would else run later, on top of the value set
        // here.
        fireIfFault()
        change(slot) { storeSlot(slot, value) }
    }

    /// Notes a change of an object whose row could not be read: the new value may have been made of
    /// the one that was missing. To be called before the row is asked for again.
    @inline(__always) final func noteIfUnread() {
        if flags.contains(.unread) { flags.insert(.misled) }
    }

    /// Sets an attribute without noting a change.
    @inline(__always) final func storeSlot(_ slot: Int, _ value: SlotValue) {
        ensureOverlay().set(slot, value, of: layout.slots.count)
    }

    @inline(__always) final func ensureOverlay() -> Overlay {
        if let overlay { return overlay }
        let overlay = Overlay.make()
        self.overlay = overlay
        return overlay
    }

    /// Marks a slot as changed and the object as updated.
    @inline(__always) final func noteChange(_ slot: Int) {
        // What `awakeFromFetch()` and primitive setters write is no change to be saved.
        if flags.contains(.awaking) { return }
        let overlay = ensureOverlay()
        noteValueBeforeEvent(slot)
        if let journal = registry.undoJournal { journal.note(slot, of: self) }
        overlay.noteChange(slot)
        // The context knows of the object after its first change; each later one costs these two
        // tests.
        if !flags.contains(.pendingUpdate) || flags.isDisjoint(with: .anyChange) {
            registry.context?.noteUpdate(self)
        }
    }

    /// Whether a save would write the object's row.
    final var hasChangesOfRow: Bool {
        overlay?.changed.members.contains { slot in
            layout.slots[slot].kind.isInRow && differsFromRow(slot)
        } ?? false
    }

    /// Whether a changed slot really has another value than the row.
    final func differsFromRow(_ slot: Int) -> Bool {
        guard let overlay, overlay.changed.contains(slot) else { return false }
        let property = layout.slots[slot]
        switch property.kind {
        case .toMany:
            guard let collection = overlay.box(slot).content as? ToManyCollection else {
                return false
            }
            return collection.hasChanges
        case .toOne:
            let (found, content) = overlay.box(slot)
            guard found else { return false }
            guard let row else { return content != nil }
            guard let object = content as? NSManagedObject else { return !row.isNull(slot) }
            return object.anyReference != row.reference(slot)
        // No row has a transient value to compare with.
        case .volatile:
            return true
        // A row has the archive of the value: comparing would cost as much as writing it.
        case .transformable:
            return true
        default:
            guard let row else { return true }
            return !row.value(slot, property.kind).isSame(as: overlay[slot])
        }
    }
}

extension NSManagedObject: StoredRowIdentifiable {
    /// The object's row, which only this context has if it was never saved.
    final var anyReference: RowReference {
        RowReference(entityIndex: layout.index, primaryKey: primaryKey)
    }
    final var rowReference: RowReference? {
        registry.store != nil
            ? RowReference(entityIndex: layout.index, primaryKey: primaryKey) : nil
    }
    final var rowStore: NSPersistentStore? { registry.store }
}
