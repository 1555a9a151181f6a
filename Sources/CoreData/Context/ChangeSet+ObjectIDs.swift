import Foundation

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
