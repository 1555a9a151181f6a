import Foundation

/// The source and the destination of one pass of a migration manager.
struct MigrationStores {
    struct Place {
        let url: URL
        let type: String
        let options: [AnyHashable: Any]?
    }
    let source: Place
    let destination: Place
    private let isDestinationNew: Bool

    init(source: Place, destination: Place) {
        self.source = source
        self.destination = destination
        // Known only now: opening the store makes the file. A destination that was there before
        // must stay when the migration fails.
        isDestinationNew = !FileManager.default.fileExists(atPath: destination.url.path)
    }

    /// Puts both behind the manager's contexts.
    func open(for manager: NSMigrationManager) throws {
        let readOnly: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: true]
        manager.sourceContext.persistentStoreCoordinator = try coordinator(
            manager.sourceModel,
            source,
            // The source must be as it was if the migration fails, unless the client says that its
            // policies write to it.
            options: (source.options ?? [:]).merging(readOnly) { given, _ in given },
            entityNames: manager.sourceEntityNames,
            isSource: true
        )
        do {
            manager.destinationContext.persistentStoreCoordinator = try coordinator(
                manager.destinationModel,
                destination,
                options: destination.options,
                entityNames: manager.destinationEntityNames,
                isSource: false
            )
        } catch {
            try close(for: manager, isDone: false)
            throw error
        }
    }

    private func coordinator(
        _ model: NSManagedObjectModel,
        _ place: Place,
        options: [AnyHashable: Any]?,
        entityNames: Set<String>?,
        isSource: Bool
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options = options
        // The options may be those of a store that is being migrated because of this one: both
        // files are to be opened as they are.
        options?[NSMigratePersistentStoresAutomaticallyOption] = nil
        do {
            // By its entities and not by a configuration: the other version of the model may have
            // others under that name, or no such configuration.
            try coordinator.addStore(
                of: coordinator.modelLayout.entities.filter {
                    entityNames?.contains($0.name) != false
                },
                ofType: place.type,
                configurationName: nil,
                at: place.url,
                options: options
            )
        } catch {
            throw CocoaError.migrationStore(place.url, isSource: isSource, underlying: error)
        }
        return coordinator
    }

    /// Closes both, so that the files can be moved; removes a destination that came to nothing.
    func close(for manager: NSMigrationManager, isDone: Bool) throws {
        // Before the stores go, so that no object is left whose fault would look for its row.
        for context in [manager.sourceContext, manager.destinationContext] {
            context.basePerformAndWait { context.reset() }
            guard let coordinator = context.persistentStoreCoordinator else { continue }
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        if !isDone, isDestinationNew,
            let storeClass = try? StoreClasses.storeClass(destination.type),
            storeClass.isFile
        {
            try storeClass.removeStore(at: destination.url)
        }
    }
}
