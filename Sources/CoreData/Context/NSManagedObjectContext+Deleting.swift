/// Deleting objects, and what their relationships' rules ask for.
extension NSManagedObjectContext {
    /// `delete(_:)`.
    func baseDelete(_ object: NSManagedObject) {
        checkQueue("delete(_:)")
        require(
            object.registry.context === self,
            "An object can be deleted by its own context only."
        )
        guard !object.flags.contains(.deleted), !object.flags.contains(.detached) else { return }
        // Client code, which may change the object still: before it counts as deleted.
        object.prepareForDeletion()
        if object.flags.contains(.inserted), object.row == nil {
            object.flags.insert(.neverSaved)
        }
        // Nothing registers this deletion. Whoever undoes the one that has led to it has to find it
        // and take it back, see `undoLateRules(of:)`.
        if undoJournal?.isSuspended == true {
            object.flags.insert(.deletedLate)
        } else {
            object.flags.remove(.deletedLate)
        }
        setState(.deleted, of: object)
        notePending(.pendingDelete, object)
    }

    /// Marks an object as deleted that has no row any more; a save has nothing to do for it.
    func noteGone(_ object: NSManagedObject) {
        guard !object.flags.contains(.gone) else { return }
        // No rules are applied to it: they would read the store, which has nothing of it. Who shows
        // it is found when pending changes are processed.
        object.flags.insert([.gone, .deletePropagated])
        setState(.deleted, of: object)
        notePending(.pendingDelete, object)
        foundGone.append(object)
    }

    /// Removes objects that turned out to have no row when their faults were fired from others, as
    /// far as these still show them.
    func releaseFoundGone() {
        // Rows that are read again may turn out to be gone, too.
        while !foundGone.isEmpty {
            let gone = foundGone
            foundGone = []
            releaseRows(of: gone)
        }
    }

    /// Applies the delete rules of all deleted objects, those included that a rule deletes.
    ///
    /// A deletion whose rules can't be applied, because the store fails to read what they are about,
    /// is tried again by the next save, which does not succeed before.
    ///
    /// - Parameter start: Where in the list of deleted objects to begin.
    func propagateDeletes(from start: Int = 0) {
        if start == 0 { deletionFailure = nil }
        var index = start, listed: [NSManagedObject] = []
        // By index, since rules that cascade append to the list.
        while index < deletedList.count {
            let object = deletedList[index]
            index += 1
            guard object.flags.contains(.deleted),
                // Marked before its rules are applied: a cascade that leads back ends here.
                object.flags.insert(.deletePropagated).inserted
            else { continue }
            do {
                try applyDeleteRules(of: object)
            } catch {
                object.flags.remove(.deletePropagated)
                deletionFailure = deletionFailure ?? error
                continue
            }
            if object.flags.contains(.neverSaved) {
                // Inserted and deleted before it was saved: it is as if it had never been.
                setState(nil, of: object)
                leave(object)
                departed.append(object)
            } else if object.layout.slots.contains(where: \.isRelationship) {
                listed.append(object)
            }
        }
        if !listed.isEmpty { leaveContents(listed) }
    }

    private func applyDeleteRules(of object: NSManagedObject) throws {
        // Others here may have read what the parent has related it to since it was read itself.
        if object.registry.isNested, object.flags.isDisjoint(with: [.gone, .neverSaved]) {
            for slot in object.layout.slots where slot.isRelationship && slot.kind != .volatile {
                for related in knownObjects(object, slot) { readFromParent(related, object, slot) }
            }
            refreshAlone(object, mergeChanges: true)
        }
        for slot in object.layout.slots where slot.isRelationship && slot.kind != .volatile {
            switch slot.deleteRule {
            // What a rule denies is left to validation: only a save knows what else is deleted, and
            // an object that goes along denies nothing.
            case .noActionDeleteRule, .denyDeleteRule:
                continue
            case .nullifyDeleteRule:
                for related in try relatedForDeletion(object, slot) {
                    nullify(object, slot, related)
                }
            case .cascadeDeleteRule:
                for related in try relatedForDeletion(object, slot) {
                    // First, so that the rules of the related object don't lead back to this one.
                    nullify(object, slot, related)
                    if !related.flags.contains(.deleted) { delete(related) }
                }
            }
        }
        if !strays.isEmpty { leaveStrayOwners(object) }
    }

