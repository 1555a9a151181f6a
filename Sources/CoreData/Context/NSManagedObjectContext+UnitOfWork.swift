import Dispatch
import Foundation

/// Insert, update, delete: the state of objects, and what changed in the current event.
extension NSManagedObjectContext {
    /// `hasChanges`.
    var baseHasChanges: Bool { insertedCount + updatedCount + deletedCount > 0 }
    /// `insertedObjects`.
    var baseInsertedObjects: Set<NSManagedObject> { Set(changed(insertedList, .inserted)) }
    /// `updatedObjects`.
    var baseUpdatedObjects: Set<NSManagedObject> { Set(changed(updatedList, .updated)) }
    /// `deletedObjects`.
    var baseDeletedObjects: Set<NSManagedObject> { Set(changed(deletedList, .deleted)) }

    /// The objects of a list that are still in the state that the list stands for.
    func changed(_ list: [NSManagedObject], _ state: ObjectFlags) -> [NSManagedObject] {
        // An object that changes its state stays in its old list: to find it there would cost a
        // search for each change. The flags say what holds. In most lists nothing has.
        let count =
            switch state {
            case .inserted: insertedCount
            case .updated: updatedCount
            default: deletedCount
            }
        return list.count == count ? list : list.filter { !$0.flags.isDisjoint(with: state) }
    }

    /// Takes in an object that was just made.
    func adopt(_ object: NSManagedObject) {
        checkQueue("insert(_:)")
        object.registry.identityMap.set(object.primaryKey, object)
        setState(.inserted, of: retained(object))
        notePending(.pendingInsert, object)
        // Last, for it is client code: it finds the object registered and counted as inserted.
        object.awakeFromInsert()
    }

    /// `insert(_:)`.
    func baseInsert(_ object: NSManagedObject) {
        if object.registry.context === self, object.flags.contains(.neverSaved),
            object.flags.contains(.detached)
        {
            // It left before it was saved, or an undo brings it back whose deletion was saved: it
            // becomes a new row, and no key is ever given out twice.
            object.flags.remove([.neverSaved, .detached, .deletePropagated])
            object.registry.identityMap.remove(object.primaryKey, object)
            object.registry = registry(forNew: object.entity)
            object.primaryKey = TemporaryKey.next()
            object.registry.identityMap.set(object.primaryKey, object)
            setState(.inserted, of: retained(object))
            notePending(.pendingInsert, object)
            return
        }
        if object.registry.context === self {
            guard object.flags.contains(.deleted) else { return }
            let wasNeverSaved = object.flags.contains(.neverSaved)
            let isTakenFromOthers = object.flags.contains(.deletePropagated)
            object.flags.remove([.deletePropagated, .neverSaved])
            setState(wasNeverSaved ? .inserted : .updated, of: object)
            notePending(wasNeverSaved ? .pendingInsert : .pendingUpdate, object)
            if isTakenFromOthers { undoLateRules(of: object) }
            return
        }
        require(
            object.registry.context == nil,
            "The object is in another context already: make a new one in this context."
        )
        object.registry = registry(forNew: object.entity)
        object.primaryKey = TemporaryKey.next()
        adopt(object)
    }

    /// Notes that a value of an object was set.
    func noteUpdate(_ object: NSManagedObject) {
        checkQueue()
        // An object that has left the context can still be set; no save is to know of it.
        guard !object.flags.contains(.detached) else { return }
        if object.flags.isDisjoint(with: .anyChange) { setState(.updated, of: object) }
        notePending(.pendingUpdate, object)
    }

    /// Moves an object to a state of the unit of work; nil for none.
    func setState(_ state: ObjectFlags?, of object: NSManagedObject) {
        // Before the change, for the journal keeps what was.
        undoJournal?.noteState(of: object)
        guard let changeObservers else { return move(object, to: state) }
        // Observers are told before the move and after it, and only where the answer changes, so
        // that it has to be worked out ahead.
        let others =
            insertedCount + updatedCount + deletedCount
            - (object.flags.isDisjoint(with: .anyChange) ? 0 : 1)
        guard baseHasChanges != (others > 0 || state != nil) else {
            return move(object, to: state)
        }
        changeObservers.telling { move(object, to: state) }
    }

    private func move(_ object: NSManagedObject, to state: ObjectFlags?) {
        if object.flags.contains(.inserted) { insertedCount -= 1 }
        if object.flags.contains(.updated) { updatedCount -= 1 }
        if object.flags.contains(.deleted) { deletedCount -= 1 }
        // Contents that were read while the object was deleted lack it.
        let isBack = object.flags.contains(.deleted) && state != .deleted
        defer { if isBack, !provisionalContents.isEmpty { readContentsAgain() } }
        object.flags.remove(.anyChange)
        if state != .updated { object.flags.remove(.misled) }
        guard let state else { return }
        object.flags.insert(state)
        switch state {
        case .inserted:
            insertedCount += 1
            // The object may come back to a list that it has never left.
            if object.flags.insert(.listedInserted).inserted { insertedList.append(object) }
        case .updated:
            updatedCount += 1
            if object.flags.insert(.listedUpdated).inserted { updatedList.append(object) }
        default:
            deletedCount += 1
            if object.flags.insert(.listedDeleted).inserted { deletedList.append(object) }
        }
    }

    /// Notes an event for the next objects-did-change notification.
    func notePending(_ event: ObjectFlags, _ object: NSManagedObject) {
        guard object.flags.insert(event).inserted else { return }
        switch event {
        case .pendingInsert: pending.inserted.append(object)
        case .pendingUpdate:
            if !object.flags.contains(.pendingInsert) { pending.updated.append(object) }
        case .pendingDelete: pending.deleted.append(object)
        default: pending.refreshed.append(object)
        }
        yieldPoint.pass()
        scheduleEndOfEvent()
    }

