import CoreData

/// What a migration of a store would drop without replacement.
///
/// Core Data infers from an entity that is missing in the new model that its objects are to go, and
/// so a store of quite another model, opened by mistake, loses everything. A stack asks first.
struct DroppedEntities {
    /// The entities that nothing in the new model replaces, by name, with the number of their
    /// objects; nil where the store's own model is not found.
    let counts: [(name: String, count: Int?)]
    /// Whether the new model has none of the store's entities.
    let areAll: Bool

    /// Looks into a store that is about to be added.
    ///
    /// - Returns: nil if nothing is dropped, or nothing is migrated; also if a mapping model of the
    ///   program's says what becomes of the objects.
    /// - Throws: What reading the store throws.
    init?(_ store: NSPersistentStoreDescription, migratingTo model: NSManagedObjectModel) throws {
        guard let url = store.url, url.isFileURL, store.type != NSInMemoryStoreType,
            !store.isReadOnly, FileManager.default.fileExists(atPath: url.path)
        else { return nil }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: store.type,
            at: url,
            options: store.options
        )
        guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Any],
            !model.isConfiguration(
                withName: store.configuration,
                compatibleWithStoreMetadata: metadata
            )
        else { return nil }
        let bundles = Bundle.allBundles + Bundle.allFrameworks
        let source = Self.model(ofStoreWith: metadata, at: url, among: bundles)
        if let source,
            NSMappingModel(from: bundles, forSourceModel: source, destinationModel: model) != nil
        {
            return nil
        }
        let names = hashes.keys.filter {
            !Self.isReplaced($0, source?.entitiesByName[$0]?.renamingIdentifier, in: model)
        }.sorted()
        guard !names.isEmpty else { return nil }
        areAll = names.count == hashes.count
        guard let source else {
            counts = names.map { (name: $0, count: Int?.none) }
            return
        }
        counts = try Self.counts(names, in: store, at: url, of: source)
    }

    /// Whether there is something to lose.
    var isLoss: Bool { areAll || counts.contains { ($0.count ?? 0) > 0 } }

    /// An entity is the same under one name, or where a renaming identifier leads to it.
    private static func isReplaced(
        _ name: String,
        _ identifier: String?,
        in model: NSManagedObjectModel
    ) -> Bool {
        let names = Set([name, identifier].compactMap(\.self))
        return model.entities.contains { entity in
            !names.isDisjoint(with: [entity.name, entity.renamingIdentifier].compactMap(\.self))
        }
    }

    // MARK: The store's own model

    private static func model(
        ofStoreWith metadata: [String: Any],
        at url: URL,
        among bundles: [Bundle]
    ) -> NSManagedObjectModel? {
        if let model = NSManagedObjectModel.mergedModel(from: bundles, forStoreMetadata: metadata) {
            return model
        }
        #if canImport(Darwin)
        // Apple's framework offers the model that a store keeps in its latest versions only.
        return nil
        #else
        do {
            return try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        } catch {
            // Old stores keep none; the migration says so if it finds none elsewhere.
            return nil
        }
        #endif
    }

    private static func counts(
        _ names: [String],
        in store: NSPersistentStoreDescription,
        at url: URL,
        of model: NSManagedObjectModel
    ) throws -> [(name: String, count: Int?)] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(
            ofType: store.type,
            // The description's configuration is one of the new model, which the store's own need
            // not have.
            configurationName: nil,
            at: url,
            // The store may be refused after this look, and the error promises that it is as it
            // was.
            options: [NSReadOnlyPersistentStoreOption: true]
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let counts = try context.inside {
            try names.map { name -> (name: String, count: Int?) in
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                // Objects of a sub-entity are counted under its own name, which the new model may
                // still have.
                request.includesSubentities = false
                return (name, try context.count(for: request))
            }
        }
        try coordinator.remove(opened)
        return counts
    }
}

/// What the stacks ask of a description beside Apple's options.
extension NSPersistentStoreDescription {
    /// The key that the option has in the description; Core Data does not see it.
    static let droppingOptionKey = "MergeStackAllowsDroppingEntities"

    /// Whether a stack may migrate the store although the new model drops entities, and their
    /// objects with them.
    ///
    /// False by default: a stack throws ``MergeStackError/Code/entitiesDropped`` in place of a
    /// migration that would drop all entities of a store, or an entity that has objects. It is for
    /// the stacks' initializers; `NSPersistentContainer` drops them, as Core Data does.
    public var allowsDroppingEntities: Bool {
        get { (options[Self.droppingOptionKey] as? NSNumber)?.boolValue == true }
        set {
            setOption(newValue ? NSNumber(value: true) : nil, forKey: Self.droppingOptionKey)
        }
    }
}
