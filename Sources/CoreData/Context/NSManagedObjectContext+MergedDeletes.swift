/// Deletions that others have saved.
extension NSManagedObjectContext {
    /// Those of some objects whose rows are there, although somebody has said that they are deleted:
    /// a row may have been inserted again since.
    func present(
        _ objects: [NSManagedObject],
        in store: any RowStore
    ) -> Set<ObjectIdentifier> {
        let coordinatorStore = store.coordinatorStore
        var present = Set<ObjectIdentifier>()
        var unknown: [Int: [Int64: NSManagedObject]] = [:]
        for object in objects {
            switch coordinatorStore.cachedRow(object.layout, object.primaryKey) {
            case .deleted: continue
            // A parent may have deleted a row that the store beneath it has, and is asked below.
            case .row where store === coordinatorStore: present.insert(ObjectIdentifier(object))
            default: unknown[object.layout.rootIndex, default: [:]][object.primaryKey] = object
            }
        }
        // A store of a client's class is asked for nothing: it would have to fail to say no.
        guard !coordinatorStore.readsRowsOneByOne else { return present }
        for (rootIndex, objects) in unknown {
            var plan = FetchPlan(layout: coordinator.modelLayout.entities[rootIndex])
            plan.primaryKeys = objects.keys.sorted()
            do {
                for reference in try store.references(plan) {
                    if let object = objects[reference.primaryKey] {
                        present.insert(ObjectIdentifier(object))
                    }
                }
            } catch {
                // What can't be read is what it is said to be.
                continue
            }
        }
        return present
    }

    /// Deletes objects whose rows were deleted from the store: as `delete(_:)` does it, with the
    /// delete rules, but a save has nothing to do for them.
    ///
    /// That other objects lose them is a change only where nobody else can have made it: where an
    /// unsaved relationship leads to them. None of it is registered with the undo manager.
    ///
    /// - Parameter areNamed: Whether somebody names all that they were related to, as a merge does.
    ///   Others are looked for when the pending changes are processed.
    func deleteGone(_ objects: [NSManagedObject], areNamed: Bool = false) {
        guard !objects.isEmpty else { return }
        withoutUndo { markGone(objects) }
        // What a parent has related without saving it, a child may show from one side only.
        releaseRows(of: objects.filter(\.registry.isNested))
        if !areNamed { foundGone += objects.filter { !$0.registry.isNested } }
    }

    private func markGone(_ objects: [NSManagedObject]) {
        // Only what is added from here on is propagated in the end.
        let start = deletedList.count
        for object in objects {
            if object.flags.isDisjoint(with: [.deleted, .detached]) { delete(object) }
            // Not by the usual way: the rules would read the store, which has nothing of these
            // objects any more. Their neighbours are told below, as far as they are known.
            object.flags.insert([.gone, .deletePropagated])
            // An override of `delete(_:)` may have kept it: its row is gone all the same.
            if !object.flags.contains(.deleted) { setState(.deleted, of: object) }
            notePending(.pendingDelete, object)
        }
        var ends = LooseEnds()
        for object in objects {
            for slot in object.layout.slots where slot.isRelationship && slot.kind != .volatile {
                for related in knownObjects(object, slot) { detach(related, slot, object, &ends) }
            }
        }
        tie(ends)
        if !strays.isEmpty { for object in objects { leaveStrayOwners(object) } }
        propagateDeletes(from: start)
    }

    /// What still shows objects whose rows were deleted.
    private struct LooseEnds {
        var toMany: [(object: NSManagedObject, slot: Int)] = []
        /// Objects whose rows have to be read again.
        var toOne: [NSManagedObject] = []
    }

    /// The objects of a relationship as far as they are known here: the store has nothing of it.
    func knownObjects(
        _ object: NSManagedObject,
        _ slot: PropertySlot
    ) -> [NSManagedObject] {
        let (found, content) = object.overlay?.box(slot.index) ?? (false, nil)
        // Claimed members are no additions: `added` lacks them while the content is not read.
        if let collection = content as? ToManyCollection {
            return (collection.objects ?? collection.added) + Array(collection.claimed.values)
        }
        if found { return (content as? NSManagedObject).map { [$0] } ?? [] }
        guard slot.kind == .toOne, let store = object.registry.store,
            let reference = object.row?.reference(slot.index).map(current)
        else { return [] }
        return registry(reference.entityIndex, in: store).known(reference.primaryKey)
            .map { [$0] } ?? []
    }

    private func detach(
        _ related: NSManagedObject,
        _ slot: PropertySlot,
        _ object: NSManagedObject,
        _ ends: inout LooseEnds
    ) {
        guard related.flags.isDisjoint(with: [.gone, .detached]) else { return }
        guard related.flags.isDisjoint(with: .deleted) else {
            // Its deletion may be taken back.
            if slot.inverseSlot >= 0, related.refers(to: object, slot.inverseSlot) {
                ends.toOne.append(related)
            }
            return
        }
        // Its own rules are applied by `propagateDeletes(from:)`, when all that is gone is marked.
        if slot.deleteRule == .cascadeDeleteRule { return delete(related) }
        guard slot.inverseSlot >= 0 else { return }
        if related.layout.slots[slot.inverseSlot].isToMany {
            ends.toMany.append((related, slot.inverseSlot))
        } else if slot.deleteRule == .noActionDeleteRule {
            return
        } else if related.overlay?.changed.contains(slot.inverseSlot) == true {
            related.unlink(slot.inverseSlot, object)
        } else if related.refers(to: object, slot.inverseSlot) {
            ends.toOne.append(related)
        }
    }

