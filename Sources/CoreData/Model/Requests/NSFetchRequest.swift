import Foundation

/// Asks a context for objects of an entity.
///
/// > Threading: Use one request on one thread at a time.
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest,
    NSSecureCoding
{
    private var storedEntity: NSEntityDescription?
    private var storedEntityName: String?
    /// Whether the request was made as one of any result type, which its class no longer tells.
    private(set) var promisesAnyResult = false

    /// Makes a request without an entity; set ``entity`` before it is executed.
    public required init() {
        super.init()
        RequestClasses.link(ResultType.self)
    }

    /// Makes a request for an entity by name, looked up when the request is executed.
    public convenience init(entityName: String) {
        self.init()
        storedEntityName = entityName
        // A request of another type says itself what its results are.
        guard ResultType.self == (any NSFetchRequestResult).self,
            let objectClass = ModelsInUse.objectClass(ofEntityNamed: entityName)
        else { return }
        promisesAnyResult = RequestClasses.specialize(self, for: objectClass)
    }

    /// Makes a request for an entity by name, whose objects are of a class.
    convenience init(entityName: String, of objectClass: any RequestedClass.Type) {
        self.init()
        storedEntityName = entityName
        promisesAnyResult = RequestClasses.specialize(self, for: objectClass)
    }

    // MARK: Archives, see RequestCoding

    /// True: an archive holds plain values.
    open class var supportsSecureCoding: Bool { ArchivedFetchRequest.isNamed }

    /// Reads a request from an archive; nil, with the coder's error set, if it holds something else.
    ///
    /// It knows its entity by name.
    public required init?(coder: NSCoder) {
        super.init()
        guard let fields = DescriptionFields.read(from: coder) else { return nil }
        RequestClasses.link(ResultType.self)
        storedEntityName = fields.text("entity")
        take(fields)
        guard let objectClass = storedEntityName.flatMap(ModelsInUse.objectClass(ofEntityNamed:))
        else { return }
        promisesAnyResult = RequestClasses.specialize(self, for: objectClass)
    }

    /// Writes the request to an archive; its entity by name.
    ///
    /// - Precondition: Its predicates and sort descriptors hold no blocks.
    open func encode(with coder: NSCoder) {
        archivedFields.write(of: "the fetch request for \(entityName ?? "")", to: coder)
    }

    /// A class with a name: those with parameters have none in archives of Foundation's.
    open override var classForKeyedArchiver: AnyClass? {
        ArchivedFetchRequest.isNamed ? ArchivedFetchRequest.self : nil
    }

    // MARK: Settings

    /// The entity whose objects are asked for; nil until a request made by name is executed.
    open var entity: NSEntityDescription? {
        get { storedEntity }
        set {
            storedEntity = newValue
            // Without an entity the name stays, by which the next execution finds one.
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
    /// The properties to fetch: descriptions or names. Of names that the request's entity has, the
    /// descriptions are given back.
    open var propertiesToFetch: [Any]? {
        get { givenPropertiesToFetch?.map(described) }
        set { givenPropertiesToFetch = newValue }
    }
    private var givenPropertiesToFetch: [Any]?
    /// The properties to group dictionaries by: descriptions or names, as `propertiesToFetch`.
    open var propertiesToGroupBy: [Any]? {
        get { givenPropertiesToGroupBy?.map(described) }
        set { givenPropertiesToGroupBy = newValue }
    }
    private var givenPropertiesToGroupBy: [Any]?
    /// The condition that groups satisfy.
    open var havingPredicate: NSPredicate?
    /// Whether objects that the context has already are refreshed. False by default.
    open var shouldRefreshRefetchedObjects = false
    /// `fetchRequestType`.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    private func described(_ property: Any) -> Any {
        guard let name = property as? String else { return property }
        return storedEntity?.propertiesByName[name] ?? property
    }

    /// Executes the request in the context whose `perform` block is running on this thread.
    ///
    /// - Throws: `NSCoreDataError` outside of such a block; as `NSManagedObjectContext.fetch(_:)`.
    @discardableResult
    open func execute() throws -> [ResultType] { try executeInCurrentContext() }

    /// A request with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copied = super.copy(with: zone)
        guard let copy = copied as? NSFetchRequest<ResultType> else { return copied }
        copy.storedEntity = storedEntity
        copy.storedEntityName = storedEntityName
        copy.promisesAnyResult = promisesAnyResult
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
