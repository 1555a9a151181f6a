/// Migration managers whose class is known at run time only; see ``DynamicallyCreated``.
extension NSMigrationManager: DynamicallyCreated {
    convenience init(
        creating source: NSManagedObjectModel,
        to destination: NSManagedObjectModel
    ) {
        self.init(sourceModel: source, destinationModel: destination)
    }

    @_silgen_name(
        "$s8CoreData18NSMigrationManagerC8creating2toAcA20NSManagedObjectModelC_AGtcfC"
    )
    fileprivate static func allocate(
        _ source: __owned NSManagedObjectModel,
        _ destination: __owned NSManagedObjectModel
    ) -> NSMigrationManager
}

extension DynamicallyCreated where Self: NSMigrationManager {
    /// Makes a manager for stores of two models.
    @_silgen_name("_coreData_createMigrationManager")
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel)

    @_silgen_name("_coreData_createMigrationManager")
    static func create(
        sourceModel: __owned NSManagedObjectModel,
        destinationModel: __owned NSManagedObjectModel
    ) -> Self {
        dynamicallyCreated(
            (self as NSMigrationManager.Type).allocate(sourceModel, destinationModel)
        )
    }
}
