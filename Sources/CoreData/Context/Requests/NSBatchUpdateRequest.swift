import Foundation

/// What a batch update gives back.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case statusOnlyResultType = 0
    /// The IDs of the rows.
    case updatedObjectIDsResultType = 1
    /// The number of rows.
    case updatedObjectsCountResultType = 2
}

/// Updates rows straight in an SQLite store, without objects in a context.
///
/// Nothing is validated, and no notification is posted: merge the object IDs of the result into
/// the contexts that show them.
///
/// > Threading: Use one request on one thread at a time.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    private var storedEntityName = ""
    var storedEntity: NSEntityDescription?
    /// The condition that rows satisfy; nil for all rows.
    open var predicate: NSPredicate?
    /// Whether rows of sub-entities count. True by default.
    open var includesSubentities = true
    /// What the result holds. `statusOnlyResultType` by default.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType
    /// The new values, by names or descriptions of properties: attributes and to-one
    /// relationships. A value is a constant, an object ID for a relationship, `NSNull` for none, or
    /// an `NSExpression` over the row's own attributes.
    open var propertiesToUpdate: [AnyHashable: Any]?

    /// Makes a request without an entity; use one of the others.
    public required init() { super.init() }

    /// Makes a request for an entity by name.
    public init(entityName: String) {
        super.init()
        storedEntityName = entityName
    }

    /// Makes a request for an entity.
    public init(entity: NSEntityDescription) {
        super.init()
        storedEntity = entity
    }

    /// The entity's name.
    open var entityName: String { storedEntity?.name ?? storedEntityName }
    /// The entity; known of a request made by name once that was executed.
    open var entity: NSEntityDescription {
        guard let storedEntity else {
            fatalError(
                "The entity of a batch update made by name is known once the request was executed."
            )
        }
        return storedEntity
    }
    /// `batchUpdateRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    /// A request with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copied = super.copy(with: zone)
        guard let copy = copied as? NSBatchUpdateRequest else { return copied }
        copy.storedEntityName = storedEntityName
        copy.storedEntity = storedEntity
        copy.predicate = predicate
        copy.includesSubentities = includesSubentities
        copy.resultType = resultType
        copy.propertiesToUpdate = propertiesToUpdate
        return copy
    }
}

/// What a batch update has done.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// By the type: a `Bool`, an array of `NSManagedObjectID` or an `Int`.
    open private(set) var result: Any?
    /// What ``result`` is.
    open private(set) var resultType: NSBatchUpdateRequestResultType

    init(_ ids: [NSManagedObjectID], _ resultType: NSBatchUpdateRequestResultType) {
        self.resultType = resultType
        switch resultType {
        case .statusOnlyResultType: result = true
        case .updatedObjectIDsResultType: result = ids
        case .updatedObjectsCountResultType: result = ids.count
        }
        super.init()
    }
}
