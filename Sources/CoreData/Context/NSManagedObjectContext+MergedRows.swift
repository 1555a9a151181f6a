/// Rows that others have saved, under the changes that this context has made.
extension NSManagedObjectContext {
    /// Gives a clean object that nobody observes a newer row: what `refresh(_:with:)` does for most
    /// objects, and counts no references for.
    ///
    /// No client code runs. The caller notes the object among the refreshed ones of the event, and tells it
    /// of its row unless it is a fault.
    ///
    /// - Returns: The row that the object had, which the caller lets go of; nil if the object has to be
    ///   refreshed with care.
    @inline(__always) func replaceRow(
        of object: NSManagedObject,
        by row: Row
    ) -> Unmanaged<Row>? {
        guard let former = object.heldRow, object.heldOverlay == nil,
            object.flags.isDisjoint(with: [.gone, .observed, .reinserted, .pendingRefresh]),
            object.heldRegistry._withUnsafeGuaranteedRef({ $0.hasStore && !$0.isNested }),
            former._withUnsafeGuaranteedRef({ $0.version }) <= row.version
        else { return nil }
        object.heldRow = .passRetained(row)
        object.flags.insert(.pendingRefresh)
        return former
    }

    /// Gives an object a newer row; its changes stay on top, and it stays a fault if it was one.
    ///
    /// The row is ignored if the object has a later one already: saves of several contexts may be
    /// announced in another order than they were committed, and the object may have been saved on
    /// top of it. What the save changed in relationships to many may not be known all the same.
    ///
    /// - Returns: Whether anything may have changed.
    func refresh(_ object: NSManagedObject, with row: Row) -> Bool {
        guard let known = object.row, let store = object.registry.store else {
            take(row, in: object)
            return true
        }
        // Only rows that a store has had can be compared: one that a parent has made has the
        // version of the store's row beneath, however often it has changed since.
        if object.registry.isNested, !known.wasCached || !row.wasCached {
            return follow(object, known, in: store)
        }
        if known.version > row.version || object.flags.contains(.reinserted) {
            // A row that was deleted and inserted again begins with its first version.
            guard case .row(let cached) = store.cachedRow(object.layout, object.primaryKey),
                cached === row
            else {
                // Changes of relationships to many raise no version: what was read of them may be
                // older than this save, although the row is not.
                guard object.hasReadToMany else { return false }
                object.replaceValues { object.forgetStoredRelationships() }
                notePending(.pendingRefresh, object)
                return true
            }
        }
        take(row, in: object)
        return true
    }

    /// Gives an object the row that its parent context shows. A save into a parent makes no version
    /// that would tell which of two rows is the later one; the parent knows.
    ///
    /// - Returns: False if that is what the object shows.
    private func follow(_ object: NSManagedObject, _ known: Row, in store: any RowStore) -> Bool {
        do {
            guard let row = try store.row(object.layout, object.primaryKey) else {
                deleteGone([object])
                return true
            }
            if !object.hasReadToMany, row.hasSameValues(as: known, object.layout) {
                object.row = row
                // Read ahead of the merge, it may be related to what was deleted here before.
                return deletedCount > 0
            }
            take(row, in: object)
        } catch {
            unload(object)
        }
        return true
    }

    /// Replaces the row under an object's changes.
    func take(_ row: Row, in object: NSManagedObject) {
        object.replaceValues {
            object.row = row
            object.forgetStoredRelationships()
            notePending(.pendingRefresh, object)
            if !object.flags.contains(.fault) { object.announce(.refresh) }
        }
    }

    /// Makes an object whose row is out of date read it again.
    func unload(_ object: NSManagedObject) {
        let known = object.row
        object.row = nil
        object.forgetStoredRelationships()
        // Without changes the row can wait until somebody asks. Changes lie on top of a row, so
        // that theirs is read at once, and found to be gone if it is.
        if object.overlay == nil { object.flags.insert(.fault) }
        notePending(.pendingRefresh, object)
        if object.overlay != nil, let store = object.registry.store {
            do {
                let row = try store.row(object.layout, object.primaryKey)
                object.row = row ?? known
                if row == nil { deleteGone([object]) }
            } catch {
                object.flags.insert(.fault)
            }
        }
    }
}

extension Row {
    /// Whether two rows of an entity have the same values.
    fileprivate func hasSameValues(as other: Row, _ layout: EntityLayout) -> Bool {
        layout.slots.allSatisfy { slot in
            value(slot.index, slot.kind).isSame(as: other.value(slot.index, slot.kind))
        }
    }
}

extension NSManagedObject {
    /// Whether the content of a to-many relationship was read.
    fileprivate final var hasReadToMany: Bool {
        overlay?.boxes.contains { ($0.content as? ToManyCollection)?.isLoaded == true } ?? false
    }

    /// Drops changes in some slots, and what was made of the row's values, but for other changes.
    /// The content of to-many relationships stays, for a row says nothing of it; the members of a
    /// one-to-many relationship say themselves whom they belong to.
    final func forgetStoredValues(dropping slots: SlotSet) {
        guard let overlay else { return }
        let contents = overlay.boxes.filter { box in
            guard let collection = box.content as? ToManyCollection else { return false }
            guard slots.contains(box.slot) else { return true }
            let property = layout.slots[box.slot]
            guard property.inverseSlot >= 0, !property.isManyToMany else { return false }
            collection.dropOrder()
            return true
        }
        for slot in slots.members { overlay.changed.remove(slot) }
        for box in contents where (box.content as? ToManyCollection)?.hasChanges == true {
            overlay.changed.insert(box.slot)
        }
        overlay.dropUnchanged()
        // `dropUnchanged()` has let go of contents without changes, too: these stay.
        for box in contents { overlay.setBox(box.slot, box.content) }
        if overlay.changed.isEmpty, overlay.boxes.isEmpty { self.overlay = nil }
    }

    /// Drops what was read of relationships and made of values, but for changes.
    final func forgetStoredRelationships() {
        guard let overlay else { return }
        for box in overlay.boxes {
            guard let collection = box.content as? ToManyCollection else { continue }
            collection.unload()
        }
        overlay.dropUnchanged()
        if overlay.changed.isEmpty, overlay.boxes.isEmpty { self.overlay = nil }
    }
}
