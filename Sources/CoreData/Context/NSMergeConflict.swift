import Foundation

/// An object whose row is not as its context last read it.
///
/// > Threading: Confined to the queue of the object's context.
open class NSMergeConflict: NSObject {
    /// The object that was to be saved.
    public let sourceObject: NSManagedObject
    /// The object's values as they were to be saved: attributes, and IDs of to-one relationships.
    public let objectSnapshot: [String: Any]?
    /// The row's values as the coordinator knows them.
    public let cachedSnapshot: [String: Any]?
    /// The row's values in the store, if they differ from what the coordinator knows.
    public let persistedSnapshot: [String: Any]?
    /// The row's version; 0 if it is gone.
    public let newVersionNumber: Int
    /// The version that the object was read at.
    public let oldVersionNumber: Int
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
        persistedSnapshot = nil
        newVersionNumber = Int(stored?.version ?? 0)
        oldVersionNumber = Int(expectedVersion)
        self.stored = stored
        super.init()
    }

    /// Changes the object so that a save on top of the stored row succeeds.
    func resolve(_ type: NSMergePolicyType) {
        guard let context = sourceObject.registry.context else { return }
        context.undoJournal?.isSuspended = true
        defer {
            context.undoJournal?.isSuspended = false
            sourceObject.announce(.mergePolicy)
        }
        guard let stored else {
            if type == .overwriteMergePolicyType, !sourceObject.isDeleted {
                context.reinsert(sourceObject)
            } else {
                context.noteGone(sourceObject)
            }
            return
        }
        switch type {
        case .errorMergePolicyType:
            return
        case .rollbackMergePolicyType:
            context.yield(sourceObject, to: stored, in: sourceObject.overlay?.changed ?? SlotSet())
        case .mergeByPropertyStoreTrumpMergePolicyType:
            context.yield(sourceObject, to: stored, in: slotsThatDiffer(stored))
        case .mergeByPropertyObjectTrumpMergePolicyType:
            sourceObject.row = stored
        case .overwriteMergePolicyType:
            sourceObject.holdAllValues()
            sourceObject.row = stored
        }
    }

    /// The slots that the store changed since the object was read.
    private func slotsThatDiffer(_ stored: Row) -> SlotSet {
        var result = SlotSet()
        guard let old = sourceObject.row else { return result }
        for slot in sourceObject.layout.slots where slot.kind.isInRow {
            let before = old.value(slot.index, slot.kind), now = stored.value(slot.index, slot.kind)
            if !before.isSame(as: now) { result.insert(slot.index) }
        }
        return result
    }
}

extension NSManagedObjectContext {
    /// Drops an object's changes in some slots and takes the row as its ground.
    func yield(_ object: NSManagedObject, to stored: Row, in slots: SlotSet) {
        if object.flags.contains(.deleted) {
            object.flags.remove(.deletePropagated)
            setState(nil, of: object)
            notePending(.pendingRefresh, object)
        }
        var moved: [(slot: Int, from: NSManagedObject?)] = []
        for slot in object.layout.toOneSlots
        where slots.contains(slot) && object.overlay?.changed.contains(slot) == true {
            moved.append((slot, object.toOneObject(slot)))
        }
        object.row = stored
        guard let overlay = object.overlay else { return }
        for slot in slots.members { overlay.changed.remove(slot) }
        object.forgetStoredRelationships()
        notePending(.pendingRefresh, object)
        // The other ends follow the object back to what the store says.
        for (slot, old) in moved {
            let inverse = object.layout.slots[slot].inverseSlot
            let now = object.toOneObject(slot)
            guard inverse >= 0, old !== now else { continue }
            if let old, !old.flags.contains(.deleted) { old.unlink(inverse, object) }
            if let now, !now.flags.contains(.deleted) { now.link(inverse, object) }
        }
    }

    /// Saves an object whose row is gone as a new row with the same key.
    fileprivate func reinsert(_ object: NSManagedObject) {
        object.holdAllValues()
        object.row = nil
        setState(.inserted, of: object)
    }
}

extension NSManagedObject {
    /// Makes every value of the row a change, so that a save writes it.
    fileprivate func holdAllValues() {
        for slot in layout.slots where slot.kind.isInRow {
            let isHeld = overlay?.changed.contains(slot.index) ?? false
            if isHeld { continue }
            if slot.kind == .toOne {
                let object = toOneObject(slot.index)
                ensureOverlay().setBox(slot.index, object)
            } else {
                storeSlot(slot.index, slotValue(slot.index))
            }
            ensureOverlay().changed.insert(slot.index)
        }
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
