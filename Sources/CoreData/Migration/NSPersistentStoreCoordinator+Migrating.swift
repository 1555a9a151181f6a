import Foundation

extension NSPersistentStoreCoordinator {
    /// Migrates the file of a store that is about to be added, if it is of another version of the
    /// model and the options ask for it.
    ///
    /// - Throws: 134130 if the model of the store is not found, 134140 if there is no mapping, and
    ///   what the migration throws. The file is as it was then.
    func migrateIfNeeded(
        _ kind: StoreKind,
        at url: URL,
        entities: [EntityLayout],
        options: [AnyHashable: Any]?
    ) throws {
        func flag(_ key: String) -> Bool { (options?[key] as? NSNumber)?.boolValue ?? false }
        guard flag(NSMigratePersistentStoresAutomaticallyOption), kind == .sqlite,
            !flag(NSReadOnlyPersistentStoreOption),
            !flag(NSIgnorePersistentStoreVersioningOption),
            try StoreFile(url).exists
        else { return }
        let metadata = try kind.metadata(at: url, options: options)
        let hashes = ModelVersion.hashes(inMetadata: metadata)
        guard hashes != ModelVersion.hashes(of: entities.map(\.entity)) else { return }
        guard
            let found = SourceModels.model(
                forStoreMetadata: metadata,
                destination: managedObjectModel
            )
        else { throw CocoaError.missingSourceModel(url, metadata: metadata) }
        let source = StoreVersion(found, entityNames: hashes.map { Set($0.keys) })
        try migrate(
            url,
            options,
            from: source,
            to: StoreVersion(layout: modelLayout, entities: entities),
            models: (found, managedObjectModel),
            infers: flag(NSInferMappingModelAutomaticallyOption)
        )
    }

    private func migrate(
        _ url: URL,
        _ options: [AnyHashable: Any]?,
        from source: StoreVersion,
        to destination: StoreVersion,
        models: (source: NSManagedObjectModel, destination: NSManagedObjectModel),
        infers: Bool
    ) throws {
        guard infers else {
            throw CocoaError.missingMappingModel(
                url,
                source: models.source,
                destination: models.destination
            )
        }
        let problems = InferenceProblem.all(
            in: ModelMatch(
                source: source.entities.map(\.entity),
                destination: destination.entities.map(\.entity)
            )
        )
        guard problems.isEmpty else {
            throw CocoaError.missingMappingModel(
                url,
                source: models.source,
                destination: models.destination,
                underlying: CocoaError.inferredMapping(problems)
            )
        }
        try SQLiteStore.migrate(at: url, options: options, from: source, to: destination)
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
