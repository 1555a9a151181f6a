import CoreData

extension NSPersistentStoreCoordinator {
    /// Makes a coordinator and adds stores, with lightweight migration unless a description says
    /// otherwise.
    ///
    /// The stores are added before it returns, whatever `shouldAddStoreAsynchronously` says.
    ///
    /// - Throws: What adding a store throws; ``MergeStackError`` with code `noMapping` if its model
    ///   is another one and no mapping from it can be inferred, with `entitiesDropped` if objects
    ///   would be lost and the description does not allow it.
    convenience init(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription]
    ) throws {
        self.init(managedObjectModel: model)
        for store in stores { try add(store) }
    }

    private func add(_ store: NSPersistentStoreDescription) throws {
        var options: [String: NSObject] = [
            NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
            NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
        ]
        options.merge(store.options) { _, said in said }
        options[NSPersistentStoreDescription.droppingOptionKey] = nil
        let isMigrating =
            options[NSMigratePersistentStoresAutomaticallyOption] == NSNumber(value: true)
        if isMigrating, !store.allowsDroppingEntities { try checkDropping(store) }
        do {
            _ = try addPersistentStore(
                ofType: store.type,
                configurationName: store.configuration,
                at: store.url,
                options: options
            )
        } catch let error as NSError {
            guard isMigrating, error.isOfMissingMapping else { throw error }
            throw MergeStackError(
                .noMapping,
                "The store \(store.url?.lastPathComponent ?? "") was made with another model, and "
                    + "no mapping from that can be inferred: give what was renamed a renaming "
                    + "identifier, or add the earlier model and a mapping model to the program. "
                    + "The store is as it was. \(error.localizedDescription)",
                underlyingError: error
            )
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// - Throws: ``MergeStackError`` with code `entitiesDropped` if a migration of the store would
    ///   lose objects.
    private func checkDropping(_ store: NSPersistentStoreDescription) throws {
        let found: DroppedEntities?
        do {
            found = try DroppedEntities(store, migratingTo: managedObjectModel)
        } catch {
            // A store that can't be read can't be added either; adding it throws the reason.
            return
        }
        guard let found, found.isLoss else { return }
        let names = found.counts.map { entity in
            entity.name + (entity.count.map { " (\($0) objects)" } ?? "")
        }
        throw MergeStackError(
            .entitiesDropped,
            "The store \(store.url?.lastPathComponent ?? "") was made with another model, and its "
                + "migration would drop \(names.joined(separator: ", ")) without replacement. "
                + "Check that store and model belong together; give what was renamed a renaming "
                + "identifier, or add a mapping model to the program. If the objects are to go, "
                + "set allowsDroppingEntities of the store's description. The store is as it was."
        )
    }
}

extension NSError {
    /// Whether a store can't be migrated for want of a model or a mapping.
    fileprivate var isOfMissingMapping: Bool {
        let codes = [
            NSPersistentStoreIncompatibleVersionHashError, NSMigrationMissingSourceModelError,
            NSMigrationMissingMappingModelError, NSInferredMappingModelError,
        ]
        return domain == NSCocoaErrorDomain && codes.contains(code)
    }
}
