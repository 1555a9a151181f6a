import Foundation

/// Bringing in what other contexts have saved.
extension NSManagedObjectContext {
    /// `mergeChanges(fromContextDidSave:)`.
    func baseMergeChanges(fromContextDidSave notification: Notification) {
        checkQueue("mergeChanges(fromContextDidSave:)")
        guard (notification.object as? NSManagedObjectContext) !== self else { return }
        let info = notification.userInfo ?? [:]
        let announced = SavedChanges.Announced(info)
        let saver = notification.object as? NSManagedObjectContext
        guard let changes = announced.changes else {
            return merge(ChangeSet(info, coordinator: coordinator), savedBy: saver)
        }
        // Counted and not compared, which would cost a large save a look at each object: what names
        // as many objects as were saved is the whole save.
        guard announced.namedCount != changes.namedCount else { return mergeOnce(changes) }
        // A slice of a large save, or what a client has left of a notification.
        let (part, rest) = changes.part(
            of: ChangeSet(info, coordinator: coordinator),
            for: source.isStoreLevel ? merger : nil
        )
        if !part.stores.isEmpty { merge(part) }
        if !rest.isEmpty { merge(rest, savedBy: saver) }
    }

    /// Merges what a save of the same coordinator has changed, and what this context has not merged
    /// of it.
    func mergeOnce(_ changes: SavedChanges) {
        // What a child shows of a save depends on what its parent has merged by then: merged
        // again, the same save may bring it more.
        guard source.isStoreLevel else { return merge(changes) }
        if let changes = changes.takeUnmerged(by: merger) { merge(changes) }
    }

    /// Merges what a save has changed, as far as its IDs say it.
    private func merge(
        _ changes: ChangeSet<NSManagedObjectID>,
        savedBy source: NSManagedObjectContext?
    ) {
        // The cache has what a context of this coordinator saved. Anything else may be of a store's
        // history: another process may have written since what is in the cache.
        let isForeign = source?.persistentStoreCoordinator !== coordinator
        if isForeign { changes.invalidateRows(of: self) }
        merge(changes, isForeign: isForeign)
    }

