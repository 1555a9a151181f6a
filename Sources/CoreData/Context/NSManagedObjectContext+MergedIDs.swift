/// Merging what is known by IDs alone: batch requests, other processes, saves that were joined.
extension NSManagedObjectContext {
    /// Merges changes of which only the IDs are known.
    ///
    /// - Parameter isForeign: Whether somebody has made them who names the rows alone that were
    ///   written: a batch request, another process. Contexts name the objects too that these came
    ///   to and left.
    func merge(_ changes: ChangeSet<NSManagedObjectID>, isForeign: Bool) {
        if isSaving {
            // Unowned: what is put off is run before the save that it waits for returns to its
            // caller.
            deferredMerges.append { [unowned self] in merge(changes, isForeign: isForeign) }
            return
        }
        let lastCommit = consistency == nil ? 0 : CommitLedger.now
        adoptPromotions()
        processPendingChanges()
        var report = ChangeSet<NSManagedObject>()
        inEventOfItsOwn { mergeIDs(changes, isForeign: isForeign, &report) }
        postMerged(report)
        if consistency != nil { checkMerged(changes, isForeign: isForeign, since: lastCommit) }
        announceBelow { $0.merge(changes, isForeign: isForeign) }
    }

    private func mergeIDs(
        _ changes: ChangeSet<NSManagedObjectID>,
        isForeign: Bool,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
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
}
