import Foundation

/// Objects that show older values than the stores, which have put a request's rows in order: until
/// a merge brings them up to date, what is fetched is in the order of what the objects show.
extension NSManagedObjectContext {
    /// Puts objects in the order of what they show.
    func sort(_ objects: inout [NSManagedObject], as plan: FetchPlan) {
        guard !plan.sortDescriptors.isEmpty else { return }
        ObjectOrder(plan.sortDescriptors).sort(&objects)
    }

    /// Whether a registered object may show other values than its store has.
    func isOutdated(_ object: NSManagedObject) -> Bool {
        guard !object.flags.contains(.fault), let row = object.row,
            let store = object.registry.store
        else { return false }
        // What a parent shows is known to the parent only.
        if object.registry.isNested { return true }
        // The object holds its row, and the cache knows rows for as long as they are held: if it
        // has none, this one was replaced, or was never let in.
        if case .row(let cached) = store.cachedRow(object.layout, object.primaryKey) {
            return cached !== row
        }
        return true
    }

    /// Whether a request is sorted by values of related objects, some of which are outdated.
    ///
    /// - Complexity: A look at the registered objects of the entities that the sort descriptors
    ///   lead to; nothing for requests that are sorted by their own values.
    func showsOutdated(_ plan: FetchPlan) -> Bool {
        guard !plan.sortDescriptors.isEmpty else { return false }
        let entities = coordinator.modelLayout.entities
        var roots = Set<Int>()
        for descriptor in plan.sortDescriptors {
            guard let key = descriptor.key, key.contains("." as Character) else { continue }
            var layout = plan.layout
            for name in key.split(separator: ".") {
                guard let slot = layout.slot(named: String(name)), slot.isRelationship,
                    slot.kind != .volatile
                else { break }
                layout = entities[slot.destinationIndex]
                roots.insert(layout.rootIndex)
            }
        }
        guard !roots.isEmpty else { return false }
        return storeRegistries.contains { store in
            roots.contains { root in
                store.identityMaps[root]?.objects.contains(where: isOutdated) ?? false
            }
        }
    }
}
