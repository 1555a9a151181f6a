import Foundation

/// Bringing in what other contexts have saved.
extension NSManagedObjectContext {
    /// `mergeChanges(fromContextDidSave:)`.
    func baseMergeChanges(fromContextDidSave notification: Notification) {
        checkQueue("mergeChanges(fromContextDidSave:)")
        guard (notification.object as? NSManagedObjectContext) !== self else { return }
        let info = notification.userInfo ?? [:]
        let source = notification.object as? NSManagedObjectContext
        guard let changes = info[SavedChanges.key] as? SavedChanges else {
            return merge(ChangeSet(info, coordinator: coordinator), savedBy: source)
        }
        guard ChangeSet.count(info) != changes.namedCount else { return merge(changes) }
        // A slice of a large save, or what a client has left of a notification.
        let (part, rest) = changes.part(of: ChangeSet(info, coordinator: coordinator))
        if !part.stores.isEmpty { merge(part) }
        if !rest.isEmpty { merge(rest, savedBy: source) }
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
            deferredMerges.append { [unowned self] in merge(changes) }
            return
        }
        adoptPromotions()
        processPendingChanges()
        var report = ChangeSet<NSManagedObject>()
        for part in changes.stores {
            guard let store = source.rowStore(part.store.identity),
                store.shows(part.store) || !(part.store is ParentStore)
            else { continue }
            for row in part.inserted { mergeInserted(row, store, &report) }
            for row in part.updated { mergeUpdated(row, store, &report) }
            for reference in part.touched { mergeTouched(reference, store, &report) }
            mergeDeleted(part.deleted, store, &report)
        }
        applyChanges(to: report.inserted + report.refreshed)
        if !strays.isEmpty { strays.purge() }
        processPendingChanges()
        postMerged(report)
        if consistency != nil { checkMerged(changes) }
        announceBelow { $0.merge(changes) }
    }

    /// Has children that merge by themselves merge what this context has saved or merged: until
    /// then they show what it showed before.
    func announceBelow(_ merge: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        asParent.withLock { $0.parent }?.announceBelow(merge)
    }

    /// Merges changes of which only the IDs are known.
    ///
    /// - Parameter isForeign: Whether somebody has made them who names the rows alone that were
    ///   written: a batch request, another process. Contexts name the objects too that these came
    ///   to and left.
    private func merge(_ changes: ChangeSet<NSManagedObjectID>, isForeign: Bool) {
        if isSaving {
            deferredMerges.append { [unowned self] in merge(changes, isForeign: isForeign) }
            return
        }
        let lastCommit = consistency == nil ? 0 : CommitLedger.now
        adoptPromotions()
        processPendingChanges()
        var report = ChangeSet<NSManagedObject>()
        // This context may have fetched an inserted object before a later change that came with it.
        // It is held, since another one that is merged before may have the last reference to it.
        var known: [NSManagedObject] = []
        for id in changes.inserted {
            guard let store = rowStore(of: id) else { continue }
            if let object = registeredObject(for: id) {
                known.append(object)
                continue
            }
            let layout = coordinator.modelLayout.entities[localIndex(of: id)]
            if case .deleted = store.cachedRow(layout, id.primaryKey) { continue }
            let object = object(with: id)
            notePending(.pendingInsert, object)
            report.inserted.append(object)
        }
        for object in known { mergeUpdated(object, isNews: true, &report) }
        for id in changes.updated {
            guard let object = registeredObject(for: id) else { continue }
            mergeUpdated(object, isNews: false, &report)
        }
        for (store, references) in rowsByStore(changes.deleted) {
            mergeDeleted(references, store, &report)
            if isForeign { releaseRows(references, in: store) }
        }
        if isForeign {
            for (store, references) in rowsByStore(changes.inserted + changes.updated) {
                moveRows(references, in: store)
            }
        }
        applyChanges(to: report.inserted + report.refreshed)
        if !strays.isEmpty { strays.purge() }
        processPendingChanges()
        postMerged(report)
        if consistency != nil { checkMerged(changes, isForeign: isForeign, since: lastCommit) }
        announceBelow { $0.merge(changes, isForeign: isForeign) }
    }

    /// Merges an update of which only the object's ID is known.
    ///
    /// - Parameter isNews: Whether the object was inserted, and fetched ahead of the merge: it is
    ///   news to those who list what was fetched before.
    private func mergeUpdated(
        _ object: NSManagedObject,
        isNews: Bool,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        guard let store = object.registry.store, !object.flags.contains(.gone) else { return }
        report.updated.append(object)
        if isNews { notePending(.pendingRefresh, object) }
        if let row = rowAtHand(object, in: store) {
            // The row may be of a later save, whose merge would name the owners.
            let ends = object.row == nil ? [] : movedEnds(of: object, to: row)
            guard refresh(object, with: row) || isNews else { return }
            if object.row === row { reread(ends, of: object) }
        } else {
            object.replaceValues { unload(object) }
        }
        report.refreshed.append(object)
    }

    /// The row that an object has now, if the cache has it, or the owner of the object has to be
    /// told whether it still is that.
    private func rowAtHand(_ object: NSManagedObject, in store: any RowStore) -> Row? {
        if case .row(let row) = store.cachedRow(object.layout, object.primaryKey) { return row }
        guard isListedByOwner(object) else { return nil }
        do {
            return try store.row(object.layout, object.primaryKey)
        } catch {
            // Whoever uses the object next is told.
            return nil
        }
    }

    /// The rows of IDs, store by store.
    private func rowsByStore(
        _ ids: [NSManagedObjectID]
    ) -> [(store: any RowStore, references: [RowReference])] {
        var result: [(store: any RowStore, references: [RowReference])] = []
        for id in ids {
            guard let store = rowStore(of: id) else { continue }
            let reference = current(
                RowReference(entityIndex: localIndex(of: id), primaryKey: id.primaryKey)
            )
            if let index = result.firstIndex(where: { $0.store === store }) {
                result[index].references.append(reference)
            } else {
                result.append((store, [reference]))
            }
        }
        return result
    }

    private func mergeInserted(
        _ row: Row,
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        let registry = registry(row.entityIndex, in: store)
        let key = current(row.reference).primaryKey
        if let known = registry.known(key) {
            mergeUpdated(row, store, &report)
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

    private func mergeUpdated(
        _ row: Row,
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        let registry = registry(row.entityIndex, in: store)
        let key = current(row.reference).primaryKey
        guard let object = registry.known(key),
            !object.flags.contains(.gone)
        else { return }
        report.updated.append(object)
        guard object.row == nil else {
            if refresh(object, with: row) { report.refreshed.append(object) }
            return
        }
        // A fault that reads its row when it is fired; a later save may have written that.
        if case .row(let cached) = store.cachedRow(registry.layout, key) {
            object.row = cached
        }
        object.forgetStoredRelationships()
        notePending(.pendingRefresh, object)
        report.refreshed.append(object)
    }

    private func mergeTouched(
        _ reference: RowReference,
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        let registry = registry(reference.entityIndex, in: store)
        let key = current(reference).primaryKey
        guard let object = registry.known(key) else { return }
        if object.registry.isNested, let row = object.row {
            // What a parent has changed and taken back, it saves without a new row.
            guard refresh(object, with: row) else { return }
        }
        object.forgetStoredRelationships()
        notePending(.pendingRefresh, object)
        report.refreshed.append(object)
    }

    private func mergeDeleted(
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

    private func postMerged(_ report: ChangeSet<NSManagedObject>) {
        var info: [AnyHashable: Any] = [:]
        func add(_ key: String, _ objects: [NSManagedObject]) {
            if !objects.isEmpty { info[key] = Set(objects.map(\.objectID)) }
        }
        add(NSInsertedObjectIDsKey, report.inserted)
        add(NSUpdatedObjectIDsKey, report.updated)
        add(NSRefreshedObjectIDsKey, report.refreshed)
        add(NSDeletedObjectIDsKey, report.deleted)
        guard !info.isEmpty else { return }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidMergeChangesObjectIDs,
            object: self,
            userInfo: info
        )
    }
}
