/// Initializers of coordinators, containers and contexts whose class is known at run time only, as in `Self(managedObjectModel: model)` of an extension; see ``DynamicallyCreated``.
///
/// The last group of functions are the allocating entries of the convenience initializers beside
/// them, which make an object of the class that they are called on.

extension NSPersistentStoreCoordinator: DynamicallyCreated {
    convenience init(creating model: NSManagedObjectModel) { self.init(managedObjectModel: model) }

    // The mangled name of the initializer above: if that changes, the program does not link.
    @_silgen_name(
        "$s8CoreData28NSPersistentStoreCoordinatorC8creatingAcA20NSManagedObjectModelC_tcfC"
    )
    fileprivate static func allocate(
        _ model: __owned NSManagedObjectModel
    ) -> NSPersistentStoreCoordinator
}

extension DynamicallyCreated where Self: NSPersistentStoreCoordinator {
    /// Makes a coordinator without stores.
    @_silgen_name("_coreData_createCoordinator")
    public init(managedObjectModel model: NSManagedObjectModel)

    @_silgen_name("_coreData_createCoordinator")
    static func create(managedObjectModel model: __owned NSManagedObjectModel) -> Self {
        dynamicallyCreated((self as NSPersistentStoreCoordinator.Type).allocate(model))
    }
}

extension NSPersistentContainer: DynamicallyCreated {
    convenience init(creating name: String, of model: NSManagedObjectModel) {
        self.init(name: name, managedObjectModel: model)
    }

    @_silgen_name(
        "$s8CoreData21NSPersistentContainerC8creating2ofACSS_AA20NSManagedObjectModelCtcfC"
    )
    fileprivate static func allocate(
        _ name: __owned String,
        _ model: __owned NSManagedObjectModel
    ) -> NSPersistentContainer
}

extension DynamicallyCreated where Self: NSPersistentContainer {
    /// Makes a container without stores.
    @_silgen_name("_coreData_createContainer")
    public init(name: String, managedObjectModel model: NSManagedObjectModel)

    @_silgen_name("_coreData_createContainer")
    static func create(
        name: __owned String,
        managedObjectModel model: __owned NSManagedObjectModel
    ) -> Self {
        dynamicallyCreated((self as NSPersistentContainer.Type).allocate(name, model))
    }
}

extension NSManagedObjectContext: DynamicallyCreated {
    convenience init(creating type: NSManagedObjectContextConcurrencyType) {
        self.init(concurrencyType: type)
    }

    @_silgen_name(
        "$s8CoreData22NSManagedObjectContextC8creatingAcA0cdE15ConcurrencyTypeO_tcfC"
    )
    fileprivate static func allocate(
        _ type: NSManagedObjectContextConcurrencyType
    ) -> NSManagedObjectContext
}

extension DynamicallyCreated where Self: NSManagedObjectContext {
    /// Makes a context without parent and coordinator.
    @_silgen_name("_coreData_createContext")
    public init(concurrencyType type: NSManagedObjectContextConcurrencyType)

    @_silgen_name("_coreData_createContext")
    static func create(concurrencyType type: NSManagedObjectContextConcurrencyType) -> Self {
        dynamicallyCreated((self as NSManagedObjectContext.Type).allocate(type))
    }
}

extension DynamicallyCreated {
    /// What the class has made, as one of it.
    static func dynamicallyCreated<Object: AnyObject>(_ object: Object) -> Self {
        guard let object = object as? Self else {
            fatalError("\(type(of: object)) is not a \(self).")
        }
        return object
    }
}
