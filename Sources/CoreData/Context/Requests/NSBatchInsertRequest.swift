import Foundation

/// What a batch insert gives back.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case statusOnly = 0
    /// The IDs of the rows.
    case objectIDs = 1
    /// The number of rows.
    case count = 2
}

/// Inserts rows straight into an SQLite store, without objects in a context.
///
/// Rows get the model's default values where none are given. Nothing is validated, and no
/// notification is posted: merge the object IDs of the result into the contexts that show them.
///
/// > Threading: Use one request on one thread at a time.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    private var storedEntityName = ""
    /// The entity, unless the request was made by name and has not been executed yet.
    open internal(set) var entity: NSEntityDescription?
    /// The values of the rows by the names of properties.
    open var objectsToInsert: [[String: Any]]?
    /// Fills the dictionary with the next row's values; true says that there are no more rows, and
    /// the dictionary of that call is not inserted.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// Fills an object with the next row's values; true says that there are no more rows, and the
    /// object of that call is not inserted.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// What the result holds. `statusOnly` by default.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    /// Makes a request without an entity; use one of the others.
    public required init() { super.init() }

    /// Makes a request for an entity by name.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        super.init()
        storedEntityName = entityName
        objectsToInsert = dictionaries
    }

    /// Makes a request for an entity.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        super.init()
        self.entity = entity
        objectsToInsert = dictionaries
    }

    /// Makes a request whose rows a handler gives one by one.
    public convenience init(
        entity: NSEntityDescription,
        dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init()
        self.entity = entity
        dictionaryHandler = handler
    }

    /// Makes a request whose rows a handler gives one by one, as objects without context.
    public convenience init(
        entity: NSEntityDescription,
        managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init()
        self.entity = entity
        managedObjectHandler = handler
    }

    /// Makes a request whose rows a handler gives one by one.
    public convenience init(
        entityName: String,
        dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init()
        storedEntityName = entityName
        dictionaryHandler = handler
    }

    /// Makes a request whose rows a handler gives one by one, as objects without context.
    public convenience init(
        entityName: String,
        managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init()
        storedEntityName = entityName
        managedObjectHandler = handler
    }

    /// The entity's name.
    open var entityName: String { entity?.name ?? storedEntityName }
    /// `batchInsertRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    /// A request with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copied = super.copy(with: zone)
        guard let copy = copied as? NSBatchInsertRequest else { return copied }
        copy.storedEntityName = storedEntityName
        copy.entity = entity
        copy.objectsToInsert = objectsToInsert
        copy.dictionaryHandler = dictionaryHandler
        copy.managedObjectHandler = managedObjectHandler
        copy.resultType = resultType
        return copy
    }
}

/// What a batch insert has done.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// By the type: a `Bool`, an array of `NSManagedObjectID` or an `Int`.
    open private(set) var result: Any?
    /// What ``result`` is.
    open private(set) var resultType: NSBatchInsertRequestResultType

    init(_ ids: [NSManagedObjectID], _ resultType: NSBatchInsertRequestResultType) {
        self.resultType = resultType
        switch resultType {
        // A request that fails throws, so that no result says false.
        case .statusOnly: result = true
        case .objectIDs: result = ids
        case .count: result = ids.count
        }
        super.init()
    }
}
