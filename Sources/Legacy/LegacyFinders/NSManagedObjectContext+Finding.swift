import CoreData
import MergeStack

/// Finding, counting, making and deleting objects of an entity, each in a single call.
///
/// The entity is found by the class, or by its name where several entities share the class:
/// `findAll(NSManagedObject.self, entity: "Item")`. Subentities are included.
///
/// > Threading: On the context's queue or thread.
extension NSManagedObjectContext {
    /// Fetches the first object of an entity that satisfies a predicate; nil if there is none.
    ///
    /// In place of MagicalRecord's `findFirst`, `findFirstByAttribute:withValue:`,
    /// `findFirstWithPredicate:sortedBy:ascending:`.
    ///
    /// - Parameters:
    ///   - type: The objects' class.
    ///   - name: The entity's name; nil to find the entity by the class.
    ///   - predicate: What the object must satisfy; nil for any.
    ///   - order: The sort order, which decides which object is the first.
    /// - Throws: `MergeStackError` with code `wrongEntity` if the model has no such entity or its
    ///   objects are of another class; what the fetch throws.
    public func findFirst<Object: NSManagedObject>(
        _ type: Object.Type,
        entity name: String? = nil,
        where predicate: NSPredicate? = nil,
        sortedBy order: [NSSortDescriptor] = []
    ) throws -> Object? {
        let request = try request(for: type, name, predicate, order)
        request.fetchLimit = 1
        return try objects(request, of: type).first
    }

    /// Fetches all objects of an entity that satisfy a predicate.
    ///
    /// In place of MagicalRecord's `findAll`, `findAllSortedBy:ascending:`,
    /// `findAllWithPredicate:`, `findByAttribute:withValue:`.
    ///
    /// - Parameters:
    ///   - type: The objects' class.
    ///   - name: The entity's name; nil to find the entity by the class.
    ///   - predicate: What the objects must satisfy; nil for all.
    ///   - order: The sort order; empty for no particular order.
    /// - Throws: `MergeStackError` with code `wrongEntity` if the model has no such entity or its
    ///   objects are of another class; what the fetch throws.
    public func findAll<Object: NSManagedObject>(
        _ type: Object.Type,
        entity name: String? = nil,
        where predicate: NSPredicate? = nil,
        sortedBy order: [NSSortDescriptor] = []
    ) throws -> [Object] {
        try objects(try request(for: type, name, predicate, order), of: type)
    }

    /// Counts the objects of an entity that satisfy a predicate.
    ///
    /// In place of MagicalRecord's `countOfEntities`, `countOfEntitiesWithPredicate:`,
    /// `hasAtLeastOneEntity`.
    ///
    /// - Parameters:
    ///   - type: The objects' class.
    ///   - name: The entity's name; nil to find the entity by the class.
    ///   - predicate: What the objects must satisfy; nil for all.
    /// - Throws: `MergeStackError` with code `wrongEntity` if the model has no such entity; what
    ///   counting throws.
    public func countAll<Object: NSManagedObject>(
        _ type: Object.Type,
        entity name: String? = nil,
        where predicate: NSPredicate? = nil
    ) throws -> Int {
        try count(for: try request(for: type, name, predicate, []))
    }

    /// Inserts a new object, which the context's next save writes to the store.
    ///
    /// In place of MagicalRecord's `createEntity` and `createEntityInContext:`.
    ///
    /// - Parameters:
    ///   - type: The object's class.
    ///   - name: The entity's name; nil to find the entity by the class.
    /// - Throws: `MergeStackError` with code `wrongEntity` if the model has no such entity, it is
    ///   abstract, or its objects are of another class.
    public func create<Object: NSManagedObject>(
        _ type: Object.Type,
        entity name: String? = nil
    ) throws -> Object {
        let entity = try entity(for: type, name)
        guard !entity.isAbstract, let entityName = entity.name else {
            throw MergeStackError(
                .wrongEntity,
                "The entity \(entity.name ?? "") is abstract; create an object of a subentity."
            )
        }
        let made = NSEntityDescription.insertNewObject(forEntityName: entityName, into: self)
        guard let object = made as? Object else {
            // Nobody gets it, so it must not be left for the next save.
            delete(made)
            throw MergeStackError.wrongClass(made, type)
        }
        return object
    }

    /// Marks objects for deletion, as `delete(_:)` does for each: the model's delete rules apply,
    /// and the rows are deleted by the context's next save.
    ///
    /// In place of MagicalRecord's `deleteAllMatchingPredicate:`.
    ///
    /// - Parameters:
    ///   - type: The objects' class.
    ///   - name: The entity's name; nil to find the entity by the class.
    ///   - predicate: What the objects must satisfy.
    /// - Returns: The number of objects that were marked.
    /// - Throws: `MergeStackError` with code `wrongEntity` if the model has no such entity; what
    ///   the fetch throws.
    @discardableResult
    public func deleteAll<Object: NSManagedObject>(
        _ type: Object.Type,
        entity name: String? = nil,
        where predicate: NSPredicate
    ) throws -> Int {
        try deleteObjects(of: try request(for: type, name, predicate, []))
    }

    /// Marks all objects of an entity for deletion, as `delete(_:)` does for each.
    ///
    /// In place of MagicalRecord's `truncateAll`.
    ///
    /// - Parameters:
    ///   - type: The objects' class.
    ///   - name: The entity's name; nil to find the entity by the class.
    /// - Returns: The number of objects that were marked.
    /// - Throws: `MergeStackError` with code `wrongEntity` if the model has no such entity; what
    ///   the fetch throws.
    @discardableResult
    public func truncate<Object: NSManagedObject>(
        _ type: Object.Type,
        entity name: String? = nil
    ) throws -> Int {
        try deleteObjects(of: try request(for: type, name, nil, []))
    }

    // MARK: Parts

    private func entity(
        for type: NSManagedObject.Type,
        _ name: String?
    ) throws -> NSEntityDescription {
        guard let model = persistentStoreCoordinator?.managedObjectModel else {
            throw MergeStackError(
                .wrongEntity,
                "The context has no persistentStoreCoordinator, and so no model; set it before."
            )
        }
        return try name.map { try model.entity(named: $0, orThrow: .wrongEntity) }
            ?? model.entity(ofClass: type)
    }

    private func request(
        for type: NSManagedObject.Type,
        _ name: String?,
        _ predicate: NSPredicate?,
        _ order: [NSSortDescriptor]
    ) throws -> NSFetchRequest<NSManagedObject> {
        let entity = try entity(for: type, name)
        // Of the topmost class, so that `objects` can say which object is of another one than asked
        // for.
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.predicate = predicate
        request.sortDescriptors = order
        return request
    }

    private func objects<Object: NSManagedObject>(
        _ request: NSFetchRequest<NSManagedObject>,
        of type: Object.Type
    ) throws -> [Object] {
        try fetch(request).map { found in
            guard let object = found as? Object else {
                throw MergeStackError.wrongClass(found, type)
            }
            return object
        }
    }

    private func deleteObjects(of request: NSFetchRequest<NSManagedObject>) throws -> Int {
        // Values are read only where a delete rule needs them, not for every object.
        request.includesPropertyValues = false
        let found = try fetch(request)
        for object in found { delete(object) }
        return found.count
    }
}
