import Foundation

/// Undoing and forgetting: refresh, roll back, reset.
extension NSManagedObjectContext {
    /// `refresh(_:mergeChanges:)`.
    func baseRefresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        checkQueue("refresh(_:mergeChanges:)")
        refreshAlone(object, mergeChanges: flag)
        // By the row that was read, others may have related it to what is deleted here.
        if flag { applyDeleteRules(to: [object]) }
    }

    /// Refreshes an object, and applies no delete rules to what it has come to be related to.
    func refreshAlone(_ object: NSManagedObject, mergeChanges flag: Bool) {
        guard object.registry.context === self, !object.flags.contains(.detached) else { return }
        if object.flags.contains(.inserted) {
            // No store has a row of it to read again, so that a refresh which keeps
            // changes has nothing to do.
            if !flag { object.replaceValues { turnInsertedIntoFault(object) } }
            return
        }
        guard let store = object.registry.store else { return }
        if flag {
            guard !object.flags.contains(.fault) else {
                return rereadRelationships(of: object, in: store)
            }
            do {
                let layout = object.layout, key = object.primaryKey
                let isAged = stalenessInterval >= 0
                let row =
                    isAged
                    ? try freshRow(layout, key, in: store) : try store.row(layout, key)
                guard let row else {
                    if !object.flags.contains(.gone) { deleteGone([object]) }
                    return
                }
                refreshMerging(object, row)
            } catch {
                // Never fails, as documented: the object keeps what it has.
                return
            }
        } else {
            object.replaceValues { turnIntoFault(object) }
        }
        notePending(.pendingRefresh, object)
    }

    /// The same for a fault: a relationship can be read, and changed, without the object's own
    /// values.
    private func rereadRelationships(of object: NSManagedObject, in store: any RowStore) {
        guard object.overlay != nil else { return }
        object.replaceValues { object.forgetStoredRelationships() }
        notePending(.pendingRefresh, object)
        guard object.flags.contains(.updated) else { return }
        do {
            guard try store.row(object.layout, object.primaryKey) == nil else { return }
        } catch {
            // Whoever fires the fault is told.
            return
        }
        deleteGone([object])
    }

    /// Gives an object a newer row and keeps its changes.
    func refreshMerging(_ object: NSManagedObject, _ row: Row) {
        object.replaceValues {
            object.row = row
            object.forgetStoredRelationships()
            object.announce(.refresh)
        }
        if object.flags.contains(.updated) { withoutUndo { takeFromOthers(object, row) } }
    }

    /// Drops an object's changes and values.
    func turnIntoFault(_ object: NSManagedObject) {
        object.willTurnIntoFault()
        if object.flags.contains(.updated) || object.flags.contains(.deleted) {
            setState(nil, of: object)
        }
        // Its row may be there again; where it is not, the next access finds that out.
        object.flags.remove([.deletePropagated, .gone, .unread])
        object.overlay = nil
        object.row = nil
        object.flags.insert(.fault)
        // What a refresh has dropped must not come back by an undo.
        undoJournal?.forget(object)
        object.didTurnIntoFault()
    }

    /// Drops the values of an object that no store has: it stays inserted, as if nothing had been
    /// set. Its relationships end on both sides.
    private func turnInsertedIntoFault(_ object: NSManagedObject) {
        object.willTurnIntoFault()
        for slot in object.layout.slots where slot.isRelationship && slot.kind != .volatile {
            if slot.isToMany {
                object.setToMany(slot.index, [])
            } else {
                object.setToOne(slot.index, nil)
            }
        }
        object.takeDefaults()
        object.flags.insert(.fault)
        object.didTurnIntoFault()
        notePending(.pendingRefresh, object)
    }

    /// `refreshAllObjects()`.
    func baseRefreshAllObjects() {
        checkQueue("refreshAllObjects()")
        // Asked before the refreshing, which forgets which objects count as gone.
        let back = returned()
        var changed: [NSManagedObject] = []
        let objects = registeredObjects
        // First, since others that have changes are put on top of what these are related to.
        for object in objects where back.contains(ObjectIdentifier(object)) {
            object.replaceValues { turnIntoFault(object) }
            notePending(.pendingRefresh, object)
        }
        for object in objects where object.flags.isDisjoint(with: .inserted) {
            if object.hasChanges {
                refreshAlone(object, mergeChanges: true)
                changed.append(object)
            } else if !object.flags.contains(.fault) || object.overlay != nil {
                object.replaceValues { turnIntoFault(object) }
                notePending(.pendingRefresh, object)
            }
        }
        applyDeleteRules(to: changed)
        processPendingChanges()
    }

    /// The objects that count as deleted by others, and whose rows are there again: a parent has
    /// taken a deletion back.
    private func returned() -> Set<ObjectIdentifier> {
        let gone = changed(deletedList, .deleted).filter { $0.flags.contains(.gone) }
        guard !gone.isEmpty else { return [] }
        return storeRegistries.map(\.store).reduce(into: []) { result, store in
            result.formUnion(present(gone.filter { $0.registry.store === store }, in: store))
        }
    }

    /// `rollback()`.
    func baseRollback() {
        checkQueue("rollback()")
        forgetUndo()
        // Those that were deleted since are among them: observers may know them.
        let inserted =
            changed(insertedList, .inserted)
            + changed(deletedList, .deleted).filter { $0.flags.contains(.neverSaved) }
        let others = (changed(updatedList, .updated) + changed(deletedList, .deleted))
            .filter { !$0.flags.contains(.neverSaved) }
        // What a refresh has brought is news, whatever becomes of the changes.
        let refreshed = pending.refreshed.filter { $0.flags.isDisjoint(with: .anyChange) }
        pending = ChangeSet<NSManagedObject>()
        // Kept, since the lists of changes take it with them, and the deletions are being taken
        // back.
        let contents = provisionalContents
        forgetChangeLists()
        for object in refreshed {
            object.flags.remove(.anyPending)
            notePending(.pendingRefresh, object)
        }
        for object in inserted {
            object.flags.remove(.anyPending)
            leave(object)
        }
        // What observers kept of the inserted objects must go.
        pending.deleted = inserted
        var gone: [NSManagedObject] = []
        for object in others {
            let isAnnounced = !object.flags.contains(.pendingDelete)
            object.flags.remove(.anyPending)
            object.flags.remove([.deletePropagated, .misled])
            if object.flags.contains(.gone) {
                // Others have deleted it, and a roll-back leaves that so: observers that have not
                // been told yet still have to be.
                if !isAnnounced { pending.deleted.append(object) }
                leave(object)
                gone.append(object)
                continue
            }
            object.replaceValues {
                object.overlay = nil
                notePending(.pendingRefresh, object)
                object.announce(.rollback)
            }
        }
        provisionalContents = contents
        readContentsAgain()
        processPendingChanges()
        // After the notification, whose observers may still look at what they were related to.
        for object in inserted + gone { object.breakRelationships() }
        if consistency != nil { checkConsistency() }
    }

    /// Takes an object out of the context, which it never comes back to.
    func leave(_ object: NSManagedObject) {
        object.flags.insert(.detached)
        // A fault would be fired by the next access, and its row is gone or never was.
        object.flags.remove(.fault)
        if retainsRegisteredObjects { retainedObjects[ObjectIdentifier(object)] = nil }
        if object.registry.store != nil {
            object.registry.identityMap.remove(object.primaryKey, object)
        }
    }

    /// `reset()`.
    func baseReset() {
        checkQueue("reset()")
        let objects = registeredObjects
        let ids = objects.map(\.objectID)
        let unsaved = changed(insertedList, .inserted)
        for object in unsaved { object.flags.insert(.detached) }
        for list in [pending.inserted, pending.updated, pending.deleted, pending.refreshed] {
            for object in list { object.flags.remove(.anyPending) }
        }
        pending = ChangeSet<NSManagedObject>()
        foundGone = []
        conflictChecks = []
        strays.removeAll()
        // What a save has deleted that failed then is in no other list.
        forgetDeparted()
        forgetChangeLists()
        retainedObjects = [:]
        recentRows.removeAll()
        batchedFetches.removeAll()
        relatedFetches.removeAll()
        readMembers = []
        detachRegistries()
        forgetUndo()
        // Faults that nothing fulfils any more.
        for object in objects {
            object.overlay = nil
            object.row = nil
            object.flags.insert(.fault)
        }
        // Last: observers find the objects empty, and what they fetch is new.
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange,
            object: self,
            userInfo: [NSInvalidatedAllObjectsKey: ids]
        )
    }
}