    /// Notes that some objects have come to the lists of the next objects-did-change notification.
    func notePending(count: Int) {
        yieldPoint.pass(count: count)
        scheduleEndOfEvent()
    }

    /// Main-queue contexts are changed outside of `perform` too; their event ends when main is
    /// done with what it does now.
    private func scheduleEndOfEvent() {
        guard !isEndOfEventScheduled, queue === ThreadPlaces.main else { return }
        isEndOfEventScheduled = true
        // The block must not keep a context alive that its client lets go of in this very event.
        let held = WeakHold(self)
        DispatchQueue.main.async {
            // Somebody may have processed the changes meanwhile, and ended the event by that.
            guard let context = held.object, context.isEndOfEventScheduled else { return }
            ThreadPlaces.inside(ThreadPlaces.main) { context.endEvent() }
        }
    }

    /// Makes changes and processes them at once, whatever thread or turn this is.
    ///
    /// The main queue is not asked for a turn that ends the event: it would come after each merge, and
    /// find nothing to do.
    func inEventOfItsOwn(_ change: () -> Void) {
        isEndOfEventScheduled = true
        change()
        isEndOfEventScheduled = false
        processPendingChanges()
        // Observers of an event that is being processed are told of nothing else before its end.
        if !pending.isEmpty { scheduleEndOfEvent() }
    }

    /// `processPendingChanges()`.
    func baseProcessPendingChanges() {
        isEndOfEventScheduled = false
        // An observer's changes are posted in a round of their own, after this one's observers;
        // but an observer that saves needs them before the save.
        guard !pending.isEmpty, !isProcessingPendingChanges || isSaving else { return }
        let isNested = isProcessingPendingChanges
        isProcessingPendingChanges = true
        defer { isProcessingPendingChanges = isNested }
        var rounds = 0
        // Bounded, for an observer may change something each time.
        while !pending.isEmpty, rounds < 1_000 {
            rounds += 1
            // Rules that are applied read relationships, and may find that more rows are gone.
            repeat {
                releaseFoundGone()
                if propagatesDeletesAtEndOfEvent { propagateDeletes() }
            } while !foundGone.isEmpty
            // Before the notification: what its observers change is no part of this step of undo.
            registerUndo()
            let changes = takePending()
            eventValues.deleted = changes.deleted
            post(changes)
            endEvent(of: changes)
        }
        forgetDeparted()
    }

    /// Lets go of objects that were deleted before they were saved, now that observers know.
    func forgetDeparted() {
        guard !departed.isEmpty else { return }
        let objects = departed.filter { $0.flags.contains(.detached) }
        departed = []
        for object in objects {
            object.flags.remove([.listedInserted, .listedDeleted])
            object.breakRelationships()
            // A later object may have its address.
            storeAssignments[ObjectIdentifier(object)] = nil
        }
        insertedList.removeAll { !$0.flags.contains(.listedInserted) }
        deletedList.removeAll { !$0.flags.contains(.listedDeleted) }
    }

    /// The pending changes, each object in one list only; the lists are empty then.
    private func takePending() -> ChangeSet<NSManagedObject> {
        var taken = ChangeSet<NSManagedObject>()
        swap(&taken, &pending)
        let all = taken
        // What was inserted and deleted in one event is deleted, for fetches have given it out.
        taken.inserted.prune { $0.flags.contains(.pendingDelete) }
        let moreThanAnUpdate: ObjectFlags = [.pendingInsert, .pendingDelete]
        taken.updated.prune { !$0.flags.isDisjoint(with: moreThanAnUpdate) }
        taken.refreshed.prune { !$0.flags.isDisjoint(with: moreThanAnUpdate) }
        for list in [all.inserted, all.updated, all.deleted, all.refreshed] {
            for object in list { object.flags.remove(.anyPending) }
        }
        return taken
    }

    /// Forgets what an event has changed, which its observers may have asked for; what they have
    /// changed themselves belongs to the next one.
    private func endEvent(of changes: ChangeSet<NSManagedObject>) {
        eventValues.deleted = []
        for list in [changes.inserted, changes.updated, changes.deleted, changes.refreshed] {
            for object in list where object.flags.isDisjoint(with: .anyPending) {
                object.overlay?.changedInEvent = SlotSet()
                eventValues.forget(object)
            }
        }
    }

    /// Empties the lists of changes. Objects stay as they are.
    func forgetChangeLists() {
        if baseHasChanges, let changeObservers {
            changeObservers.telling { emptyChangeLists() }
        } else {
            emptyChangeLists()
        }
    }

    private func emptyChangeLists() {
        for object in insertedList { object.flags.remove([.inserted, .listedInserted]) }
        for object in updatedList { object.flags.remove([.updated, .listedUpdated]) }
        for object in deletedList { object.flags.remove([.deleted, .listedDeleted]) }
        insertedList = []
        updatedList = []
        deletedList = []
        insertedCount = 0
        updatedCount = 0
        deletedCount = 0
        // Keyed by addresses, which may be those of other objects once the lists have let go.
        storeAssignments = [:]
        eventValues = EventValues()
        provisionalContents = []
    }
}

extension [NSManagedObject] {
    /// Removes some, and makes no copy of a list that others hold where there are none.
    fileprivate mutating func prune(_ isRemoved: (NSManagedObject) -> Bool) {
        if contains(where: isRemoved) { removeAll(where: isRemoved) }
    }
}
