import Foundation

/// Undo and redo of what was done to the context's objects.
extension NSManagedObjectContext {
    /// `undo()`.
    func baseUndo() {
        checkQueue("undo()")
        // First: what has changed in this event becomes a step of its own, and is the one to undo.
        processPendingChanges()
        undoManager?.undo()
        processPendingChanges()
    }

    /// `redo()`.
    func baseRedo() {
        checkQueue("redo()")
        processPendingChanges()
        undoManager?.redo()
        processPendingChanges()
    }

    /// Starts or stops the recording that a new undo manager, or none, asks for.
    func undoManagerDidChange() {
        undoJournal = undoManager == nil ? nil : UndoJournal()
        undoObservation = undoManager.map { manager in
            UndoObservation(manager) { [weak self] in
                // A checkpoint makes a step of what has changed so far; registering it posts one,
                // too.
                guard let self, !isRegisteringUndo else { return }
                processPendingChanges()
            }
        }
    }

    /// Ends an event: what has changed in it is one step of undo.
    func endEvent() {
        processPendingChanges()
        undoManager?.endEvent()
    }

    /// Forgets what could be undone.
    func forgetUndo() {
        undoJournal?.removeAll()
        undoManager?.removeAllActions()
    }

    /// Makes changes that are no part of what can be undone: those of others.
    func withoutUndo(_ change: () -> Void) {
        // A nested call must not end what the outer one has suspended.
        guard let undoJournal, !undoJournal.isSuspended else { return change() }
        undoJournal.isSuspended = true
        change()
        undoJournal.isSuspended = false
    }

    /// Registers the changes of this event as one action.
    func registerUndo() {
        guard let undoJournal, let undoManager, !undoJournal.isEmpty else { return }
        // Taken in any case: what was done while registration was off is never undone.
        guard let change = undoJournal.take(), undoManager.isUndoRegistrationEnabled else { return }
        register(change, undoManager)
    }

    private func register(_ change: UndoChange, _ manager: UndoManager) {
        isRegisteringUndo = true
        defer { isRegisteringUndo = false }
        // A registration needs an open group, and here no event opens one.
        let needsGroup = manager.groupingLevel == 0 && !manager.groupsByEvent
        if needsGroup { manager.beginUndoGrouping() }
        manager.registerUndo(withTarget: self) { context in context.apply(change) }
        if needsGroup { manager.endUndoGrouping() }
    }

    /// Restores what was before an event, and registers what reverses that.
    private func apply(_ change: UndoChange) {
        guard let undoJournal else { return }
        // What else has changed in this event is no part of the undo; it was registered before,
        // unless an observer that is called in the middle of an event undoes.
        undoJournal.removeAll()
        // Objects come first, for what is set below may lead to them only once they are back.
        for entry in change.objects where entry.isMoved && entry.state != .absent {
            bringBack(entry.object, to: entry.state)
        }
        let present = change.objects.filter { !$0.object.flags.contains(.detached) }
        for entry in present {
            for value in entry.values { value.restore(in: entry.object) }
        }
        for entry in present {
            for list in entry.lists { list.restore(in: entry.object) }
        }
        // The order comes last, when all members are there.
        for entry in present {
            for list in entry.lists { list.restoreOrder(in: entry.object) }
        }
        for entry in present where entry.isMoved && entry.object.flags.isDisjoint(with: .deleted) {
            withoutUndo { undoLateRules(of: entry.object) }
        }
        for entry in present where entry.isMoved {
            if entry.state == .absent || entry.state == .deleted { takeAway(entry.object) }
        }
        // Now and not at the end of the event: the inverse has to hold what the rules change.
        propagateDeletes()
        for entry in present { settle(entry.object) }
        if let undoManager, let inverse = undoJournal.take() { register(inverse, undoManager) }
        announce(change)
    }

