/// Relationships that were set to objects which are deleted: none of these may reach a store.
extension NSManagedObject {
    /// Whether the object is deleted here, or its row in the store, as far as that is known without
    /// reading it.
    final var isLost: Bool {
        guard flags.isDisjoint(with: [.deleted, .detached]) else { return true }
        // The cache alone is asked: a query for each related object would make validation as dear
        // as the save. What it does not know, the store finds before it commits.
        guard primaryKey > 0, !flags.contains(.inserted), let store = registry.store,
            case .deleted = store.cachedRow(layout, primaryKey)
        else { return false }
        return true
    }

    /// The errors of relationships that were set to such objects. What delete rules have taken out
    /// is not there any more; what was stored before is none of this save's business.
    final func danglingErrors(_ overlay: Overlay) -> [any Error] {
        var errors: [any Error] = []
        for box in overlay.boxes where overlay.changed.contains(box.slot) {
            let property = layout.slots[box.slot]
            let lost: NSManagedObject?
            switch property.kind {
            case .toOne:
                let object = box.content as? NSManagedObject
                lost = object?.isLost == true ? object : nil
            case .toMany:
                let collection = box.content as? ToManyCollection
                // What others have deleted of the members that were there before is no mistake of
                // this save.
                lost = collection?.added.first { $0.isLost && !property.isLeftTo($0) }
            default: continue
            }
            guard let lost else { continue }
            errors.append(
                CocoaError.danglingReference(
                    entity: layout.name,
                    key: property.name,
                    object: self,
                    value: lost
                )
            )
        }
        return errors
    }
}

extension PropertySlot {
    /// Whether a deleted member of this to-many relationship has no rule that takes it out. Nothing
    /// of it reaches the store, for its own row, or a row of the join table, is what says that it is
    /// a member.
    fileprivate func isLeftTo(_ member: NSManagedObject) -> Bool {
        inverseSlot >= 0
            && member.layout.slots[inverseSlot].deleteRule == .noActionDeleteRule
    }
}