    private func tie(_ ends: LooseEnds) {
        var done = Set<ObjectIdentifier>()
        for (object, slot) in ends.toMany {
            // Several objects that are gone may have one owner: all of them are dropped at once.
            guard let collection = object.overlay?.box(slot).content as? ToManyCollection,
                done.insert(ObjectIdentifier(collection)).inserted
            else { continue }
            var hasLost = false
            object.replaceValues { hasLost = collection.forgetGone() }
            guard hasLost else { continue }
            notePending(.pendingRefresh, object)
            // The owner may have changed in nothing but members that are gone: no
            // save has to write that.
            if !collection.hasChanges { object.overlay?.changed.remove(slot) }
            if object.flags.contains(.updated), object.overlay?.changed.isEmpty != false {
                setState(nil, of: object)
            }
        }
        readAgain(ends.toOne)
    }

    /// Reads the rows of objects that somebody has changed without naming them.
    private func readAgain(_ objects: [NSManagedObject]) {
        var groups: [ObjectIdentifier: [Int64: NSManagedObject]] = [:]
        // Each group is of one entity and one store, and so can be read by one request.
        for object in objects {
            groups[ObjectIdentifier(object.registry), default: [:]][object.primaryKey] = object
        }
        for group in groups.values {
            guard let registry = group.values.first?.registry, let store = registry.store else {
                continue
            }
            do {
                var missing = group
                for row in try rows(Array(group.keys), registry.layout, in: store) {
                    guard let object = missing.removeValue(forKey: row.primaryKey) else { continue }
                    if object.flags.contains(.deleted) {
                        object.row = row
                        object.forgetStoredRelationships()
                    } else {
                        let ends = movedEnds(of: object, to: row)
                        take(row, in: object)
                        // Others than those that are gone may have lost it, too.
                        reread(ends, of: object)
                        // A change that lies on top of the row takes from those whom the row names:
                        // no merge of that row follows which would.
                        if object.flags.contains(.updated) { takeFromOthers(object, row) }
                    }
                }
                // A parent may have taken back what it was given.
                for object in missing.values { noteGone(object) }
            } catch {
                for object in group.values { unload(object) }
            }
        }
    }

    /// The rows of some keys, as the context's parent shows them.
    private func rows(
        _ keys: [Int64],
        _ layout: EntityLayout,
        in store: any RowStore
    ) throws -> [Row] {
        // What a parent has read before, it shows to who asks for one row.
        if store is ParentStore { return try keys.compactMap { try store.row(layout, $0) } }
        var plan = FetchPlan(layout: layout)
        plan.primaryKeys = keys.sorted()
        return try store.rows(plan)
    }

    /// Removes objects whose rows were deleted from all registered objects that show them.
    func releaseRows(of gone: [NSManagedObject]) {
        guard !gone.isEmpty else { return }
        for store in storeRegistries.map(\.store) {
            let references = gone.filter { $0.registry.store === store }.map(\.anyReference)
            if !references.isEmpty { releaseRows(references, in: store) }
        }
    }

    /// Removes deleted rows from the registered objects that show them: batch requests and other
    /// processes don't name what they take them from.
    ///
    /// - Complexity: A look at each registered object that can be related to such a row.
    func releaseRows(_ references: [RowReference], in store: any RowStore) {
        let entities = coordinator.modelLayout.entities
        // Keys are unique in a tree of entities. Whatever entity of it a reference
        // names, this finds it.
        func root(_ reference: RowReference) -> RowReference {
            RowReference(
                entityIndex: entities[reference.entityIndex].rootIndex,
                primaryKey: reference.primaryKey
            )
        }
        let gone = Set(references.map(root)), roots = Set(gone.map(\.entityIndex))
        let slots = entities.map { layout in
            layout.slots.filter {
                ($0.kind == .toOne || $0.kind == .toMany)
                    && roots.contains(entities[$0.destinationIndex].rootIndex)
            }
        }
        var ends = LooseEnds()
        // New objects are in no store's map, and may be related to what is gone all the same.
        let unsaved = changed(insertedList, .inserted).filter { $0.registry.store == nil }
        for object in registeredObjects(in: store, ofEntitiesWith: slots) + unsaved {
            let isDeleted = object.flags.contains(.deleted)
            for slot in slots[object.layout.index] where !isDeleted || !slot.isToMany {
                let content = object.overlay?.box(slot.index).content
                if content is ToManyCollection { ends.toMany.append((object, slot.index)) }
                guard !slot.isToMany else { continue }
                if !isDeleted, object.overlay?.changed.contains(slot.index) == true,
                    let neighbour = content as? NSManagedObject, neighbour.flags.contains(.gone)
                {
                    object.unlink(slot.index, neighbour)
                }
                // Below a change or a deletion, too, which may be taken back.
                if let reference = object.row?.reference(slot.index),
                    gone.contains(root(current(reference)))
                {
                    ends.toOne.append(object)
                }
            }
        }
        tie(ends)
    }

    /// The registered objects of a store whose entities have some of the slots that are listed by
    /// entity, those included whose deletion is not saved.
    func registeredObjects(
        in store: any RowStore,
        ofEntitiesWith slots: [[PropertySlot]]
    ) -> [NSManagedObject] {
        let entities = coordinator.modelLayout.entities
        let maps = storeRegistries.first { $0.store === store }?.identityMaps ?? []
        return entities.indices.flatMap { index -> [NSManagedObject] in
            let layout = entities[index]
            // There is one map for a tree, under its root: so each object comes once.
            guard layout.rootIndex == index, index < maps.count, let map = maps[index],
                slots[index...layout.lastDescendantIndex].contains(where: { !$0.isEmpty })
            else { return [] }
            return map.objects.filter { $0.flags.isDisjoint(with: [.gone, .detached]) }
        }
    }
}
