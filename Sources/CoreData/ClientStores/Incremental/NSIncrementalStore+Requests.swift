import Foundation

/// Fetches and saves, as requests that client code executes.
extension NSIncrementalStore {
    func references(_ plan: FetchPlan) throws -> [RowReference] {
        if let keys = plan.primaryKeys { return try references(plan, keys) }
        let results = try results(request(plan, .managedObjectResultType))
        let references = try results.map { element in
            let id = (element as? NSManagedObject)?.objectID ?? element as? NSManagedObjectID
            // The key of another store or tree would lead to some other row here.
            guard let id, id.storeIdentity === identity, plan.layout.contains(id.layout.index)
            else {
                throw wrongResult(
                    "a fetch of \(plan.layout.name) must give objects of this store and of that "
                        + "entity, made with object(with:) of the context"
                )
            }
            return RowReference(entityIndex: id.layout.index, primaryKey: id.primaryKey)
        }
        try revive(references, plan.layout)
        return references
    }

    /// What was deleted here and is there again, somebody else has made anew.
    private func revive(_ references: [RowReference], _ layout: EntityLayout) throws {
        let keys = Set(references.map(\.primaryKey))
        let revived = state.withLock { state in
            let revived = state.deletedKeys.intersection(keys)
            state.deletedKeys.subtract(revived)
            return revived
        }
        for key in revived { try cache(layout).invalidate(key) }
    }

    /// The rows among some keys; no store is asked for conditions on them.
    private func references(_ plan: FetchPlan, _ keys: [Int64]) throws -> [RowReference] {
        guard plan.predicate == nil else {
            throw CocoaError.unsupportedRequest("a fetch among known objects", storeType: type)
        }
        return try keys.compactMap { try row(plan.layout, $0)?.reference }
    }

    func count(_ plan: FetchPlan) throws -> Int {
        let results = try results(request(plan, .countResultType))
        // A store that does not count gives the objects.
        if results.count == 1, let number = results[0] as? NSNumber { return number.intValue }
        return results.count
    }

    func values(_ plan: FetchPlan, columns: ColumnPlan) throws -> [[Any?]] {
        let names = try columns.columns.map { column in
            switch column {
            case .keyPath(let path): return path
            case .objectID: return "objectID"
            case .expression:
                throw CocoaError.unsupportedRequest("a fetch of expressions", storeType: type)
            }
        }
        guard columns.groupBy.isEmpty else {
            throw CocoaError.unsupportedRequest("a fetch of groups", storeType: type)
        }
        let request = request(plan, .dictionaryResultType)
        request.propertiesToFetch = names
        request.returnsDistinctResults = columns.isDistinct
        return try results(request).map { element in
            guard let dictionary = element as? NSDictionary else {
                throw wrongResult("a fetch with dictionaryResultType must give dictionaries")
            }
            return names.map { name in
                let value = dictionary[name]
                guard let id = value as? NSManagedObjectID else { return value }
                return RowReference(entityIndex: id.layout.index, primaryKey: id.primaryKey)
            }
        }
    }