    /// `mergeChanges(fromRemoteContextSave:into:)`.
    static func baseMergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
        into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            let merge = {
                let changes = ChangeSet(changeNotificationData, coordinator: context.coordinator)
                // Rows in the cache are those of before the change.
                changes.invalidateRows(of: context)
                context.merge(changes, isForeign: true)
            }
            if context.queue == nil { merge() } else { context.basePerformAndWait(merge) }
        }
    }

    /// Merges rows that a save of the same coordinator wrote.
    func merge(_ changes: SavedChanges) {
        if isSaving {
            // Unowned: what is put off is run before the save that it waits for returns to its
            // caller.
            deferredMerges.append { [unowned self] in merge(changes) }
            return
        }
        // First: what was changed here is posted, and becomes a step of undo, apart from what
        // comes.
        processPendingChanges()
        var report = ChangeSet<NSManagedObject>()
        inEventOfItsOwn {
            for part in changes.stores { merge(part, of: changes, &report) }
            if baseHasChanges { applyChanges(to: report.inserted + report.refreshed) }
            if !strays.isEmpty { strays.purge() }
        }
        // What a parent has saved may have had other keys when its sets were made.
        postMerged(report, of: source.isStoreLevel ? changes.ids : nil)
        if consistency != nil { checkMerged(changes) }
        // Last: children that merge ask this context for what it shows by now.
        announceBelow { $0.merge(changes) }
    }

    private func merge(
        _ part: SavedChanges.InStore,
        of changes: SavedChanges,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        // A save into a parent is in no store yet: it concerns those who look
        // through that parent.
        guard let store = source.rowStore(part.store.identity),
            store.shows(part.store) || !(part.store is ParentStore)
        else { return }
        // Inserted rows come first, since updated ones may refer to them, and deletions last,
        // when the rows that have let go of the deleted ones are in place.
        mergeInserted(part.inserted, store, &report)
        var unknown = mergeUpdated(part, store, &report)
        for reference in part.touched where !mergeTouched(reference, store, &report) {
            unknown.append(reference)
        }
        mergeDeleted(part.deleted, store, &report)
        if source.isStoreLevel { changes.note(unknown, in: part.store, unknownTo: merger) }
    }

    /// Has children that merge by themselves merge what this context has saved or merged: until
    /// then they show what it showed before.
    func announceBelow(_ merge: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        asParent.withLock { $0.parent }?.announceBelow(merge)
    }

    /// The objects of most inserted rows are new here, and are listed together.
    private func mergeInserted(
        _ rows: [Row],
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        var start = 0
        while start < rows.count {
            let registry = registry(rows[start].entityIndex, in: store)
            var end = start + 1
            while end < rows.count, rows[end].entityIndex == registry.layout.index { end += 1 }
            let run = rows[start..<end]
            start = end
            guard registry.isPlain, !retainsRegisteredObjects else {
                for row in run { mergeInserted(row, store, &report) }
                continue
            }
            var made: [NSManagedObject] = []
            made.reserveCapacity(run.count)
            for (row, known) in zip(run, registry.identityMap.objects(of: run)) {
                if known == nil, row.isNewestKnown {
                    made.append(registry.makeUnlisted(row))
                } else {
                    // Observers of known objects may look for the others.
                    list(&made, in: registry, &report)
                    mergeInserted(row, store, &report)
                }
            }
            list(&made, in: registry, &report)
        }
    }

    /// Lists objects that were made for inserted rows, and notes them.
    private func list(
        _ made: inout [NSManagedObject],
        in registry: ObjectRegistry,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        guard !made.isEmpty else { return }
        let objects = made
        made = []
        // Each has a key of its own: one save has made all rows.
        _ = registry.identityMap.list(objects[...])
        for object in objects { object.flags.insert(.pendingInsert) }
        pending.inserted.take(objects)
        report.inserted.take(objects)
        notePending(count: objects.count)
    }

    private func mergeInserted(
        _ row: Row,
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        let registry = registry(row.entityIndex, in: store)
        let key = current(row.reference).primaryKey
        if let known = registry.known(key) {
            _ = mergeUpdated(row, store, &report)
            // Fetched ahead of the merge, it is news to those who list what was fetched before.
            if !known.flags.contains(.gone) { notePending(.pendingRefresh, known) }
            return
        }
        // A later save may have deleted it already, with its notification ahead of this one. And
        // one may have replaced the row: the cache would still have this one otherwise, since it
        // is held here.
        let cached: Row?
        switch store.cachedRow(registry.layout, key) {
        case .deleted: return
        case .row(let row): cached = row
        case .unknown: cached = nil
        }
        let object = retained(registry.makeFault(key, row: cached))
        notePending(.pendingInsert, object)
        report.inserted.append(object)
    }

    /// - Returns: Whether this context has an object of the row.
    private func mergeTouched(
        _ reference: RowReference,
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) -> Bool {
        let registry = registry(reference.entityIndex, in: store)
        let key = current(reference).primaryKey
        guard let object = registry.known(key) else { return false }
        if object.registry.isNested, let row = object.row {
            // What a parent has changed and taken back, it saves without a new row.
            guard refresh(object, with: row) else { return true }
        }
        object.forgetStoredRelationships()
        notePending(.pendingRefresh, object)
        report.refreshed.append(object)
        return true
    }

    func mergeDeleted(
        _ references: [RowReference],
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        let known = references.compactMap { reference in
            registry(reference.entityIndex, in: store).known(current(reference).primaryKey)
        }
        guard !known.isEmpty else { return }
        let present = present(known, in: store)
        let gone = known.filter { !present.contains(ObjectIdentifier($0)) }
        report.deleted += gone
        deleteGone(gone, areNamed: true)
    }

    /// Posts the notification of a merge.
    ///
    /// - Parameter saved: What the merged save named; nil if it was not merged as a whole.
    func postMerged(_ report: ChangeSet<NSManagedObject>, of saved: SavedChanges.IDs? = nil) {
        guard !report.isEmpty else { return }
        func ids(_ objects: [NSManagedObject]) -> Set<NSManagedObjectID> {
            Set(objects.map(\.objectID))
        }
        // A merge names nothing beyond its save. So what is as large as the save's own set is that
        // set; but an inserted object that was known here counts as updated.
        let isAllNew = saved?.inserted.count == report.inserted.count
        let isAllKnown = isAllNew && saved?.updated.count == report.updated.count
        let inserted = (isAllNew ? saved?.inserted : nil) ?? ids(report.inserted)
        var updated = (isAllKnown ? saved?.updated : nil) ?? ids(report.updated)
        // Mostly, what was updated is what was refreshed: one set serves both keys then.
        let areSame = report.refreshed.elementsEqual(report.updated, by: ===)
        let refreshed = areSame ? updated : ids(report.refreshed)
        // The save names an object as updated of which a relationship to many alone has changed, and
        // whose row is the same.
        if !areSame, let named = saved?.updated { updated.formUnion(refreshed.intersection(named)) }
        var info: [AnyHashable: Any] = [:]
        for (key, ids) in [
            (NSInsertedObjectIDsKey, inserted), (NSUpdatedObjectIDsKey, updated),
            (NSRefreshedObjectIDsKey, refreshed),
            (NSDeletedObjectIDsKey, ids(report.deleted)),
        ] where !ids.isEmpty { info[key] = ids }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidMergeChangesObjectIDs,
            object: self,
            userInfo: info
        )
    }
}