    /// Makes a deleted object, or one that has left the context, part of it again.
    private func bringBack(_ object: NSManagedObject, to state: UndoChange.State) {
        guard state != .deleted else { return }
        if object.flags.contains(.detached) {
            // Its deletion was saved, and with it the row went: it has to be inserted as a new one.
            if object.row != nil { object.becomeNew() }
            object.flags.remove(.gone)
            object.flags.insert(.neverSaved)
            insert(object)
        } else if object.flags.contains(.deleted), !object.flags.contains(.gone) {
            object.flags.remove([.deletePropagated, .neverSaved])
            let hasRow = object.row != nil || object.flags.contains(.fault)
            setState(hasRow ? (state == .clean ? nil : .updated) : .inserted, of: object)
            notePending(hasRow ? .pendingUpdate : .pendingInsert, object)
        }
    }

    /// Deletes an object whose insertion is undone, or whose deletion is done again.
    private func takeAway(_ object: NSManagedObject) {
        guard object.flags.isDisjoint(with: [.deleted, .detached]) else { return }
        // A save must not ask the store to delete what it never had.
        if object.flags.contains(.inserted), object.row == nil { object.flags.insert(.neverSaved) }
        setState(.deleted, of: object)
        notePending(.pendingDelete, object)
    }

    /// Makes an object that is as its row says count as unchanged.
    func settle(_ object: NSManagedObject) {
        guard object.flags.contains(.updated) else { return }
        if let overlay = object.overlay {
            for slot in overlay.changed.members where !object.differsFromRow(slot) {
                overlay.changed.remove(slot)
            }
            guard overlay.changed.isEmpty else { return }
        }
        setState(nil, of: object)
    }

    private func announce(_ change: UndoChange) {
        for entry in change.objects {
            guard entry.isMoved else {
                entry.object.announce(.undoUpdate)
                continue
            }
            let isAway = entry.state == .absent || entry.state == .deleted
            entry.object.announce(isAway ? .undoInsertion : .undoDeletion)
        }
    }
}

/// Follows the checkpoints of an undo manager for as long as it lives.
final class UndoObservation {
    private let token: any NSObjectProtocol

    init(_ manager: UndoManager, _ checkpoint: @escaping @Sendable () -> Void) {
        // By its sender, unlike elsewhere: the context holds the manager for as long as this, so
        // that the address can't become another object's meanwhile.
        token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint,
            object: manager,
            queue: nil
        ) { _ in checkpoint() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}

extension NSManagedObject {
    /// Prepares an object whose deletion was saved for being inserted as a new row.
    ///
    /// Relationships with an inverse come back from their other end, which the delete rules have
    /// changed in the same event.
    fileprivate final func becomeNew() {
        guard let row else { return }
        for slot in layout.slots where slot.kind.isInRow {
            // What was set after the last save is newer than the row.
            if overlay?.present.contains(slot.index) == true {
                overlay?.changed.insert(slot.index)
                continue
            }
            switch slot.kind {
            case .toOne:
                ensureOverlay().setBox(slot.index, survivor(row, slot))
            case .transformable:
                let value = anyValue(slot.index)
                ensureOverlay().setBox(slot.index, value.map(ValueBox.init))
            default:
                storeSlot(slot.index, row.value(slot.index, slot.kind))
            }
            overlay?.changed.insert(slot.index)
        }
        // Without a row it counts as never saved, for a later undo of this one too.
        self.row = nil
        flags.remove(.fault)
    }

    /// The object of a to-one relationship that no other end will restore.
    private func survivor(_ row: Row, _ slot: PropertySlot) -> NSManagedObject? {
        let isRestored =
            slot.inverseSlot >= 0
            && (slot.deleteRule == .nullifyDeleteRule || slot.deleteRule == .cascadeDeleteRule)
        guard !isRestored, let reference = row.reference(slot.index), let store = registry.store,
            let context = registry.context
        else { return nil }
        let object = context.object(reference, in: store)
        return object.flags.contains(.deleted) || object.flags.contains(.gone) ? nil : object
    }
}
