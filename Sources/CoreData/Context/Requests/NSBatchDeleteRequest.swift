import Foundation

/// What a batch delete gives back.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case resultTypeStatusOnly = 0
    /// The IDs of the rows.
    case resultTypeObjectIDs = 1
    /// The number of rows.
    case resultTypeCount = 2
}

/// Deletes rows straight from an SQLite store, without objects in a context.
///
/// Other rows lose their references to the deleted ones; cascade and deny rules are not applied. It
/// fails, and deletes nothing, if a row that stays must have a reference that would go. No
/// notification is posted: merge the object IDs of the result into the contexts that show them.
///
/// > Threading: Use one request on one thread at a time.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    /// What to delete: the entity, the predicate, order and limit count.
    open private(set) var fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    /// The rows to delete, of a request made with IDs.
    private(set) var objectIDs: [NSManagedObjectID]?
    /// What the result holds. `resultTypeStatusOnly` by default.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    /// Makes a request without an entity; use one of the others.
    public required init() {
        fetchRequest = NSFetchRequest()
        super.init()
    }

    /// Makes a request for the rows that a fetch would find in the store.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        fetchRequest = fetch
        super.init()
    }

    /// Makes a request for rows of one entity and its sub-entities.
    public convenience init(objectIDs objects: [NSManagedObjectID]) {
        self.init()
        objectIDs = objects
        fetchRequest.entity = objects.first?.entity
        // For those who read the request: what is deleted goes by `objectIDs` alone.
        fetchRequest.predicate = NSPredicate(format: "SELF IN %@", objects as NSArray)
    }

    /// `batchDeleteRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// A request with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copied = super.copy(with: zone)
        guard let copy = copied as? NSBatchDeleteRequest else { return copied }
        copy.fetchRequest = fetchRequest
        copy.objectIDs = objectIDs
        copy.resultType = resultType
        return copy
    }
}

/// What a batch delete has done.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// By the type: a `Bool`, an array of `NSManagedObjectID` or an `Int`.
    open private(set) var result: Any?
    /// What ``result`` is.
    open private(set) var resultType: NSBatchDeleteRequestResultType

    init(_ ids: [NSManagedObjectID], _ resultType: NSBatchDeleteRequestResultType) {
        self.resultType = resultType
        switch resultType {
        case .resultTypeStatusOnly: result = true
        case .resultTypeObjectIDs: result = ids
        case .resultTypeCount: result = ids.count
        }
        super.init()
    }
}
