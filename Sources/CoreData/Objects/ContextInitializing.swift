/// Gives `NSManagedObject` the initializer that generic code and class objects can call, too:
/// `T(context:)`, `Self(context:)`, `type.init(context:)`.
///
/// Swift allows that for `required` initializers, which client classes would have to repeat, and
/// for those of protocols, as here.
public protocol ContextInitializing {}

extension NSManagedObject: ContextInitializing {}

extension ContextInitializing where Self: NSManagedObject {
    /// Makes an object of the class's entity and inserts it into a context.
    ///
    /// Its body is that of ``_make(context:)``, which is called alike, and which knows the dynamic
    /// class: `Dog(name:)` may be inherited from a class that calls this one.
    @_silgen_name("coredata_managed_object_init_context")
    public init(context moc: NSManagedObjectContext)

    /// What `init(context:)` does; not for clients.
    @_silgen_name("coredata_managed_object_init_context")
    public static func _make(context: __owned NSManagedObjectContext) -> Self {
        let object = allocate(inserting: context.entity(for: self), into: context)
        return unsafeDowncast(object, to: Self.self)
    }
}

extension NSManagedObject {
    /// The allocating entry of `init(inserting:into:)`; see `allocate(materializing:)`.
    @_silgen_name(
        "$s8CoreData15NSManagedObjectC9inserting4intoAcA19NSEntityDescriptionC_AA0cD7ContextCtcfC"
    )
    fileprivate static func allocate(
        inserting entity: __owned NSEntityDescription,
        into context: __owned NSManagedObjectContext
    ) -> NSManagedObject
}
