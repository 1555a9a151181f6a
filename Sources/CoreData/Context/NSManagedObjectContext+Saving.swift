import Foundation

/// Saving: one unit of work becomes one transaction for each store.
extension NSManagedObjectContext {
    /// `save()`.
    func baseSave() throws {
        checkQueue("save()")
        guard !isSaving else { throw CocoaError.recursiveSave() }
        guard parentSource != nil else { throw CocoaError.contextHasNoParent() }
        postedSets = []
        defer { postedSets = nil }
        processPendingChanges()
        // From here on merges wait for the end of the save: they would change what is validated and
        // written.
        isSaving = true
        var hasSaved = false
        defer {
            // Before the merges, which would put themselves off again otherwise.
            isSaving = false
            if !hasSaved { announceFailure() }
            mergeDeferred()
        }
        try announceSave()
        if !propagatesDeletesAtEndOfEvent || deletionFailure != nil { propagateDeletes() }
        if let deletionFailure { throw deletionFailure }
        // Asked only now: observers of will-save may have made the first change. Did-save is posted
        // in any case, as Apple's framework does it; clients wait for it.
        guard hasChanges else {
            try source.writeChangedMetadata()
            hasSaved = true
            let number = consistency?.lastCommit ?? 0
            let changes = SavedChanges([], namedCount: 0, commitNumber: number)
            return postDidSave(changes, nil, ChangeSet())
        }
        try checkChangesWereRead(changed(updatedList, .updated))
        // Validation may change values, which must be valid in turn.
        for _ in 0..<100 {
            try validateChanges()
            if pending.isEmpty { break }
            processPendingChanges()
        }
        var changes = ChangeSet<NSManagedObject>(
            inserted: changed(insertedList, .inserted),
            updated: changed(updatedList, .updated),
            deleted: changed(deletedList, .deleted)
        )
        // Where no trigger of the store keeps a derived value, the objects that show it are saved
        // along with those that it follows from.
        changes.addDependents(in: self)
        let plan = try write(changes)
        hasSaved = true
        finish(plan)
        // Most objects of an import end here. Their sets go first: what lists let go of ends in the
        // order in which it lies in memory.
        withExtendedLifetime(plan) { postedSets = nil }
    }

    /// Tells of a save that has failed, after its will-save, so that nobody waits for its did-save.
    private func announceFailure() {
        NotificationCenter.default.post(name: Self.didFailToSave, object: self)
    }

    /// Posted when a save has thrown; Apple's framework has none such.
    static let didFailToSave = Notification.Name("MergeStackContextDidFailToSave")

    /// Merges that came during the save.
    private func mergeDeferred() {
        guard !deferredMerges.isEmpty else { return }
        let merges = deferredMerges
        deferredMerges = []
        for merge in merges { merge() }
    }

    // MARK: Before

    /// The objects that the save is about, in lists as they are: one of all would count another
    /// reference of each object.
    private var unsavedLists: [[NSManagedObject]] {
        [
            changed(insertedList, .inserted), changed(updatedList, .updated),
            changed(deletedList, .deleted),
        ]
    }

    /// Calls `willSave()` and posts will-save; calls it again on what changes meanwhile.
    private func announceSave() throws {
        let first = unsavedLists
        for list in first { callWillSave(list) }
        NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
        guard !pending.isEmpty else { return }
        var called = Set(first.joined().map(ObjectIdentifier.init))
        for _ in 0..<1_000 {
            guard !pending.isEmpty else { return }
            // Noted before they are processed, which empties the lists of what is pending.
            let touched = Set(
                (pending.inserted + pending.updated + pending.deleted).map(ObjectIdentifier.init)
            )
            processPendingChanges()
            // Delete rules may have brought in more than was touched.
            callWillSave(
                unsavedLists.joined().filter { object in
                    called.insert(ObjectIdentifier(object)).inserted
                        || touched.contains(ObjectIdentifier(object))
                }
            )
        }
        throw CocoaError.endlessSave(rounds: 1_000)
    }

    private func callWillSave(_ objects: [NSManagedObject]) {
        // The method of the base class does nothing; an import need not call it for each object.
        for object in objects where type(of: object) != NSManagedObject.self {
            object.willSave()
        }
    }

    private func validateChanges() throws {
        var errors: [any Error] = []
        func collect(_ body: () throws -> Void) {
            do { try body() } catch { errors.append(error) }
        }
        for object in changed(insertedList, .inserted) {
            collect { try object.validateForInsert() }
        }
        for object in changed(updatedList, .updated) { collect { try object.validateForUpdate() } }
        // What others have deleted is not deleted by this save: no rule can deny it any more.
        for object in changed(deletedList, .deleted) where !object.flags.contains(.gone) {
            collect { try object.validateForDelete() }
        }
        if let error = CocoaError.combining(errors) { throw error }
    }

