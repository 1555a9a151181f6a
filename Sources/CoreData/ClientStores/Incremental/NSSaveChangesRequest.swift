import Foundation

/// What a context asks of an incremental store when it saves.
///
/// > Threading: On the context's queue.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The objects to insert; they have permanent IDs.
    open private(set) var insertedObjects: Set<NSManagedObject>?
    /// The objects to update.
    open private(set) var updatedObjects: Set<NSManagedObject>?
    /// The objects to delete.
    open private(set) var deletedObjects: Set<NSManagedObject>?
    /// The objects of `detectConflicts(for:)`, whose versions must be those that the context read.
    open private(set) var lockedObjects: Set<NSManagedObject>?
    /// `saveRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    /// Makes a request without objects.
    public required init() { super.init() }

    /// Makes a request.
    public convenience init(
        inserted insertedObjects: Set<NSManagedObject>?,
        updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?,
        locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.init()
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
    }

    /// A request with the same objects.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copied = super.copy(with: zone)
        guard let copy = copied as? NSSaveChangesRequest else { return copied }
        copy.insertedObjects = insertedObjects
        copy.updatedObjects = updatedObjects
        copy.deletedObjects = deletedObjects
        copy.lockedObjects = lockedObjects
        return copy
    }
}
