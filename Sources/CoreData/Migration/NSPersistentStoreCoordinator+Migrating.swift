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
                at: url,
                destination: managedObjectModel
            )
        else { throw CocoaError.missingSourceModel(url, metadata: metadata) }
        try StoreMigrator(
            url: url,
            options: options,
            source: StoreVersion(found, entityNames: hashes.map { Set($0.keys) }),
            destination: StoreVersion(layout: modelLayout, entities: entities),
            models: (found, managedObjectModel)
        ).run(infers: flag(NSInferMappingModelAutomaticallyOption))
    }
}
