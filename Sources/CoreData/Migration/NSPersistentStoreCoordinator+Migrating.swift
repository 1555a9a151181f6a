import Foundation

extension NSPersistentStoreCoordinator {
    /// Migrates the file of a store that is about to be added, if it is of another version of the
    /// model and the options ask for it.
    ///
    /// A staged migration, if there is one among the options, takes the place of the others.
    ///
    /// - Throws: 134130 if the model of the store is not found, 134140 if there is no mapping, and
    ///   what the migration throws. The file is as it was then.
    func migrateIfNeeded(
        _ storeClass: any RowStore.Type,
        at url: URL,
        entities: [EntityLayout],
        options: [AnyHashable: Any]?
    ) throws {
        let staged =
            options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
        guard options.isOn(NSMigratePersistentStoresAutomaticallyOption) || staged != nil,
            storeClass == SQLiteStore.self,
            !options.isOn(NSReadOnlyPersistentStoreOption),
            !options.isOn(NSIgnorePersistentStoreVersioningOption),
            try StoreFile(url).exists
        else { return }
        let destination = StoreVersion(layout: modelLayout, entities: entities)
        guard try !SQLiteStore.isCompatible(at: url, options: options, with: destination) else {
            return
        }
        if let staged {
            return try StagedMigration(
                manager: staged,
                url: url,
                options: options,
                destination: managedObjectModel
            ).run()
        }
        let metadata = try storeClass.metadataForPersistentStore(with: url)
        let hashes = ModelVersion.hashes(inMetadata: metadata)
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
            destination: destination,
            models: (found, managedObjectModel)
        ).run(infers: options.isOn(NSInferMappingModelAutomaticallyOption))
    }
}
