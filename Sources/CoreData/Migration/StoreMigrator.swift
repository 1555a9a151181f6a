import Foundation

/// Migrates one store's file in place: by a mapping model if there is one, else as inferred.
struct StoreMigrator {
    let storeClass: any RowStore.Type
    let storeType: String
    let url: URL
    let options: [AnyHashable: Any]?
    let source: StoreVersion
    let destination: StoreVersion
    let models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)

    /// - Parameters:
    ///   - mapping: The mapping model; nil to look for one in bundles.
    ///   - infers: Whether a mapping may be inferred.
    /// - Throws: 134140 if there is no mapping, and what the migration throws. The file is as it
    ///   was then.
    func run(mapping: NSMappingModel? = nil, infers: Bool) throws {
        // A mapping model goes before an inferred one, also if inferring is asked for: it may say
        // what no model tells.
        if let mapping = try mapping ?? foundMapping() { return try run(mapping) }
        guard infers else { throw missingMapping() }
        // Among the entities of this store only: those of other configurations are in other files.
        let match = ModelMatch(
            source: source.entities.map(\.entity),
            destination: destination.entities.map(\.entity)
        )
        let problems = InferenceProblem.all(in: match)
        guard problems.isEmpty else {
            throw missingMapping(CocoaError.inferredMapping(problems))
        }
        guard let inPlace = storeClass.migrating else {
            let mapping = NSMappingModel()
            mapping.entityMappings = InferredMapping.entityMappings(match)
            return try run(mapping)
        }
        try inPlace.migrate(at: url, options: options, from: source, to: destination)
    }

    /// The mapping model beside the models' files or in bundles.
    ///
    /// - Throws: What keeps a mapping model from being read now. Without it a mapping would be
    ///   inferred, which may say something else.
    func foundMapping() throws -> NSMappingModel? {
        let bundles = Bundle.allBundles + Bundle.allFrameworks
        let folders =
            [models.source, models.destination].compactMap(\.fileURL)
            .map { file in
                let folder = file.deletingLastPathComponent()
                // The folder of the versions is inside of the one where resources stand.
                let isVersion = ["momd", "xcdatamodeld"].contains(folder.pathExtension)
                return isVersion ? folder.deletingLastPathComponent() : folder
            } + ModelLookup.resourceFolders(of: bundles)
        let mappings = try MappingModelFile.entityMappings(
            in: folders,
            from: ModelVersion.hashes(of: source.entities.map(\.entity)),
            to: ModelVersion.hashes(of: destination.entities.map(\.entity))
        )
        guard let mappings else { return nil }
        let model = NSMappingModel()
        model.entityMappings = mappings
        return model
    }

    private func missingMapping(_ cause: (any Error)? = nil) -> CocoaError {
        CocoaError.missingMappingModel(
            url,
            source: models.source,
            destination: models.destination,
            underlying: cause
        )
    }

    // MARK: By a mapping model

    /// Makes the new store beside the old one, and then puts its content into the old one's file.
    private func run(_ mapping: NSMappingModel) throws {
        let interim = InterimStore(beside: url, for: .migrating)
        // What killed processes have left would stay for ever, and may be as large as the store.
        try interim.removeLeftovers()
        do {
            let managerClass = storeClass.migrationManagerClass() as? NSMigrationManager.Type
            let manager = (managerClass ?? NSMigrationManager.self).init(
                sourceModel: models.source,
                destinationModel: models.destination
            )
            manager.sourceEntityNames = Set(source.entities.map(\.name))
            manager.destinationEntityNames = Set(destination.entities.map(\.name))
            // What the options say of the store is meant for the new one.
            let readOnly = [NSReadOnlyPersistentStoreOption: true]
            try manager.migrateStore(
                from: url,
                sourceType: storeType,
                options: (options ?? [:]).merging(readOnly) { $1 },
                with: mapping,
                toDestinationURL: interim.url,
                destinationType: storeType,
                destinationOptions: options
            )
            // The old file is not touched until the new one is complete, its metadata included.
            try keepMetadata(interim.url)
            try replaceContents(with: interim.url)
        } catch {
            do {
                try storeClass.removeStore(at: interim.url)
            } catch {
                // The next migration removes it.
            }
            throw error
        }
        try storeClass.removeStore(at: interim.url)
    }

    private func replaceContents(with new: URL) throws {
        if let inPlace = storeClass.migrating {
            try inPlace.replaceContents(at: url, options: options, with: new)
        } else {
            try storeClass.replaceStore(at: url, withStoreAt: new) {}
        }
    }

    /// The new store has an identifier of its own, since its objects have other IDs; what the
    /// client put into the metadata goes over.
    private func keepMetadata(_ new: URL) throws {
        // These keys speak of the old store's version and format; over the new ones they would be
        // false.
        let own = try storeClass.metadataForPersistentStore(with: url).filter { key, _ in
            !key.hasPrefix("NSStore") && !key.hasPrefix("NSPersistence") && !key.hasPrefix("_NS")
        }
        guard !own.isEmpty else { return }
        let metadata = try storeClass.metadataForPersistentStore(with: new)
        try storeClass.setMetadata(
            metadata.merging(own) { $1 },
            forPersistentStoreAt: new
        )
    }
}

extension StoreVersion {
    /// The entities of those names, or all.
    init(_ model: NSManagedObjectModel, entityNames: Set<String>?) {
        let layout = model.layout
        self.init(
            layout: layout,
            entities: layout.entities.filter { entityNames?.contains($0.name) != false }
        )
    }
}

extension StoreMigrator {
    /// Migrates an SQLite store that holds all entities of a model.
    init(
        _ storeClass: any MigratingStore.Type,
        _ url: URL,
        _ options: [AnyHashable: Any]? = nil,
        from source: NSManagedObjectModel,
        to destination: NSManagedObjectModel
    ) {
        self.init(
            storeClass: storeClass,
            storeType: NSSQLiteStoreType,
            url: url,
            options: options,
            source: StoreVersion(source, entityNames: nil),
            destination: StoreVersion(destination, entityNames: nil),
            models: (source, destination)
        )
    }
}
