import Foundation

/// Values of derived attributes.
///
/// What follows from other rows is kept by triggers of SQLite stores, as Apple's framework does
/// it; everything else is worked out from the object when it is saved, in other stores all of it.
extension NSManagedObject {
    /// Works out the derived values before a save; what a client set is overwritten.
    final func deriveValues() {
        let hasTriggers = hasDerivationTriggers
        for slot in layout.derivedSlots {
            let property = layout.slots[slot]
            guard let derived = property.property as? NSDerivedAttributeDescription,
                let expression = derived.derivationExpression
            else { continue }
            if hasTriggers, derived.derivation?.isKeptByTriggers == true {
                // What is known here may be older than what a trigger has written since, and must
                // not replace it.
                overlay?.changed.remove(slot)
                overlay?.present.remove(slot)
                continue
            }
            let value = expression.expressionValue(with: self, context: nil)
            guard let stored = property.kind.slotValue(value), !stored.isSame(as: slotValue(slot))
            else { continue }
            storeSlot(slot, stored)
            ensureOverlay().changed.insert(slot)
        }
    }

    /// Reads the row again after a save, if a trigger may have changed it.
    final func readDerivedValues() {
        guard let store = registry.store, !flags.contains(.fault),
            layout.derivedSlots.contains(where: { layout.slots[$0].derivation != nil })
        else { return }
        do {
            // The row cache gives the same instance for a row that nothing has changed.
            guard let current = try store.row(layout, primaryKey), current !== row else { return }
            row = current
            registry.context?.notePending(.pendingRefresh, self)
        } catch {
            // The save has succeeded; the next access reads the values.
            row = nil
            flags.insert(.fault)
        }
    }

    /// Whether the object's store keeps values that follow from other rows.
    fileprivate var hasDerivationTriggers: Bool {
        registry.store?.coordinatorStore.keepsDerivedValues ?? false
    }
}

extension ChangeSet where Element == NSManagedObject {
    /// Adds the objects whose derived values follow from changed ones, in stores that don't keep
    /// such values by themselves.
    ///
    /// - Complexity: Reads the relationships that lead from changed objects to such objects.
    mutating func addDependents(in context: NSManagedObjectContext) {
        guard context.coordinator.modelLayout.hasDerivations else { return }
        // Deleted ones count as known: nothing is derived for a row that the save removes.
        var known = Set((inserted + updated + deleted).map(ObjectIdentifier.init))
        for object in inserted + updated {
            for dependent in object.derivationDependents
            where !dependent.flags.contains(.deleted)
                && known.insert(ObjectIdentifier(dependent)).inserted
            {
                dependent.fireIfFault()
                // A save passes over objects without an overlay, which this one may be: nothing of
                // it was set.
                _ = dependent.ensureOverlay()
                context.noteUpdate(dependent)
                updated.append(dependent)
            }
        }
    }
}

extension NSManagedObject {
    /// The objects with a derived value that leads to this one.
    fileprivate var derivationDependents: [NSManagedObject] {
        let hasTriggers = hasDerivationTriggers
        return layout.slots.filter(\.isRelationship).flatMap { slot -> [NSManagedObject] in
            guard slot.inverseSlot >= 0,
                let destination = registry.context?.coordinator.modelLayout
                    .entities[slot.destinationIndex]
            else { return [] }
            let name = destination.slots[slot.inverseSlot].name
            let isUsed = destination.derivedSlots.contains { derived in
                guard let derivation = destination.slots[derived].derivation else { return false }
                return derivation.relationship == name
                    && !(hasTriggers && derivation.isKeptByTriggers)
            }
            guard isUsed else { return [] }
            return slot.isToMany
                ? toManyObjects(slot.index) : [toOneObject(slot.index)].compactMap(\.self)
        }
    }
}
