/// Objects that others have related to what is deleted here and not saved yet: the delete rules were
/// applied before they were.
extension NSManagedObjectContext {
    /// Makes what was changed here hold for objects that a merge has just given newer rows.
    func applyChanges(to objects: [NSManagedObject]) {
        // In this order: whom a change here has taken from its new partner is a change by then, and
        // the rules pass over relationships that are changed.
        withoutUndo { takePartners(from: objects) }
        applyDeleteRules(to: objects)
    }

    /// Takes the partners of one-to-one relationships from objects whose rows have come to refer to
    /// them, where they have been given to others here, and from those that the rows of changed
    /// objects have come to refer to: both rows say who belongs to whom, and the unsaved change is
    /// put on top of what others have saved.
    ///
    /// - Complexity: A test of counters without unsaved changes; else a look at the objects'
    ///   one-to-one relationships.
    private func takePartners(from objects: [NSManagedObject]) {
        guard updatedCount + insertedCount > 0 else { return }
        for object in objects where object.flags.isDisjoint(with: [.deleted, .detached]) {
            if object.flags.contains(.updated), let row = object.row {
                takeFromOthers(object, row)
            }
            for slot in object.layout.toOneSlots {
                let inverse = object.layout.slots[slot].inverseSlot
                guard inverse >= 0, object.overlay?.changed.contains(slot) != true,
                    let store = object.registry.store,
                    let reference = object.row?.reference(slot).map(current),
                    let partner = registry(reference.entityIndex, in: store)
                        .known(reference.primaryKey),
                    !partner.layout.slots[inverse].isToMany,
                    partner.overlay?.changed.contains(inverse) == true,
                    partner.toOneObject(inverse) !== object
                else { continue }
                alignPartner(partner, inverse, with: object)
                // A change, since the object's row names the partner, and has to be written.
                object.unlink(slot, partner)
            }
        }
    }

    /// Applies the delete rules of unsaved deletions to objects that a merge or a conflict has just
    /// given newer rows, and those of such objects that are deleted themselves. None of it is
    /// registered with the undo manager.
    ///
    /// - Complexity: A test of a counter without unsaved deletions; else a look at the to-one
    ///   relationships of the objects, and a row for each that is a fault and may be related to a
    ///   deleted one.
    func applyDeleteRules(to objects: [NSManagedObject]) {
        guard deletedCount > 0, !objects.isEmpty else { return }
        let deleted = changed(deletedList, .deleted).filter(\.hasUnsavedDeletion)
        let roots = Set(deleted.map(\.layout.rootIndex))
        guard !roots.isEmpty else { return }
        withoutUndo { applyDeleteRules(to: objects, relatedTo: roots) }
    }

    /// - Parameter roots: The entities of deleted objects, by their trees' roots.
    private func applyDeleteRules(to objects: [NSManagedObject], relatedTo roots: Set<Int>) {
        let entities = coordinator.modelLayout.entities
        // What is deleted itself may be related to more than it was when its rules were applied.
        let again = objects.filter(\.hasUnsavedDeletion)
        for object in again { object.flags.remove(.deletePropagated) }
        if !again.isEmpty { propagateDeletes() }
        for object in objects {
            for slot in object.layout.toOneSlots
            where object.layout.slots[slot].inverseSlot >= 0
                && roots.contains(entities[object.layout.slots[slot].destinationIndex].rootIndex)
            {
                applyDeleteRule(to: object, slot)
            }
        }
    }

    /// Applies the delete rules of unsaved deletions to rows that others have written since, and of
    /// which a save was told by the store.
    ///
    /// - Throws: What reading the rows throws.
    func applyDeleteRules(to late: StoreLateReferences) throws {
        let entities = coordinator.modelLayout.entities
        var objects: [NSManagedObject] = []
        for entry in late.entries {
            let layout = entities[entry.row.entityIndex]
            // Another process may have written it.
            late.store.invalidateRow(layout, entry.row.primaryKey)
            guard let row = try late.store.row(layout, entry.row.primaryKey),
                let reference = row.reference(entry.slot).map(current)
            else { continue }
            let object = object(row, in: late.store)
            // An object that has values keeps its old row when another one is fetched for it.
            if object.row !== row { rebase(object, on: row, dropping: SlotSet()) }
            objects.append(object)
            // What a rule denies, validation finds in what the deleted object shows.
            let inverse = layout.slots[entry.slot].inverseSlot
            let related = registry(reference.entityIndex, in: late.store)
                .known(reference.primaryKey)
            (related?.overlay?.box(inverse).content as? ToManyCollection)?.unload()
        }
        applyDeleteRules(to: objects)
    }

    private func applyDeleteRule(to object: NSManagedObject, _ slot: Int) {
        guard object.flags.isDisjoint(with: [.deleted, .detached]),
            object.overlay?.changed.contains(slot) != true, let store = object.registry.store
        else { return }
        // A fault may belong to a deleted object as well; only its row can tell.
        object.fireIfFault()
        guard let reference = object.row?.reference(slot).map(current),
            let related = registry(reference.entityIndex, in: store).known(reference.primaryKey),
            related.hasUnsavedDeletion
        else { return }
        switch related.layout.slots[object.layout.slots[slot].inverseSlot].deleteRule {
        // A rule that denies is left to the validation of the deleted object.
        case .noActionDeleteRule, .denyDeleteRule: return
        case .nullifyDeleteRule: object.unlink(slot, related)
        case .cascadeDeleteRule:
            object.unlink(slot, related)
            delete(object)
        }
    }
}

extension NSManagedObject {
    /// Whether the object is deleted here, with its delete rules applied, and not yet in the store.
    fileprivate final var hasUnsavedDeletion: Bool {
        flags.isSuperset(of: [.deleted, .deletePropagated]) && flags.isDisjoint(with: .gone)
    }
}
