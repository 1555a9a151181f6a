import Foundation

/// Where the `userInfo` of a notification names what has changed.
private enum ChangeKeys {
    static let inserted = [NSInsertedObjectsKey, NSInsertedObjectIDsKey]
    // Apple lets clients hand in the keys of objects-did-change, too: what was refreshed there is
    // read like an update.
    static let updated = [
        NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey,
    ]
    static let deleted = [NSDeletedObjectsKey, NSDeletedObjectIDsKey]
    static let all = inserted + updated + deleted
}

/// Changes given by their IDs only.
extension ChangeSet where Element == NSManagedObjectID {
    /// Takes IDs, objects and URIs from the `userInfo` of a notification, whatever else it has.
    init(_ info: [AnyHashable: Any], coordinator: NSPersistentStoreCoordinator) {
        func ids(_ keys: [String]) -> [NSManagedObjectID] {
            keys.flatMap { Self.elements(info[$0]) }.compactMap { element in
                switch element {
                case let id as NSManagedObjectID: return id
                case let object as NSManagedObject: return object.objectID
                case let url as URL: return coordinator.managedObjectID(forURIRepresentation: url)
                default: return nil
                }
            }
        }
        self.init()
        inserted = ids(ChangeKeys.inserted)
        updated = ids(ChangeKeys.updated)
        deleted = ids(ChangeKeys.deleted)
    }

    /// How many objects the `userInfo` of a notification names, in the same time for any number.
    static func count(_ info: [AnyHashable: Any]) -> Int {
        // One pass: to look for each of the keys takes nearly three times as long.
        info.reduce(0) { sum, entry in
            guard let key = entry.key as? String, ChangeKeys.all.contains(key) else { return sum }
            switch entry.value {
            case let collection as any Collection: return sum + collection.count
            case let set as NSSet: return sum + set.count
            default: return sum
            }
        }
    }

    /// Makes the next access to the rows read the store, which another one has changed.
    func invalidateRows(of context: NSManagedObjectContext) {
        for id in inserted + updated + deleted {
            guard let store = context.rowStore(of: id) else { continue }
            store.invalidateRow(
                context.coordinator.modelLayout.entities[context.localIndex(of: id)],
                id.primaryKey
            )
        }
    }

    private static func elements(_ value: Any?) -> [Any] {
        switch value {
        // What contexts post comes first: the casts further down look at each element.
        case let set as Set<NSManagedObject>: return Array(set)
        case let set as Set<NSManagedObjectID>: return Array(set)
        case let array as [Any]: return array
        case let set as Set<AnyHashable>: return set.map(\.base)
        default: return []
        }
    }
}
