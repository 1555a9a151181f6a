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

extension SavedChanges {
    /// What the `userInfo` of a did-save notification has.
    struct Announced {
        /// What contexts put there beside the objects; nil if a client has made the notification.
        private(set) var changes: SavedChanges?
        /// How many objects it names.
        private(set) var namedCount = 0

        /// Takes the same time for any number of objects.
        init(_ info: [AnyHashable: Any]) {
            // One pass: to look for each of the keys takes three times as long.
            for entry in info {
                guard let key = entry.key as? String else { continue }
                if ChangeKeys.all.contains(key) {
                    namedCount += Self.count(of: entry.value)
                } else if key == SavedChanges.key {
                    changes = entry.value as? SavedChanges
                }
            }
        }

        private static func count(of value: Any) -> Int {
            switch value {
            // What contexts post comes first: to look for a protocol takes several times as long.
            case let objects as Set<NSManagedObject>: objects.count
            case let collection as any Collection: collection.count
            case let set as NSSet: set.count
            default: 0
            }
        }
    }
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
