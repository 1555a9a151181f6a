/// Deleting objects, and what their relationships' rules ask for.
extension NSManagedObjectContext {
    /// `delete(_:)`.
    func markDeleted(_ object: NSManagedObject) {
        checkQueue("delete(_:)")
        require(
            object.registry.context === self,
            "An object can be deleted by its own context only."
        )
        guard !object.flags.contains(.deleted), !object.flags.contains(.detached) else { return }
        object.prepareForDeletion()
        if object.flags.contains(.inserted), object.row == nil {
            object.flags.insert(.neverSaved)
        }
        setState(.deleted, of: object)
        notePending(.pendingDelete, object)
    }

    /// Marks an object as deleted that has no row any more; a save has nothing to do for it.
    func noteGone(_ object: NSManagedObject) {
        guard !object.flags.contains(.gone) else { return }
        object.flags.insert([.gone, .deletePropagated])
        setState(.deleted, of: object)
        notePending(.pendingDelete, object)
    }

    /// Applies the delete rules of all deleted objects, those included that a rule deletes.
    ///
    /// - Parameter start: Where in the list of deleted objects to begin.
    func propagateDeletes(from start: Int = 0) {
        var index = start
        while index < deletedList.count {
            let object = deletedList[index]
            index += 1
            guard object.flags.contains(.deleted),
                object.flags.insert(.deletePropagated).inserted
            else { continue }
            applyDeleteRules(of: object)
            if object.flags.contains(.neverSaved) {
                // Inserted and deleted before it was saved: it is as if it had never been.
                setState(nil, of: object)
                leave(object)
                departed.append(object)
            }
        }
    }

    private func applyDeleteRules(of object: NSManagedObject) {
        for slot in object.layout.slots where slot.isRelationship && slot.kind != .volatile {
            switch slot.deleteRule {
            case .noActionDeleteRule, .denyDeleteRule:
                continue
            case .nullifyDeleteRule:
                for related in relatedForDeletion(object, slot) { nullify(object, slot, related) }
            case .cascadeDeleteRule:
                for related in relatedForDeletion(object, slot) {
                    nullify(object, slot, related)
                    if !related.flags.contains(.deleted) { delete(related) }
                }
            }
        }
    }

    private func relatedForDeletion(
        _ object: NSManagedObject,
        _ slot: PropertySlot
    ) -> [NSManagedObject] {
        slot.isToMany
            ? object.toManyObjects(slot.index)
            : object.toOneObject(slot.index).map { [$0] } ?? []
    }

    /// Takes the deleted object out of what the related one refers to. The deleted object keeps
    /// its own values, which observers of the deletion may still read.
    private func nullify(
        _ object: NSManagedObject,
        _ slot: PropertySlot,
        _ related: NSManagedObject
    ) {
        guard slot.inverseSlot >= 0, !related.flags.contains(.detached) else { return }
        related.unlink(slot.inverseSlot, object)
    }
}
