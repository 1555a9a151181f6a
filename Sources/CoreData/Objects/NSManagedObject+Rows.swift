import Foundation

/// Objects as rows, for a save.
extension NSManagedObject {
    /// The complete row of a new object.
    ///
    /// - Throws: What values that can't be stored throw.
    ///
    /// - Parameters:
    ///   - isForChild: Whether related objects may be ones that were never saved.
    ///   - allocator: Who has memory for many rows; nil for a single row.
    final func makeInsertedRow(
        isForChild: Bool = false,
        in allocator: SlabAllocator? = nil
    ) throws -> Row {
        let overlay = ensureOverlay()
        // An object without a default of its own has no array of values yet.
        overlay.ensureValues(layout.slots.count)
        for box in overlay.boxes {
            // Not marked as present: reading still finds the box.
            overlay[box.slot] = try storedValue(
                of: box.content,
                layout.slots[box.slot],
                isForChild: isForChild
            )
        }
        // Validation refuses numbers out of range, but a class may override it without calling
        // super.
        func row(_ values: UnsafeBufferPointer<SlotValue>) -> Row {
            Row.make(
                layout: layout,
                primaryKey: primaryKey,
                version: 1,
                values: values,
                in: allocator
            )
        }
        return flags.contains(.outOfRange)
            ? storable(Array(overlay.values)).withUnsafeBufferPointer(row)
            : row(UnsafeBufferPointer(overlay.values))
    }

    /// The row with some slots changed.
    final func makeUpdatedRow(
        _ old: Row,
        _ changed: SlotSet,
        version: Int32,
        isForChild: Bool = false,
        in allocator: SlabAllocator? = nil
    ) throws -> Row {
        let overlay = ensureOverlay()
        var values: [SlotValue] = []
        values.reserveCapacity(layout.slots.count)
        for slot in layout.slots {
            if !changed.contains(slot.index) {
                values.append(old.value(slot.index, slot.kind))
            } else if slot.kind == .toOne || slot.kind == .transformable {
                let (_, content) = overlay.box(slot.index)
                values.append(try storedValue(of: content, slot, isForChild: isForChild))
            } else {
                values.append(overlay[slot.index])
            }
        }
        // The same for an update. Besides, a child asks for rows that nothing has validated yet.
        if flags.contains(.outOfRange) { values = storable(values) }
        return values.withUnsafeBufferPointer { values in
            Row.make(
                layout: layout,
                primaryKey: primaryKey,
                version: version,
                values: values,
                in: allocator
            )
        }
    }

    /// The values as they are now, saved or not, for a child context.
    final func currentRow() throws -> Row {
        fireIfFault()
        // A child must not take what could not be read for nothing.
        if flags.contains(.fault) { _ = try registry.context?.rowForSaving(self) }
        guard let row else { return try makeInsertedRow(isForChild: true) }
        guard let overlay else { return row }
        var changed = SlotSet()
        for slot in overlay.changed.members
        where layout.slots[slot].kind.isInRow && differsFromRow(slot) {
            changed.insert(slot)
        }
        if changed.isEmpty { return row }
        // The version stays, for it counts what a store has: a merge would take a row with a higher
        // number for a save that is newer than the store's.
        return try makeUpdatedRow(row, changed, version: row.version, isForChild: true)
    }

    /// Values as a row can have them, where validation did not refuse them.
    private final func storable(_ values: [SlotValue]) -> [SlotValue] {
        zip(layout.slots, values).map { slot, value in slot.kind.storable(value) }
    }

    /// What a row keeps of a related object or a transformed value.
    private final func storedValue(
        of content: AnyObject?,
        _ slot: PropertySlot,
        isForChild: Bool
    ) throws -> SlotValue {
        guard let content else { return .null }
        switch slot.kind {
        case .toOne:
            guard let object = content as? NSManagedObject else { return .null }
            if object.flags.contains(.deleted) {
                // Only a class that leaves out its superclass's validation gets here.
                guard slot.isOptional || isForChild else {
                    throw CocoaError.danglingReference(
                        entity: layout.name,
                        key: slot.name,
                        object: self,
                        value: object
                    )
                }
                return .null
            }
            // To a child, temporary keys are as good as others: its parent knows the objects by
            // them.
            if isForChild { return .reference(object.anyReference) }
            // A reference is an entity and a primary key, without a store: it can lead nowhere but
            // to a row of the same store.
            guard object.registry.store === registry.store, let reference = object.rowReference
            else {
                throw CocoaError.externalRelationship(
                    entity: layout.name,
                    key: slot.name,
                    object: self
                )
            }
            return .reference(reference)
        case .transformable:
            let value = (content as? ValueBox)?.value ?? content
            return .bytes(try TransformableValue.archive(value, slot.property))
        default:
            return .null
        }
    }

    /// Forgets that anything changed; relationships that were read are kept.
    final func markSaved() {
        flags.remove([.inserted, .updated])
        guard let overlay else { return }
        // The object has its new row by now, and that has the values.
        guard !overlay.boxes.isEmpty else { return self.overlay = nil }
        overlay.changed = SlotSet()
        overlay.changedInEvent = SlotSet()
        overlay.quiet = SlotSet()
        overlay.present = SlotSet()
        overlay.dropValues()
        for box in overlay.boxes { (box.content as? ToManyCollection)?.markClean() }
        // Transient values have no place but their boxes. A collection that was not read held
        // changes only, and these are written.
        overlay.boxes.removeAll { box in
            guard let collection = box.content as? ToManyCollection else { return false }
            return !collection.isLoaded
        }
        if overlay.boxes.isEmpty { self.overlay = nil }
    }
}
