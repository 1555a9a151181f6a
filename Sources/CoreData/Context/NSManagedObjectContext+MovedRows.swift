/// Relationships to many whose other end others have changed: the rows at that end hold the keys,
/// and nothing but these names the owners.
extension NSManagedObjectContext {
    /// The content of a relationship that was read.
    private struct Content {
        let owner: NSManagedObject
        let slot: PropertySlot
        let collection: ToManyCollection
    }

    /// Has registered owners read their relationships to many again that some of the rows have come
    /// into or left.
    ///
    /// - Complexity: A look at the registered objects, and if some have read relationships to the
    ///   entities of the rows, a statement for each such entity and a look at their content.
    func moveRows(_ references: [RowReference], in store: any RowStore) {
        let entities = coordinator.modelLayout.entities
        var keys: [Int: [Int64]] = [:]
        for reference in references {
            keys[entities[reference.entityIndex].rootIndex, default: []]
                .append(reference.primaryKey)
        }
        // Contents first: where nobody has read any that the rows can be in, no statement is run.
        let contents = readContents(ofRoots: Set(keys.keys), in: store)
        let roots = Set(contents.map { entities[$0.slot.destinationIndex].rootIndex })
        var stale: [ObjectIdentifier: Content] = [:]
        for root in roots {
            var plan = FetchPlan(layout: entities[root])
            plan.primaryKeys = (keys[root] ?? []).sorted()
            let concerned = contents.filter { entities[$0.slot.destinationIndex].rootIndex == root }
            do {
                let rows = try store.rows(plan)
                for content in staleContents(concerned, rows, in: store) {
                    stale[ObjectIdentifier(content.collection)] = content
                }
            } catch {
                // What can't be known now is read again.
                for content in concerned { stale[ObjectIdentifier(content.collection)] = content }
            }
        }
        for content in stale.values {
            // What was added and removed here stays, and is put on top of what is read.
            content.owner.replaceValues { content.collection.unload() }
            notePending(.pendingRefresh, content.owner)
        }
    }

    private func readContents(ofRoots roots: Set<Int>, in store: any RowStore) -> [Content] {
        let entities = coordinator.modelLayout.entities
        let slots = entities.map { layout in
            layout.slots.filter { slot in
                slot.kind == .toMany && slot.inverseSlot >= 0 && !slot.isManyToMany
                    && roots.contains(entities[slot.destinationIndex].rootIndex)
            }
        }
        return registeredObjects(in: store, ofEntitiesWith: slots).flatMap { object in
            slots[object.layout.index].compactMap { slot in
                guard object.flags.isDisjoint(with: .deleted),
                    let collection = object.overlay?.box(slot.index).content as? ToManyCollection,
                    collection.isLoaded
                else { return nil }
                return Content(owner: object, slot: slot, collection: collection)
            }
        }
    }

    /// The contents that rows have come into or left.
    private func staleContents(
        _ contents: [Content],
        _ rows: [Row],
        in store: any RowStore
    ) -> [Content] {
        var moved: [ObjectIdentifier: Row] = [:]
        var keysOfOwners: [Int: Set<RowReference>] = [:]
        let inverses = Set(contents.map(\.slot.inverseSlot))
        for row in rows {
            let key = current(row.reference).primaryKey
            let known = registry(row.entityIndex, in: store).known(key)
            if let known { moved[ObjectIdentifier(known)] = row }
            let slots = coordinator.modelLayout.entities[row.entityIndex].slots
            for inverse in inverses where inverse < slots.count && slots[inverse].kind == .toOne {
                guard let owner = row.reference(inverse).map(current) else { continue }
                keysOfOwners[inverse, default: []].insert(owner)
            }
        }
        return contents.filter { content in
            let owner = content.owner.anyReference, inverse = content.slot.inverseSlot
            // What has come to it may be there by a change of its own: reading it again tells.
            if keysOfOwners[inverse]?.contains(owner) == true { return true }
            return content.collection.objects?.contains { member in
                moved[ObjectIdentifier(member)].map {
                    $0.reference(inverse).map(current) != owner
                } ?? false
            } ?? false
        }
    }
}
