import Foundation

/// Migrates a store, object by object, by a mapping model.
///
/// The source is only read. Calling `migrateStore` again with another mapping model for the same
/// stores adds to the destination: mapping models for parts of a large store can be carried out
/// one after the other, and see what the ones before have made.
///
/// > Threading: Migrate on one thread. Cancel, and read the progress, on any.
open class NSMigrationManager: NSObject, @unchecked Sendable {
    // @unchecked: `state` is behind its lock; the rest belongs to the thread that migrates.

    private struct State {
        var cancellation: (any Error)?
        var fraction: Float = 0
    }
    private let state = Locked(State())
    let progressObservers = ObserverList()
    private let associations = MigrationAssociations()
    var run: MigrationRun?
    /// The entities that the source holds, where that is a store of one configuration; nil for all.
    var sourceEntityNames: Set<String>?
    /// The entities that the destination is to hold; nil for all.
    var destinationEntityNames: Set<String>?

    /// The model of the source.
    open private(set) var sourceModel: NSManagedObjectModel
    /// The model of the destination.
    open private(set) var destinationModel: NSManagedObjectModel
    /// The context that reads the source.
    open private(set) var sourceContext: NSManagedObjectContext
    /// The context that writes the destination.
    open private(set) var destinationContext: NSManagedObjectContext
    /// Whether a store may migrate itself, by SQL, where the mapping allows it. Kept, without
    /// effect: a manager goes object by object, and a migration by options goes by SQL.
    open var usesStoreSpecificMigrationManager = true
    /// Values that the client attaches to the manager, for its policies.
    open var userInfo: [AnyHashable: Any]?
    /// See `progress`.
    let ownProgress = Progress(totalUnitCount: 1_000)

    /// Makes a manager for stores of two models.
    public init(
        sourceModel: NSManagedObjectModel,
        destinationModel: NSManagedObjectModel
    ) {
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        sourceContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        destinationContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        // Apple: the class of all entities is changed to NSManagedObject. The program's classes are those of
        // its present model, and what they do belongs to no migration.
        sourceContext.ignoresEntityClasses = true
        destinationContext.ignoresEntityClasses = true
        super.init()
    }

    // MARK: Migrating

    /// Makes objects of a store into objects of another one.
    ///
    /// The destination is written in one save at the end, and is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - sourceURL: The source, which is only read.
    ///   - sStoreType: Its type.
    ///   - sOptions: Its options.
    ///   - mappings: What becomes of what.
    ///   - dURL: The destination; it is made if there is none, and added to otherwise.
    ///   - dStoreType: Its type.
    ///   - dOptions: Its options.
    /// - Throws: The error of `cancelMigrationWithError(_:)`; 134120 if the progress was cancelled;
    ///   134140 without a mapping model; 134150 and 134160 for a store that can't be opened; 134170
    ///   for a mapping that can't be carried out; what policies and the save throw. A destination
    ///   that this has made is removed then.
    open func migrateStore(
        from sourceURL: URL,
        sourceType sStoreType: String,
        options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?,
        toDestinationURL dURL: URL,
        destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        guard let mappings else {
            throw CocoaError.missingMappingModel(
                sourceURL,
                source: sourceModel,
                destination: destinationModel
            )
        }
        // A manager may migrate again: the progress is that of the pass under way.
        state.withLock { $0.fraction = 0 }
        let stores = MigrationStores(
            source: .init(url: sourceURL, type: sStoreType, options: sOptions),
            destination: .init(url: dURL, type: dStoreType, options: dOptions)
        )
        try stores.open(for: self)
        do {
            let run = MigrationRun(self, mappings, sourceURL)
            self.run = run
            defer { self.run = nil }
            // Both queues are held throughout, for policies use the objects of both contexts.
            try sourceContext.basePerformAndWait {
                try destinationContext.basePerformAndWait { try run.perform() }
            }
            associations.endPass()
            try stores.close(for: self, isDone: true)
        } catch {
            // What a failed pass has made is not for later ones to find.
            associations.dropPass()
            try stores.close(for: self, isDone: false)
            throw error
        }
    }

    /// Makes objects of a store into objects of another one; see
    /// `migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)`.
    public func migrateStore(
        from sourceURL: URL,
        type sourceType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel,
        to destinationURL: URL,
        type destinationType: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL,
            sourceType: sourceType.rawValue,
            options: sourceOptions,
            with: mapping,
            toDestinationURL: destinationURL,
            destinationType: destinationType.rawValue,
            destinationOptions: destinationOptions
        )
    }

    /// Forgets which objects became which, of earlier passes too.
    open func reset() { associations.reset() }

    // MARK: Progress

    /// How much is done, from 0 to 1.
    open var migrationProgress: Float { state.withLock { $0.fraction } }

    /// Ends the migration under way, which throws the error and leaves no destination.
    open func cancelMigrationWithError(_ error: any Error) {
        state.withLock { $0.cancellation = error }
    }

    /// Throws if the migration was cancelled.
    func checkCancellation(_ url: URL) throws {
        // Taken and not only read: the manager may migrate again afterwards.
        let error = state.withLock { state in
            defer { state.cancellation = nil }
            return state.cancellation
        }
        if let error { throw error }
        if ownProgress.isCancelled { throw CocoaError.migrationCancelled(url, underlying: nil) }
    }

    func report(_ fraction: Float) {
        progressObservers.telling { state.withLock { $0.fraction = fraction } }
        ownProgress.completedUnitCount = Int64(fraction * 1_000)
    }

    // MARK: Mappings

    /// The mapping model of the migration under way.
    ///
    /// - Precondition: A migration is under way.
    open var mappingModel: NSMappingModel { currentRun.mappings }

    /// The entity mapping that is carried out.
    ///
    /// - Precondition: A migration is under way.
    open var currentEntityMapping: NSEntityMapping { currentRun.current }

    private var currentRun: MigrationRun {
        guard let run else {
            fatalError("No migration is under way: ask the manager from a policy.")
        }
        return run
    }

    /// The source's entity of a mapping.
    @discardableResult
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The destination's entity of a mapping.
    @discardableResult
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    // MARK: Associations

    /// Notes that an object was made of another one.
    open func associate(
        sourceInstance: NSManagedObject,
        withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        associations.associate(sourceInstance, destinationInstance, entityMapping.name ?? "")
    }

    /// The objects that a mapping has made of some objects; of all for nil.
    @discardableResult
    open func destinationInstances(
        forEntityMappingName mappingName: String,
        sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        guard let sourceInstances else {
            return associations.destinations(mappingName, in: destinationContext)
        }
        return sourceInstances.flatMap {
            associations.destinations(of: $0, mappingName, in: destinationContext)
        }
    }

    /// The objects that a mapping has made some objects of; all for nil.
    @discardableResult
    open func sourceInstances(
        forEntityMappingName mappingName: String,
        destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        guard let destinationInstances else {
            return associations.sources(mappingName, in: sourceContext)
        }
        return destinationInstances.flatMap {
            associations.sources(of: $0, mappingName, in: sourceContext)
        }
    }

    /// The objects that any mapping has made of some objects.
    func destinationInstances(ofAnyMappingFor objects: [NSManagedObject]) -> [NSManagedObject] {
        let names = currentRun.mappings.entityMappings.compactMap(\.name)
        return objects.flatMap { object in
            names.flatMap { associations.destinations(of: object, $0, in: destinationContext) }
        }
    }

    /// The objects that a mapping has made in this pass.
    func made(_ mapping: NSEntityMapping) -> [NSManagedObject] {
        associations.made(mapping.name ?? "")
    }
}