    // MARK: Writing

    /// Plans and writes, and again as long as the merge policy resolves conflicts.
    private func write(_ changes: ChangeSet<NSManagedObject>) throws -> SavePlan {
        var changes = changes
        var keys = PermanentKeys()
        adoptPromotions()
        do {
            for _ in 0..<1_000 {
                // In the loop, for a merge policy may have made objects new ones.
                let isNew = changes.inserted.allSatisfy { $0.primaryKey < 0 }
                try assign(
                    &keys,
                    to: isNew ? changes.inserted : changes.inserted.filter { $0.primaryKey < 0 }
                )
                var plan = try SavePlan(changes, context: self)
                do {
                    if !conflictChecks.isEmpty { try checkConflicts() }
                    if source.isStoreLevel { plan.makeIDsAhead(coordinator.modelLayout.entities) }
                    try noting(plan) { try source.write(plan.parts.map { $0.save(by: origin) }) }
                    // After the write: children must not follow keys that may still be taken back.
                    keys.promote(in: self)
                    conflictChecks = []
                    return plan
                } catch let conflicts as StoreConflicts {
                    try resolve(conflicts, plan)
                    // The rows come ahead of the merge that will name their owners:
                    // whoever has read a relationship to many which they have come into or
                    // left must read it again.
                    moveRows(conflicts.conflicts.map(\.reference), in: conflicts.store)
                    changes = settle(&keys)
                    // An object that is gone may be one that others must have; a row that is deleted
                    // all the same may have come to be related to such.
                    if deletedCount > 0 || conflicts.conflicts.contains(where: { $0.stored == nil })
                    {
                        try validateChanges()
                    }
                } catch let late as StoreLateReferences {
                    try applyDeleteRules(to: late)
                    moveRows(late.entries.map(\.row), in: late.store)
                    changes = settle(&keys)
                    try validateChanges()
                } catch let lost as StoreLostTargets {
                    // Known now, the deletions are what validation refuses.
                    try validateChanges()
                    throw CocoaError.lostTargets(
                        lost.references.map { objectID($0, in: lost.store.identity) }
                    )
                } catch let violations as StoreViolations {
                    try resolve(mergeConflicts: conflicts(violations, plan))
                    changes = settle(&keys)
                } catch let dangling as DanglingReferences {
                    throw validationError(dangling)
                } catch is PrimaryKeysTaken {
                    // Another process has used them: the next round takes others.
                    keys.takeBack(from: self)
                }
            }
            throw CocoaError.coreData(
                "The save met new conflicts a thousand times over: other contexts or processes "
                    + "change the same rows all the time; save fewer objects at once."
            )
        } catch {
            keys.takeBack(from: self)
            throw error
        }
    }

    /// The changes after a merge policy has resolved conflicts: objects may have been deleted by
    /// it, or have become those of other rows, and others may have changed with them.
    private func settle(_ keys: inout PermanentKeys) -> ChangeSet<NSManagedObject> {
        processPendingChanges()
        keys.settle()
        return ChangeSet<NSManagedObject>(
            inserted: changed(insertedList, .inserted),
            updated: changed(updatedList, .updated),
            deleted: changed(deletedList, .deleted)
        )
    }

    private func resolve(_ conflicts: StoreConflicts, _ plan: SavePlan) throws {
        var list: [NSMergeConflict] = []
        for conflict in conflicts.conflicts {
            let registry = registry(conflict.reference.entityIndex, in: conflicts.store)
            guard let object = registry.known(current(conflict.reference).primaryKey) else {
                continue
            }
            list.append(
                NSMergeConflict(
                    object,
                    expectedVersion: conflict.expectedVersion,
                    stored: conflict.stored
                )
            )
        }
        try resolve(mergeConflicts: list)
        let objects = list.map(\.sourceObject).filter { $0.registry.context === self }
        for object in objects where object.flags.isDisjoint(with: [.deleted, .detached]) {
            dropLostAdditions(of: object)
        }
        // The rows that the objects stand on by now may refer to what is deleted here: the delete
        // rules were applied before they were known.
        applyChanges(to: objects)
    }

    private func resolve(mergeConflicts list: [Any]) throws {
        guard let policy = mergePolicy as? NSMergePolicy else {
            fatalError("The context's mergePolicy must be an NSMergePolicy.")
        }
        try policy.resolve(mergeConflicts: list)
    }

