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
    /// The row's version; 0 if it is gone.
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
                context.deleteGone([sourceObject])
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
            if sourceObject.isDeleted {
                sourceObject.row = stored
            } else {
                context.rebase(sourceObject, on: stored, dropping: SlotSet())
            }
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
        rebase(object, on: stored, dropping: slots)
    }

    /// Puts an object's changes, but for those in some slots, on top of another row, and tells
    /// everybody what the object shows of it: observers, and the other ends of its relationships.
    func rebase(_ object: NSManagedObject, on stored: Row, dropping slots: SlotSet) {
        let known = object.row
        var moved: [(slot: Int, from: NSManagedObject?)] = []
        var ends: [(slot: Int, from: RowReference?, to: RowReference?)] = []
        for slot in object.layout.toOneSlots where object.layout.slots[slot].inverseSlot >= 0 {
            if object.overlay?.changed.contains(slot) == true {
                if slots.contains(slot) { moved.append((slot, object.toOneObject(slot))) }
            } else if known?.reference(slot) != stored.reference(slot) {
                ends.append((slot, known?.reference(slot), stored.reference(slot)))
            }
        }
        object.replaceValues {
            object.row = stored
            object.forgetStoredValues(dropping: slots)
            notePending(.pendingRefresh, object)
        }
        // The other ends follow the object back to what the store says.
        for (slot, old) in moved {
            let inverse = object.layout.slots[slot].inverseSlot
            let now = object.toOneObject(slot)
            guard old !== now else { continue }
            if let old, !old.flags.contains(.deleted) { old.unlink(inverse, object) }
            if let now, !now.flags.contains(.deleted) { now.link(inverse, object) }
        }
        for (slot, old, now) in ends {
            let inverse = object.layout.slots[slot].inverseSlot
            if let other = knownObject(old, of: object) { reread(other, inverse, object, false) }
            if let other = knownObject(now, of: object) { reread(other, inverse, object, true) }
        }
    }

    /// The object of a row that another object refers to, if it is registered.
    private func knownObject(
        _ reference: RowReference?,
        of object: NSManagedObject
    ) -> NSManagedObject? {
        guard let store = object.registry.store, let reference = reference.map(current) else {
            return nil
        }
        let known = registry(reference.entityIndex, in: store).known(reference.primaryKey)
        return known?.flags.isDisjoint(with: [.deleted, .detached]) == true ? known : nil
    }

    /// Brings one end of a relationship up to date whose other end was changed by somebody else. Of
    /// a relationship to many, what else has changed is left to the merge that tells of it.
    private func reread(
        _ object: NSManagedObject,
        _ slot: Int,
        _ other: NSManagedObject,
        _ isMember: Bool
    ) {
        guard object.layout.slots[slot].isToMany else {
            if !object.flags.contains(.fault) { refresh(object, mergeChanges: true) }
            return
        }
        guard let collection = object.overlay?.box(slot).content as? ToManyCollection,
            collection.isLoaded
        else { return }
        object.replaceValues {
            if isMember { collection.gain(other) } else { collection.lose(other) }
        }
        notePending(.pendingRefresh, object)
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