    private func request(
        _ plan: FetchPlan,
        _ type: NSFetchRequestResultType
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: plan.layout.name)
        request.entity = plan.layout.entity
        request.includesSubentities = plan.includesSubentities
        request.predicate = plan.predicate
        request.sortDescriptors = plan.sortDescriptors
        request.fetchLimit = plan.limit
        request.fetchOffset = plan.offset
        request.resultType = type
        request.affectedStores = [self]
        return request
    }

    private func results(_ request: NSPersistentStoreRequest) throws -> [Any] {
        _ = try model()
        let results = try inContext { try execute(request, with: $0) }
        switch results {
        case let array as [Any]: return array
        case let number as NSNumber: return [number]
        default: throw wrongResult("execute(_:with:) must return an array for a fetch request")
        }
    }

    // MARK: Saving

    func write(
        _ changes: StoreChangeSet,
        of objects: ChangeSet<NSManagedObject>,
        beforeCommit: () throws -> Void
    ) throws {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        try check(changes)
        // The store itself last: what it has done can't be taken back.
        try beforeCommit()
        let everyone = objects.inserted + objects.updated + objects.deleted
        // A save of metadata alone has no objects, and nothing that the request could carry.
        guard let context = everyone.first?.registry.context else { return }
        let locked = context.conflictChecks.filter { $0.registry.store === self }
        let request = NSSaveChangesRequest(
            inserted: Set(objects.inserted),
            updated: Set(objects.updated),
            deleted: Set(objects.deleted),
            locked: locked.isEmpty ? nil : Set(locked)
        )
        request.affectedStores = [self]
        do {
            _ = try CurrentContext.inside(context) { try execute(request, with: context) }
        } catch {
            throw try rowConflicts(in: error) ?? error
        }
        try take(changes)
    }

    /// The conflicts that a store reports, as the engine knows them; nil for another error.
    private func rowConflicts(in error: any Error) throws -> RowConflicts? {
        let list = (error as NSError).userInfo[NSPersistentStoreSaveConflictsErrorKey]
        guard let reported = list as? [NSMergeConflict], !reported.isEmpty else { return nil }
        let conflicts = try reported.map { conflict in
            let object = conflict.sourceObject, key = object.primaryKey
            // Whatever is read now is another version than the one that was saved on.
            state.withLock { state in
                if state.versions[key]?.node == nil { state.versions[key]?.node = .max }
            }
            invalidateRow(object.layout, key)
            return RowConflicts.Conflict(
                reference: object.anyReference,
                expectedVersion: object.row?.version ?? 1,
                stored: try row(object.layout, key)
            )
        }
        return RowConflicts(conflicts: conflicts)
    }

    /// Compares the rows of a save with what this process knows of them.
    ///
    /// - Throws: `RowConflicts`.
    private func check(_ changes: StoreChangeSet) throws {
        let expected =
            changes.updates.map { ($0.row.reference, $0.old.version) }
            + changes.deletes.map { ($0.reference, $0.version) }
        let model = try model()
        let conflicts = try expected.compactMap { reference, version -> RowConflicts.Conflict? in
            let key = reference.primaryKey
            let (known, isDeleted) = state.withLock { state in
                (state.versions[key]?.row, state.deletedKeys.contains(key))
            }
            // A row that nobody here has read or saved has no version to compare: of such conflicts
            // the store itself tells.
            guard isDeleted || known ?? version != version else { return nil }
            let layout = model.entities[reference.entityIndex]
            return RowConflicts.Conflict(
                reference: reference,
                expectedVersion: version,
                stored: isDeleted ? nil : try row(layout, key)
            )
        }
        guard conflicts.isEmpty else { throw RowConflicts(conflicts: conflicts) }
    }

    /// Takes in what the store has saved.
    private func take(_ changes: StoreChangeSet) throws {
        let model = try model()
        var written: [Int: [Row]] = [:], deleted: [Int: [Int64]] = [:]
        for row in changes.inserts + changes.updates.map(\.row) {
            written[model.entities[row.entityIndex].rootIndex, default: []].append(row)
        }
        for delete in changes.deletes {
            let root = model.entities[delete.reference.entityIndex].rootIndex
            deleted[root, default: []].append(delete.reference.primaryKey)
        }
        state.withLock { state in
            for row in written.values.joined() {
                state.versions[row.primaryKey] = RowVersion(row: row.version, node: nil)
                // A merge policy may have saved again what was deleted.
                state.deletedKeys.remove(row.primaryKey)
            }
            for key in deleted.values.joined() {
                state.versions[key] = nil
                state.deletedKeys.insert(key)
            }
        }
        for root in Set(written.keys).union(deleted.keys) {
            try cache(model.entities[root]).commit(
                written: written[root] ?? [],
                deleted: deleted[root] ?? []
            )
        }
    }
}
