import Foundation

/// Asks a context for objects of an entity.
///
/// `ResultType` is not constrained, so that `NSFetchRequest<any NSFetchRequestResult>` can be
/// written: without an Objective-C runtime a protocol's existential does not conform to it.
///
/// > Threading: Use one request on one thread at a time.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
    private var storedEntity: NSEntityDescription?
    private var storedEntityName: String?

    /// Makes a request without an entity; set ``entity`` before it is executed.
    public required init() { super.init() }

    /// Makes a request for an entity by name, looked up when the request is executed.
    public convenience init(entityName: String) {
        self.init()
        storedEntityName = entityName
    }

    /// The entity whose objects are asked for; nil until a request made by name is executed.
    open var entity: NSEntityDescription? {
        get { storedEntity }
        set {
            storedEntity = newValue
            if let newValue { storedEntityName = newValue.name }
        }
    }
    /// The entity's name.
    open var entityName: String? { storedEntityName }
    /// The condition that objects satisfy; nil for all objects.
    open var predicate: NSPredicate?
    /// The order; objects that are the same in it come in the order of their primary keys.
    open var sortDescriptors: [NSSortDescriptor]?
    /// The largest number of objects; 0 for no limit.
    open var fetchLimit = 0
    /// The number of objects to skip.
    open var fetchOffset = 0
    /// The number of rows to read at a time, as the objects of the result are used; 0 to read all
    /// at once. The result is made of faults then, and its order and members are those of the
    /// fetch.
    open var fetchBatchSize = 0
    /// What the request gives. Managed objects by default.
    open var resultType: NSFetchRequestResultType = .managedObjectResultType
    /// Whether objects of sub-entities count. True by default.
    open var includesSubentities = true
    /// Whether rows are read along with the objects' IDs. True by default.
    open var includesPropertyValues = true
    /// Whether what the context has not saved yet counts. True by default.
    open var includesPendingChanges = true
    /// Whether objects may come as faults. True by default.
    open var returnsObjectsAsFaults = true
    /// Whether dictionaries that are the same come once. False by default.
    open var returnsDistinctResults = false
    /// The relationships whose objects are read along.
    open var relationshipKeyPathsForPrefetching: [String]?
    /// The properties to fetch: descriptions or names.
    open var propertiesToFetch: [Any]?
    /// The properties to group dictionaries by: descriptions or names.
    open var propertiesToGroupBy: [Any]?
    /// The condition that groups satisfy.
    open var havingPredicate: NSPredicate?
    /// Whether objects that the context has already are refreshed. False by default.
    open var shouldRefreshRefetchedObjects = false
    /// `fetchRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// A request with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copied = super.copy(with: zone)
        guard let copy = copied as? NSFetchRequest<ResultType> else { return copied }
        copy.storedEntity = storedEntity
        copy.storedEntityName = storedEntityName
        copy.predicate = predicate
        copy.sortDescriptors = sortDescriptors
        copy.fetchLimit = fetchLimit
        copy.fetchOffset = fetchOffset
        copy.fetchBatchSize = fetchBatchSize
        copy.resultType = resultType
        copy.includesSubentities = includesSubentities
        copy.includesPropertyValues = includesPropertyValues
        copy.includesPendingChanges = includesPendingChanges
        copy.returnsObjectsAsFaults = returnsObjectsAsFaults
        copy.returnsDistinctResults = returnsDistinctResults
        copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        copy.propertiesToFetch = propertiesToFetch
        copy.propertiesToGroupBy = propertiesToGroupBy
        copy.havingPredicate = havingPredicate
        copy.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        return copy
    }
}
