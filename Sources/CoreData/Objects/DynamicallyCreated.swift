/// What `T(context:)` is declared on, where `T` is known at run time only: a generic parameter,
/// `Self`, or a value of type `NSManagedObject.Type`.
///
/// Swift takes initializers of classes there only if they are `required`, except for those of
/// Objective-C; and subclasses override `init(entity:insertInto:)` without saying so. It also takes
/// those of protocol extensions. These two are no more than the symbols of the functions below,
/// which have the class as `self`, whatever the compiler knows of it.
public protocol DynamicallyCreated {}

extension NSManagedObject: DynamicallyCreated {}

extension DynamicallyCreated where Self: NSManagedObject {
    /// Makes an object of the class's entity and inserts it into a context.
    @_silgen_name("_coreData_createInContext")
    public init(context moc: NSManagedObjectContext)

    /// Makes an object and inserts it into a context.
    ///
    /// - Parameters:
    ///   - entity: The object's entity; it must be in the model of the context's coordinator.
    ///   - context: The context; nil for an object that is inserted later, or never.
    @_silgen_name("_coreData_createOfEntity")
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?)

    // Initializers own their arguments.

    @_silgen_name("_coreData_createInContext")
    static func create(context: __owned NSManagedObjectContext) -> Self {
        create(entity: context.entity(for: self), insertInto: context)
    }

    @_silgen_name("_coreData_createOfEntity")
    static func create(
        entity: __owned NSEntityDescription,
        insertInto context: __owned NSManagedObjectContext?
    ) -> Self {
        let object = (self as NSManagedObject.Type).allocate(entity: entity, context: context)
        guard let object = object as? Self else {
            fatalError("\(type(of: object)) is not a \(self).")
        }
        return object
    }
}

extension NSManagedObject {
    /// What `allocate(entity:context:)` calls with the dynamic class.
    convenience init(creating entity: NSEntityDescription, in context: NSManagedObjectContext?) {
        self.init(entity: entity, insertInto: context)
    }

    /// The allocating entry of `init(creating:in:)`; see `allocate(materializing:)`.
    @_silgen_name(
        "$s8CoreData15NSManagedObjectC8creating2inAcA19NSEntityDescriptionC_AA0cD7ContextCSgtcfC"
    )
    fileprivate static func allocate(
        entity: __owned NSEntityDescription,
        context: __owned NSManagedObjectContext?
    ) -> NSManagedObject
}
