import Foundation

/// An object whose row is not as its context last read it.
///
/// > Threading: Confined to the queue of the object's context.
open class NSMergeConflict: NSObject {
    /// The object that was to be saved.
    open private(set) var sourceObject: NSManagedObject
    /// The object's values as they were to be saved: attributes, and IDs of to-one relationships.
    open private(set) var objectSnapshot: [String: Any]?
    /// The row's values as the coordinator knows them.
    open private(set) var cachedSnapshot: [String: Any]?
    /// The row's values in the store, if they differ from what the coordinator knows.
    open private(set) var persistedSnapshot: [String: Any]?
    /// The row's version now; 0 if it was deleted.
    open private(set) var newVersionNumber: Int
    /// The version that the object was read at.
    open private(set) var oldVersionNumber: Int
    /// The row that the object must be saved on top of.
    private let stored: Row?

    /// Describes a conflict.
    public init(
        source srcObject: NSManagedObject,
        newVersion newvers: Int,
        oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?,
        persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        objectSnapshot = srcObject.currentSnapshot()
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        stored = nil
        super.init()
    }

    init(_ object: NSManagedObject, expectedVersion: Int32, stored: Row?) {
        sourceObject = object
        objectSnapshot = object.currentSnapshot()
        cachedSnapshot = stored.map(object.snapshot)
        // The cache is brought up to date before a conflict is made: the store has nothing newer.
        persistedSnapshot = nil
        newVersionNumber = Int(stored?.version ?? 0)
        oldVersionNumber = Int(expectedVersion)
        self.stored = stored
        super.init()
    }

    /// Whether somebody has deleted the object's row.
    var isOfGoneRow: Bool { stored == nil }

    /// Changes the object so that a save on top of the stored row succeeds.
    func resolve(_ type: NSMergePolicyType) {
        guard let context = sourceObject.registry.context else { return }
        // What others have saved is nothing that a user could undo.
        context.withoutUndo { resolve(type, in: context) }
        sourceObject.announce(.mergePolicy)
    }

    private func resolve(_ type: NSMergePolicyType, in context: NSManagedObjectContext) {
        guard let stored else {
            if type == .overwriteMergePolicyType, !sourceObject.isDeleted {
                context.releaseLostPartners(of: sourceObject)
                context.reinsert(sourceObject)
            } else {
                context.deleteGone([sourceObject])
            }
            return
        }
        // Somebody else has inserted the row again before.
        if sourceObject.isInserted { context.setState(.updated, of: sourceObject) }
        switch type {
        case .errorMergePolicyType:
            return
        case .rollbackMergePolicyType:
            context.yield(sourceObject, to: stored, in: sourceObject.overlay?.changed ?? SlotSet())
        case .mergeByPropertyStoreTrumpMergePolicyType:
            context.yield(sourceObject, to: stored, in: slotsThatDiffer(stored))
        case .mergeByPropertyObjectTrumpMergePolicyType:
            if sourceObject.isDeleted {
                context.delete(sourceObject, on: stored)
            } else {
                context.rebase(sourceObject, on: stored, dropping: SlotSet())
            }
        case .overwriteMergePolicyType where sourceObject.isDeleted:
            context.delete(sourceObject, on: stored)
        case .overwriteMergePolicyType:
            context.releaseLostPartners(of: sourceObject)
            // While the row is there that the values come from; the next line drops it.
            sourceObject.holdAllValues()
            sourceObject.row = stored
            context.takeFromOthers(sourceObject, stored)
        }
    }

    /// The slots that the store changed since the object was read: all of them, if others have
    /// inserted the row again.
    private func slotsThatDiffer(_ stored: Row) -> SlotSet {
        guard let old = sourceObject.row else { return sourceObject.overlay?.changed ?? SlotSet() }
        var result = SlotSet()
        for slot in sourceObject.layout.slots where slot.kind.isInRow {
            let before = old.value(slot.index, slot.kind), now = stored.value(slot.index, slot.kind)
            if !before.isSame(as: now) { result.insert(slot.index) }
        }
        return result
    }
}

extension NSManagedObject {
    /// Makes every value of the row a change, so that a save writes it.
    final func holdAllValues() {
        for slot in layout.slots where slot.kind.isInRow {
            let isHeld = overlay?.changed.contains(slot.index) ?? false
            if isHeld { continue }
            if slot.kind == .toOne {
                let object = toOneObject(slot.index)
                // What others have deleted can't be related to again.
                if object?.isLost == true {
                    overlay?.boxes.removeAll { $0.slot == slot.index }
                    continue
                }
                ensureOverlay().setBox(slot.index, object)
                if let object { object.holdPartner(self, slot.inverseSlot) }
            } else {
                storeSlot(slot.index, slotValue(slot.index))
            }
            ensureOverlay().changed.insert(slot.index)
        }
    }

    /// Has this end of a relationship stay as it is, whatever others have saved of it: the other end
    /// is written over what they have saved.
    final func holdPartner(_ partner: NSManagedObject, _ slot: Int) {
        guard slot >= 0 else { return }
        if layout.slots[slot].isToMany {
            let collection = toMany(slot)
            collection.claim(partner)
            // A roll-back takes the partner's change back, and no change of this end.
            registry.context?.provisionalContents.append((self, slot))
            // Read since the other end was, it lacks what others have taken out.
            guard collection.contains(partner) == false else { return }
            replaceValues { collection.gain(partner) }
            registry.context?.notePending(.pendingRefresh, self)
            return
        }
        guard toOneObject(slot) === partner, !differsFromRow(slot) else { return }
        change(slot) { ensureOverlay().setBox(slot, partner) }
        // Its row may say otherwise by now, and has to be written then.
        registry.context?.catchUp(self)
    }

    /// The values as they are now: attributes, and IDs of to-one relationships.
    func currentSnapshot() -> [String: Any] {
        var result: [String: Any] = [:]
        for slot in layout.slots where slot.kind.isInRow {
            let value =
                slot.kind == .toOne
                ? toOneObject(slot.index)?.objectID : anyValue(slot.index)
            result[slot.name] = value ?? NSNull()
        }
        return result
    }
}
