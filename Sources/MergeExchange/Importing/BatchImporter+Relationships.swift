import CoreData
import MergeStack

/// Connecting the objects of records with those that the records name.
extension BatchImporter {
    func resolve(
        _ keys: Set<ImportKey>,
        _ index: Int,
        in context: NSManagedObjectContext
    ) throws -> Int {
        guard let objects = indexes[index], !keys.isEmpty else { return 0 }
        guard let withRelatedContext else {
            return try objects.resolve(keys, in: context, savingWith: nil)
        }
        // Before a context is made, for after the first batches most keys are known.
        if objects.knows(keys) { return 0 }
        return try withRelatedContext { try objects.resolve(keys, in: $0, savingWith: stack) }
    }

    func ids(
        _ keys: [ImportKey],
        _ index: Int,
        _ record: ImportRecord
    ) throws(ImportProblem) -> [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        for key in keys {
            let relationship = mapping.relationships[index]
            switch indexes[index]?[key] {
            case .object(let id): ids.append(id)
            case .unavailable(let reason):
                throw problem(
                    record,
                    relationship.source,
                    reason,
                    missing: relationship.destination
                )
            case nil:
                throw problem(
                    record,
                    relationship.source,
                    "The model does not say by which attribute \(relationship.destination) is "
                        + "found; set relatedByAttribute in the user info of the relationship."
                )
            }
        }
        return ids
    }

    func deferred(_ row: Row, _ object: NSManagedObject, _ state: State) -> [Deferred] {
        mapping.relationships.indices.compactMap { index in
            guard mapping.relationships[index].isWithinTree, let keys = row.keys[index],
                !keys.isEmpty || !mapping.relationships[index].isToMany
            else { return nil }
            return Deferred(
                owner: object.objectID,
                relationship: index,
                keys: keys,
                record: row.record.record.number,
                key: key(of: row.record.record),
                line: row.record.record.line,
                wasUnchanged: state == .unchanged
            )
        }
    }

    /// Connects objects of the file with each other, after all records are there.
    func connect(_ deferred: [Deferred], in context: NSManagedObjectContext) throws -> Outcome {
        var outcome = Outcome()
        for index in mapping.relationships.indices {
            let keys = Set(deferred.lazy.filter { $0.relationship == index }.map(\.keys).joined())
            outcome.result.createdRelatedCount += try resolve(keys, index, in: context)
        }
        // A set, since several relationships may change one object, which was counted as unchanged
        // once.
        var changed: Set<NSManagedObjectID> = []
        for item in deferred {
            let record = ImportRecord(
                number: item.record,
                line: item.line,
                key: item.key,
                storage: .object([:])
            )
            do {
                let ids = try ids(item.keys, item.relationship, record)
                let object = context.object(with: item.owner)
                let isNew = withRelatedContext == nil && object.isInserted
                if connect(object, item.relationship, ids, isNew: isNew), item.wasUnchanged {
                    changed.insert(item.owner)
                }
            } catch {
                outcome.problems.append(error)
            }
        }
        outcome.result.updatedCount += changed.count
        outcome.result.unchangedCount -= changed.count
        if withRelatedContext != nil, context.hasChanges {
            try stack.saveAndWait(context)
            outcome.result.saveCount += 1
        }
        return outcome
    }

    /// Sets a relationship: a to-one relationship is replaced, a to-many one added to.
    ///
    /// - Returns: Whether anything changed.
    func connect(
        _ object: NSManagedObject,
        _ index: Int,
        _ ids: [NSManagedObjectID],
        isNew: Bool
    ) -> Bool {
        let relationship = mapping.relationships[index]
        guard let context = object.managedObjectContext else { return false }
        guard relationship.isToMany else {
            if !isNew {
                let current = object.value(forKey: relationship.name) as? NSManagedObject
                // Set to what it is already, the object would be an updated one: saved, and merged
                // into every other context, for nothing.
                if current?.objectID == ids.first { return false }
            } else if ids.isEmpty {
                return false
            }
            object.setValue(ids.first.map { context.object(with: $0) }, forKey: relationship.name)
            return !ids.isEmpty || !isNew
        }
        if relationship.isOrdered {
            let current = object.value(forKey: relationship.name) as? NSOrderedSet
            let all = NSMutableOrderedSet(orderedSet: current ?? NSOrderedSet())
            let countBefore = all.count
            for id in ids { all.add(context.object(with: id)) }
            guard all.count > countBefore else { return false }
            object.setValue(all, forKey: relationship.name)
            return true
        }
        let current = object.value(forKey: relationship.name) as? Set<NSManagedObject> ?? []
        let all = current.union(ids.map { context.object(with: $0) })
        guard all.count > current.count else { return false }
        object.setValue(all as NSSet, forKey: relationship.name)
        return true
    }
}
