import CoreData

extension NSPersistentStoreCoordinator {
    /// The items in the stores: `name|number`, sorted.
    package func items() throws -> [String] {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        return try context.inside { try context.items() }
    }
}

extension NSManagedObjectContext {
    /// The items that the context shows: `name|number`, sorted.
    package func items() throws -> [String] {
        try fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).map { item in
            let number = (item.value(forKey: "number") as? NSNumber)?.int64Value ?? -1
            return "\(item.value(forKey: "name") as? String ?? "")|\(number)"
        }
        .sorted()
    }

    /// Deletes items.
    package func deleteItems(where predicate: NSPredicate) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = predicate
        for item in try fetch(request) { delete(item) }
    }

    /// The item of a name.
    ///
    /// - Throws: An error if there is none.
    package func item(_ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "name == %@", name)
        guard let found = try fetch(request).first else { throw NoItem(name: name) }
        return found
    }
}

/// Tells that a test asked for an item that is not there.
private struct NoItem: Error {
    let name: String
}
