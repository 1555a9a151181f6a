/// Merging the rows that a save has updated.
extension NSManagedObjectContext {
    /// Merges the updated rows of one store. A main context mostly has objects of few of the rows that
    /// others update: the rows between these are passed over together, and the objects of those that
    /// follow each other are looked up together, and told of together.
    ///
    /// - Returns: The rows of which this context has no objects.
    func mergeUpdated(
        _ part: SavedChanges.InStore,
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) -> [RowReference] {
        let references = part.updatedReferences
        var unknown: [RowReference] = []
        var formerRows = FormerRows()
        // Those that have newer rows, of which nobody has been told.
        var refreshed: [NSManagedObject] = []
        var lookedUpAtOnce = Self.lookedUpAtOnce.upperBound
        var index = 0
        while index < references.count {
            let registry = registry(references[index].entityIndex, in: store)
            // Asked again after those that are merged: client code that runs meanwhile may make
            // objects of the rows behind them.
            let next =
                registry.isNested
                ? index : registry.identityMap.endOfUnlisted(references, from: index)
            // Often a context has objects of none of the rows: then the list itself serves.
            if next - index == references.count {
                unknown = references
            } else {
                unknown += references[index..<next]
            }
            index = next
            guard index < references.count else { break }
            let start = refreshed.count
            // Those below a parent are known by the keys that they have by now.
            if !registry.isNested {
                let end = min(index + lookedUpAtOnce, references.count)
                registry.identityMap.appendListed(references[index..<end], to: &refreshed)
                // Where all of many are here, so is the rest, mostly.
                if end - index == Self.lookedUpAtOnce.upperBound, refreshed.count == end - index {
                    refreshed.reserveCapacity(references.count)
                    formerRows.reserveCapacity(references.count)
                }
            }
            let count = replaceRows(of: refreshed[start...], by: part, from: index, &formerRows)
            index += count
            if count > 0, start + count == refreshed.count {
                lookedUpAtOnce = min(lookedUpAtOnce * 2, Self.lookedUpAtOnce.upperBound)
                continue
            }
            // What the row of the next one takes is client code in part. That is to find the others in
            // the pending changes, and may change of which rows there are objects.
            refreshed.removeLast(refreshed.count - start - count)
            noteRefreshed(&refreshed, in: &report)
            lookedUpAtOnce = Self.lookedUpAtOnce.lowerBound
            if !mergeUpdated(part.updated[index], store, &report) {
                unknown.append(references[index])
            }
            index += 1
        }
        noteRefreshed(&refreshed, in: &report)
        return unknown
    }

    /// How many objects are looked up together: one behind one that takes more than the exchange of its row,
    /// for others of its kind may follow, and each of them has the rest looked up anew; then twice as many
    /// each time.
    private static let lookedUpAtOnce = 1...64

    /// How many rows ahead of the one that is merged memory is asked for the next one: others have
    /// written them on another processor, and main would wait for each of them.
    private static let rowsAhead = 4

    /// Gives objects newer rows, up to the first one for which `replaceRow(of:by:)` does not do.
    ///
    /// - Returns: How many.
    private func replaceRows(
        of objects: ArraySlice<NSManagedObject>,
        by part: SavedChanges.InStore,
        from start: Int,
        _ formerRows: inout FormerRows
    ) -> Int {
        objects.withUnsafeBufferPointer { objects in
            for (place, object) in objects.enumerated() {
                if place + Self.rowsAhead < objects.count {
                    part.bringUpdatedRowNear(start + place + Self.rowsAhead)
                    objects[place + Self.rowsAhead].bringRowNear()
                }
                guard let former = replaceRow(of: object, by: part.updated[start + place]) else {
                    return place
                }
                formerRows.append(former)
            }
            return objects.count
        }
    }

    /// Notes objects that `replaceRow(of:by:)` has given newer rows, and tells those of it that ask to be
    /// told.
    ///
    /// The lists mostly are empty, and become one: neither is made object by object, nor are references
    /// counted for each.
    private func noteRefreshed(
        _ objects: inout [NSManagedObject],
        in report: inout ChangeSet<NSManagedObject>
    ) {
        guard !objects.isEmpty else { return }
        let refreshed = objects
        objects = []
        pending.refreshed.take(refreshed)
        report.updated.take(refreshed)
        report.refreshed.take(refreshed)
        notePending(count: refreshed.count)
        // Last, for it is client code, which may have others leave the context.
        for object in refreshed
        where object.flags.isDisjoint(with: [.fault, .detached])
            && object.registry.contextIdentity != nil
        {
            object.announce(.refresh)
        }
    }

    /// - Returns: Whether this context has an object of the row.
    func mergeUpdated(
        _ row: Row,
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) -> Bool {
        let registry = registry(row.entityIndex, in: store)
        guard let object = registry.known(current(row.reference).primaryKey) else { return false }
        mergeUpdated(row, object, store, &report)
        return true
    }

    private func mergeUpdated(
        _ row: Row,
        _ object: NSManagedObject,
        _ store: any RowStore,
        _ report: inout ChangeSet<NSManagedObject>
    ) {
        guard !object.flags.contains(.gone) else { return }
        report.updated.append(object)
        guard object.heldRow == nil else {
            if refresh(object, with: row) { report.refreshed.append(object) }
            return
        }
        // A fault that reads its row when it is fired; a later save may have written that.
        if case .row(let cached) = store.cachedRow(object.registry.layout, object.primaryKey) {
            object.row = cached
        }
        object.forgetStoredRelationships()
        notePending(.pendingRefresh, object)
        report.refreshed.append(object)
    }
}
