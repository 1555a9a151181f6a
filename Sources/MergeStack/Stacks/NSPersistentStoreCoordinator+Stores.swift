import CoreData

extension NSPersistentStoreCoordinator {
    /// Makes a coordinator and adds stores, with lightweight migration unless a description says
    /// otherwise.
    ///
    /// The stores are added before it returns, whatever `shouldAddStoreAsynchronously` says.
    ///
    /// - Throws: What adding a store throws; ``MergeStackError`` with code `noMapping` if its model
    ///   is another one and no mapping from it can be inferred.
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
        do {
            _ = try addPersistentStore(
                ofType: store.type,
                configurationName: store.configuration,
                at: store.url,
                options: options
            )
        } catch let error as NSError {
            let isMigrating =
                options[NSMigratePersistentStoresAutomaticallyOption] == NSNumber(value: true)
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
