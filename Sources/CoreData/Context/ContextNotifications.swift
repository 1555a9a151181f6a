import Foundation

// The strings are those of Apple's framework, for some code spells keys and names out.
/// Key of the inserted objects in a context's notifications.
public let NSInsertedObjectsKey = "inserted"
/// Key of the updated objects in a context's notifications.
public let NSUpdatedObjectsKey = "updated"
/// Key of the deleted objects in a context's notifications.
public let NSDeletedObjectsKey = "deleted"
/// Key of the refreshed objects in a context's notifications.
public let NSRefreshedObjectsKey = "refreshed"
/// Key of the invalidated objects in a context's notifications.
public let NSInvalidatedObjectsKey = "invalidated"
/// Key of the IDs of all objects, when a context was reset.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// Key of the IDs of inserted objects.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// Key of the IDs of updated objects.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// Key of the IDs of deleted objects.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// Key of the IDs of refreshed objects.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// Key of the IDs of invalidated objects.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

extension NSNotification.Name {
    /// Posted before a context saves; no `userInfo`. Observers may still change objects.
    public static let NSManagedObjectContextWillSave =
        NSNotification.Name("NSManagingContextWillSaveChangesNotification")
    /// Posted after a context saved, with the sets of inserted, updated and deleted objects; and, if
    /// the store keeps a history, with the save's `NSPersistentHistoryToken` under "newChangeToken".
    public static let NSManagedObjectContextDidSave =
        NSNotification.Name("NSManagingContextDidSaveChangesNotification")
    /// Posted when pending changes were processed, with the sets of objects that changed.
    public static let NSManagedObjectContextObjectsDidChange =
        NSNotification.Name("NSObjectsChangedInManagingContextNotification")
    /// Posted after a context saved, with the sets of object IDs.
    public static let NSManagedObjectContextDidSaveObjectIDs =
        NSNotification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
    /// Posted after a context merged changes, with the sets of object IDs.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs =
        NSNotification.Name("NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
    /// Posted before a context saves.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// Posted after a context saved, with sets of objects.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// Posted when pending changes were processed, with sets of objects.
    public static let didChangeObjectsNotification =
        Notification.Name.NSManagedObjectContextObjectsDidChange
    /// Posted after a context saved, with sets of object IDs.
    public static let didSaveObjectIDsNotification =
        Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// Posted after a context merged changes, with sets of object IDs.
    public static let didMergeChangesObjectIDsNotification =
        Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of a context's notifications.
    public enum NotificationKey: String, Sendable {
        /// The IDs of all objects, when a context was reset.
        case invalidatedAllObjects = "invalidatedAll"
        /// The inserted objects.
        case insertedObjects = "inserted"
        /// The updated objects.
        case updatedObjects = "updated"
        /// The deleted objects.
        case deletedObjects = "deleted"
        /// The refreshed objects.
        case refreshedObjects = "refreshed"
        /// The invalidated objects.
        case invalidatedObjects = "invalidated"
        /// The IDs of inserted objects.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The IDs of updated objects.
        case updatedObjectIDs = "updated_objectIDs"
        /// The IDs of deleted objects.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The IDs of refreshed objects.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The IDs of invalidated objects.
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// The query generation that the context was asked to read.
        case queryGeneration = "NSManagedObjectContextQueryGenerationKey"
    }

    /// A list that names each object once, as a set. While a context saves, lists that are the same have one set: did-save mostly
    /// names what objects-did-change has just named.
    func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        guard let postedSets, objects.count > 1 else { return Set(distinct: objects) }
        for posted in postedSets where posted.objects.elementsEqual(objects, by: ===) {
            return posted.set
        }
        let set = Set(distinct: objects)
        self.postedSets?.append((objects, set))
        return set
    }

    /// Posts what has changed in this event.
    func post(_ changes: ChangeSet<NSManagedObject>) {
        var info: [AnyHashable: Any] = [:]
        if !changes.inserted.isEmpty { info[NSInsertedObjectsKey] = set(of: changes.inserted) }
        if !changes.updated.isEmpty { info[NSUpdatedObjectsKey] = set(of: changes.updated) }
        if !changes.deleted.isEmpty { info[NSDeletedObjectsKey] = set(of: changes.deleted) }
        if !changes.refreshed.isEmpty {
            info[NSRefreshedObjectsKey] = Set(distinct: changes.refreshed)
        }
        if !changes.invalidated.isEmpty { info[NSInvalidatedObjectsKey] = Set(changes.invalidated) }
        guard !info.isEmpty else { return }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange,
            object: self,
            userInfo: info
        )
    }
}
