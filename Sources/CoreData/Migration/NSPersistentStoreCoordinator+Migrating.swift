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
        ofType storeType: String,
        at url: URL,
        entities: [EntityLayout],
        options: [AnyHashable: Any]?
    ) throws {
        let staged =
            options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
        guard options.isOn(NSMigratePersistentStoresAutomaticallyOption) || staged != nil,
            storeClass.isFile,
            !options.isOn(NSReadOnlyPersistentStoreOption),
            !options.isOn(NSIgnorePersistentStoreVersioningOption)
        else { return }
        // A process may have been killed when the new store was in its place: then no migration comes
        // after it that would remove what is left.
        InterimStore.removeLeftovers(beside: url)
        let inPlace = storeClass.migrating
        // First: what a crash has left half done would be taken for the store.
        try inPlace?.recover(at: url, options: options)
        // A file without a store in it is set up as a missing one is.
        guard try !storeClass.isVacant(at: url) else { return }
        let destination = StoreVersion(layout: modelLayout, entities: entities)
        let metadata = try storeClass.metadataForPersistentStore(with: url)
        // A store that migrates in place looks at its tables where hashes can't tell, as for
        // entities with derived attributes.
        let isCompatible =
            try inPlace?.isCompatible(at: url, options: options, with: destination)
            ?? ModelVersion.differing(metadata, from: entities).isEmpty
        if isCompatible { return }
        if let staged, let inPlace {
            return try StagedMigration(
                storeClass: inPlace,
                manager: staged,
                url: url,
                options: options,
                destination: managedObjectModel
            ).run()
        }
        guard let hashes = ModelVersion.hashes(inMetadata: metadata) else { return }
        guard
            let found = try SourceModels.model(
                forStoreMetadata: metadata,
                at: url,
                destination: managedObjectModel
            )
        else { throw CocoaError.missingSourceModel(url, metadata: metadata) }
        try StoreMigrator(
            storeClass: storeClass,
            storeType: storeType,
            url: url,
            options: options,
            source: StoreVersion(found, entityNames: Set(hashes.keys)),
            destination: destination,
            models: (found, managedObjectModel)
        ).run(infers: options.isOn(NSInferMappingModelAutomaticallyOption))
    }
}