    /// Reads an object again that a deleted one shows, and the parent may not any more.
    private func readFromParent(
        _ related: NSManagedObject,
        _ object: NSManagedObject,
        _ slot: PropertySlot
    ) {
        guard slot.inverseSlot >= 0, !related.layout.slots[slot.inverseSlot].isToMany,
            related.overlay?.changed.contains(slot.inverseSlot) != true,
            related.flags.isDisjoint(with: [.fault, .deleted, .detached])
        else { return }
        catchUp(related)
    }

    private func relatedForDeletion(
        _ object: NSManagedObject,
        _ slot: PropertySlot
    ) throws -> [NSManagedObject] {
        if slot.isToMany { return try object.readToMany(slot.index) }
        object.fireIfFault()
        // Still a fault: its row could not be read. That must not pass for a relationship to
        // nobody, so that this throws what the store throws.
        if object.flags.contains(.fault) { _ = try rowForSaving(object) }
        return object.toOneObject(slot.index).map { [$0] } ?? []
    }

    /// Takes the deleted object out of what the related one refers to. The deleted object keeps
    /// its own values, which observers of the deletion may still read.
    private func nullify(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        _ related: NSManagedObject
    ) {
        guard slot.inverseSlot >= 0, !related.flags.contains(.detached) else { return }
        if !slot.isToMany { return related.letGo(of: object, slot.inverseSlot) }
        catchUp(related, slot.inverseSlot, object)
        related.unlink(slot.inverseSlot, object)
    }

    /// Reads an object again whose own end of a relationship shows less than the other end, which
    /// was read later: others have saved it, and it is not merged yet. Where its row has changed
    /// here, the save will find that others have changed it, too.
    func catchUp(_ object: NSManagedObject, _ slot: Int, _ owner: NSManagedObject) {
        guard object.isBehind(owner, slot), !object.hasChangesOfRow else { return }
        catchUp(object)
        guard object.isBehind(owner, slot), let store = object.registry.store else { return }
        // Another coordinator may have written it.
        store.invalidateRow(object.layout, object.primaryKey)
        catchUp(object)
    }

    /// Gives an object the row that its store has now, ahead of the merge that will tell of it. What
    /// can't be read stays as it is.
    func catchUp(_ object: NSManagedObject) {
        guard let store = object.registry.store else { return }
        do {
            // Where there is no row, an object that is inserted again stays: its old row is known
            // to be gone, and the save writes another one.
            if let row = try store.row(object.layout, object.primaryKey) {
                // A parent may show less than its store, which was asked before.
                guard row.version >= object.row?.version ?? 0 else { return }
                rebase(object, on: row, dropping: SlotSet())
            } else if object.flags.isDisjoint(with: [.gone, .reinserted]) {
                deleteGone([object])
            }
        } catch {
            return
        }
    }

    // MARK: Relationships that are read later

    /// What the store holds of a relationship to many, but for objects that are deleted here: their
    /// delete rules were applied before it was read. It is noted for the deletion's being undone.
    func withoutDeleted(
        _ stored: [NSManagedObject],
        _ inverse: Int,
        of object: NSManagedObject,
        _ slot: Int
    ) -> [NSManagedObject] {
        guard deletedCount > 0 else { return stored }
        let present = stored.filter { member in
            // Until its rules are applied, a deleted object is still a member: they look for it
            // here.
            guard member.flags.isSuperset(of: [.deleted, .deletePropagated]) else { return true }
            let rule = member.layout.slots[inverse].deleteRule
            return rule == .noActionDeleteRule || rule == .denyDeleteRule
        }
        if present.count < stored.count { provisionalContents.append((object, slot)) }
        return present
    }

    /// Has relationships be read again from which deleted objects were left out, since some are not
    /// deleted any more.
    func readContentsAgain() {
        let contents = provisionalContents
        // Emptied first: an observer of an object below may read its content at once,
        // and that is noted anew.
        provisionalContents = []
        for (object, slot) in contents where !object.flags.contains(.detached) {
            guard let collection = object.overlay?.box(slot).content as? ToManyCollection else {
                continue
            }
            object.replaceValues { collection.unload() }
            notePending(.pendingRefresh, object)
        }
    }
}
