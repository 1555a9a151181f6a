import CoreData

/// What a merge has reached in the main context, as the context's notifications say.
struct MergeOutcome {
    /// The sets of refreshed objects, by notifications.
    private var refreshed: [Set<NSManagedObject>] = []
    private var insertedIDs = Set<NSManagedObjectID>()
    private var updatedIDs = Set<NSManagedObjectID>()
    private var refreshedIDs = Set<NSManagedObjectID>()
    private var deletedIDs = Set<NSManagedObjectID>()
    private var mergeCount = 0

    /// Takes in what objects-did-change says.
    mutating func note(changes: Notification) {
        let objects = changes.changedObjects(NSRefreshedObjectsKey)
        if !objects.isEmpty { refreshed.append(objects) }
    }

    /// Takes in what the notification of the merge itself says.
    mutating func note(merge: Notification) {
        func add(_ key: String, to ids: inout Set<NSManagedObjectID>) {
            guard let more = merge.userInfo?[key] as? Set<NSManagedObjectID> else { return }
            if ids.isEmpty { ids = more } else { ids.formUnion(more) }
        }
        mergeCount += 1
        add(NSInsertedObjectIDsKey, to: &insertedIDs)
        add(NSUpdatedObjectIDsKey, to: &updatedIDs)
        add(NSRefreshedObjectIDsKey, to: &refreshedIDs)
        add(NSDeletedObjectIDsKey, to: &deletedIDs)
    }

    /// How many of the updated and deleted objects of a save the main context had registered.
    func registeredCount(of ids: ChangedObjectIDs) -> Int {
        if isUpdatesOnly(ids) { return updatedIDs.count + deletedIDs.count }
        return ids.updated.count { updatedIDs.contains($0) || refreshedIDs.contains($0) }
            + ids.deleted.count(where: deletedIDs.contains)
    }

    /// Those of a save's updated objects that the main context has as faults.
    func updatedFaults(of ids: ChangedObjectIDs) -> [NSManagedObject] {
        var faults: [NSManagedObject] = []
        for objects in refreshed {
            // An observer may have reset the context: its objects are nobody's then.
            for object in objects where object.isFault && object.managedObjectContext != nil {
                faults.append(object)
            }
        }
        guard !faults.isEmpty else { return [] }
        let updated = isUpdatesOnly(ids) ? updatedIDs : Set(ids.updated)
        return faults.filter { updated.contains($0.objectID) }
    }

    /// Whether the updated IDs are those of the save's updated objects and of no other ones.
    ///
    /// Mostly the sets of updated and refreshed ones are one, which is compared with itself; owners of
    /// objects that have moved are refreshed only. Inserted objects that were fetched ahead of the
    /// merge are among the updated ones, and an observer may have merged something else meanwhile.
    private func isUpdatesOnly(_ ids: ChangedObjectIDs) -> Bool {
        mergeCount <= 1 && insertedIDs.count == ids.inserted.count && updatedIDs == refreshedIDs
    }
}
