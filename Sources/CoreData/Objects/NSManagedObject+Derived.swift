import Foundation

/// Values of derived attributes.
///
/// Counts of to-many relationships are kept by triggers of SQLite stores, as Apple's framework
/// does it; everything else is worked out from the object when it is saved, in memory also the
/// counts.
extension NSManagedObject {
    /// Works out the derived values before a save; what a client set is overwritten.
    final func deriveValues() {
        let isCounting = (registry.store as NSPersistentStore?)?.type == NSSQLiteStoreType
        for slot in layout.derivedSlots {
            let property = layout.slots[slot]
            guard let derived = property.property as? NSDerivedAttributeDescription,
                let expression = derived.derivationExpression
            else { continue }
            if isCounting, derived.isCount {
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
            layout.derivedSlots.contains(where: { slot in
                (layout.slots[slot].property as? NSDerivedAttributeDescription)?.isCount == true
            })
        else { return }
        do {
            if let current = try store.row(layout, primaryKey) { row = current }
        } catch {
            // The save has succeeded; the value is read when the object is refreshed.
            return
        }
    }
}

extension NSDerivedAttributeDescription {
    /// Whether the value is the number of objects of a relationship.
    fileprivate var isCount: Bool {
        guard case .keyPath(nil, let path)? = derivationExpression?.node else { return false }
        return path.hasSuffix(".@count")
    }
}