    /// The permanent keys that a save has given out; taken back if it fails.
    private struct PermanentKeys {
        /// Objects with what they had before. The objects are a list of their own, which is mostly
        /// that of all inserted ones.
        private struct Batch {
            private(set) var objects: [NSManagedObject] = []
            private(set) var formerKeys: [Int64] = []
            /// Each with how many objects in a row had it.
            private var formerRegistries: [(registry: ObjectRegistry, count: Int)] = []

            init() {}

            init(_ objects: [NSManagedObject]) {
                self.objects = objects
                formerKeys = objects.map(\.primaryKey)
                for object in objects { note(object.registry) }
            }

            private mutating func note(_ registry: ObjectRegistry) {
                if let last = formerRegistries.indices.last,
                    formerRegistries[last].registry === registry
                {
                    formerRegistries[last].count += 1
                } else {
                    formerRegistries.append((registry, 1))
                }
            }

            func forEach(_ body: (NSManagedObject, Int64, ObjectRegistry) -> Void) {
                var index = 0
                for (registry, count) in formerRegistries {
                    for place in index..<index + count {
                        body(objects[place], formerKeys[place], registry)
                    }
                    index += count
                }
            }

            func filter(_ isIncluded: (NSManagedObject) -> Bool) -> Batch {
                var batch = Batch()
                forEach { object, key, registry in
                    guard isIncluded(object) else { return }
                    batch.objects.append(object)
                    batch.formerKeys.append(key)
                    batch.note(registry)
                }
                return batch
            }
        }
        private var given: [Batch] = []
        /// Those of objects that keep them even if the save fails.
        private var settled: [Batch] = []

        mutating func note(_ objects: [NSManagedObject]) {
            if !objects.isEmpty { given.append(Batch(objects)) }
        }

        /// Leaves alone what a merge policy has made the object of another row, or deleted.
        mutating func settle() {
            settled += given.map { $0.filter { $0.flags.contains(.updated) } }
            given = given.map { $0.filter { $0.flags.contains(.inserted) } }
        }

        mutating func takeBack(from context: NSManagedObjectContext) {
            // Out of the map before the key changes: the map holds plain words, and an object that
            // goes clears only the one under the key that it has by then.
            for batch in given {
                batch.forEach { object, formerKey, formerRegistry in
                    object.registry.identityMap.remove(object.primaryKey, object)
                    object.primaryKey = formerKey
                    object.registry = formerRegistry
                    formerRegistry.identityMap.set(formerKey, object)
                }
            }
            given = []
        }

        /// Tells children which temporary keys have become permanent.
        func promote(in context: NSManagedObjectContext) {
            guard context.source.isStoreLevel else { return }
            for batch in given + settled {
                context.promote(batch.objects, from: batch.formerKeys)
            }
        }
    }

    private func assign(_ keys: inout PermanentKeys, to objects: [NSManagedObject]) throws {
        // Noted first: of those that have got keys before one can't, these are taken back, too.
        keys.note(objects)
        if source.isStoreLevel {
            try assignPermanentKeys(to: objects)
        } else {
            // A save into a parent gives out no permanent keys: only the store is settled, and the
            // object moves to its registry under the temporary key.
            for object in objects where object.registry.store == nil {
                object.registry.identityMap.remove(object.primaryKey, object)
                object.registry = registry(object.layout.index, in: try store(forNew: object))
                object.registry.identityMap.set(object.primaryKey, object)
            }
        }
    }

    /// Gives objects keys of the stores that they go to.
    ///
    /// - Parameter areFinal: Whether the objects can't be given others when they are saved.
    func assignPermanentKeys(to objects: [NSManagedObject], areFinal: Bool = false) throws {
        var index = 0
        while index < objects.count {
            let store = try store(forNew: objects[index])
            let layout = objects[index].layout
            var end = index + 1
            // New objects mostly come in runs of one entity, whose objects go to one store unless
            // some are assigned to others; else of one tree and store.
            while end < objects.count,
                try objects[end].layout === layout && storeAssignments.isEmpty
                    || objects[end].layout.rootIndex == layout.rootIndex
                        && self.store(forNew: objects[end]) === store
            {
                end += 1
            }
            let run = end - index == objects.count ? objects : Array(objects[index..<end])
            let keys = try newKeys(for: run, layout.rootIndex, in: store, areFinal: areFinal)
            move(run, to: keys, in: store)
            index = end
        }
    }

    /// Gives objects of one tree their keys and the registries of the store, which have one map.
    private func move(_ objects: [NSManagedObject], to keys: [Int64], in store: any RowStore) {
        // Few: one for each entity.
        var maps: [IdentityMap] = []
        var latest: UnsafeMutableRawPointer?
        for object in objects where object.heldRegistry.toOpaque() != latest {
            latest = object.heldRegistry.toOpaque()
            let map = object.registry.identityMap
            if !maps.contains(where: { $0 === map }) { maps.append(map) }
        }
        for map in maps { map.remove(objects) }
        var registry = registry(objects[0].layout.index, in: store)
        for (object, key) in zip(objects, keys) {
            let index = object.heldRegistry._withUnsafeGuaranteedRef { $0.layout.index }
            if index != registry.layout.index { registry = self.registry(index, in: store) }
            object.registry = registry
            object.primaryKey = key
        }
        registry.identityMap.set(objects)
    }

    private func newKeys(
        for objects: [NSManagedObject],
        _ rootIndex: Int,
        in store: any RowStore,
        areFinal: Bool
    ) throws -> [Int64] {
        if let store = store.coordinatorStore.objectStore {
            return try store.permanentKeys(for: objects)
        }
        let take = areFinal ? store.claimPrimaryKeys : store.reservePrimaryKeys
        let first = try take(rootIndex, objects.count)
        return (0..<Int64(objects.count)).map { first + $0 }
    }

    private func store(forNew object: NSManagedObject) throws -> any RowStore {
        if !storeAssignments.isEmpty,
            let assigned = storeAssignments[ObjectIdentifier(object)],
            let store = source.rowStore(assigned.identity)
        {
            return store
        }
        guard let store = source.writableRowStore(holding: object.layout) else {
            if let store = coordinator.rowStores(holding: object.layout).first {
                throw CocoaError.storeIsReadOnly(store.url, store: store)
            }
            throw CocoaError.noStore(forEntity: object.layout.name)
        }
        return store
    }

    // MARK: After

    /// Takes in what was written and tells everyone.
    private func finish(_ plan: SavePlan) {
        let inserted = plan.changes.inserted, updated = plan.changes.updated
        let deleted = plan.changes.deleted.filter { !$0.flags.contains(.gone) }
        // First: what `didSave()` and the observers of did-save change is part of the next save.
        forgetChangeLists()
        for part in plan.parts { part.adopt() }
        // Not in `adopt()`: objects of which only relationships to many have changed have no row
        // there.
        for object in updated { object.markSaved() }
        if coordinator.modelLayout.hasDerivedSlots {
            for list in [inserted, updated] {
                for object in list where !object.layout.derivedSlots.isEmpty {
                    // Triggers of the store may have changed the rows after these were written.
                    object.readDerivedValues()
                }
            }
        }
        for object in plan.changes.deleted { leave(object) }
        // Others may have related objects to these in the parent, whose rules it has just applied.
        if !source.isStoreLevel { releaseRows(of: deleted) }
        for list in [inserted, updated, deleted] {
            for object in list where type(of: object) != NSManagedObject.self { object.didSave() }
        }
        let named = ChangeSet(
            inserted: inserted,
            updated: updated,
            deleted: deleted.filter { !$0.flags.contains(.neverSaved) }
        )
        let changes = SavedChanges(
            plan.parts.map(\.saved),
            namedCount: named.inserted.count + named.updated.count + named.deleted.count,
            ids: SavedChanges.IDs(named, ahead: plan.idsAhead),
            commitNumber: consistency?.lastCommit ?? 0
        )
        // Events noted during the save are posted before did-save, as on Apple's platforms.
        processPendingChanges()
        postDidSave(changes, plan.historyToken, named)
        source.announce(changes, from: self)
        announceBelow { $0.merge(changes) }
        // Last: observers of the save may have looked at what the deleted objects were related to.
        for object in plan.changes.deleted { object.breakRelationships() }
        if consistency != nil { checkSaved(plan, changes) }
    }

    private func postDidSave(
        _ changes: SavedChanges,
        _ token: NSPersistentHistoryToken?,
        _ named: ChangeSet<NSManagedObject>
    ) {
        let center = NotificationCenter.default
        var info: [AnyHashable: Any] = [
            NSInsertedObjectsKey: set(of: named.inserted),
            NSUpdatedObjectsKey: set(of: named.updated),
            NSDeletedObjectsKey: set(of: named.deleted),
            SavedChanges.key: changes,
        ]
        // As Apple's framework posts it, without a constant for the key.
        info["newChangeToken"] = token
        info[NSManagedObjectContextQueryGenerationKey] = queryGenerationToken
        center.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: info)
        let ids = changes.ids ?? SavedChanges.IDs(named)
        var idInfo: [AnyHashable: Any] = [
            NSInsertedObjectIDsKey: ids.inserted,
            NSUpdatedObjectIDsKey: ids.updated,
            NSDeletedObjectIDsKey: ids.deleted,
            SavedChanges.key: changes,
        ]
        idInfo[NSManagedObjectContextQueryGenerationKey] = queryGenerationToken
        center.post(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: idInfo)
    }
}
