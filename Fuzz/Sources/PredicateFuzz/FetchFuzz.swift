import CoreData

/// Fetches with a predicate from a SQLite store and from a store in memory, where some objects are
/// saved and some are not: each throws, or both find the same.
///
/// > Threading: libFuzzer calls on one thread.
struct FetchFuzz {
    static let shared: FetchFuzz? = {
        do {
            return try FetchFuzz()
        } catch {
            fatalError("The stores could not be made: \(error)")
        }
    }()

    private let contexts: [(coordinator: NSPersistentStoreCoordinator, NSManagedObjectContext)]

    private init() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("PredicateFuzz-\(UUID().uuidString).sqlite")
        contexts = try [(NSSQLiteStoreType, file), (NSInMemoryStoreType, nil)].map { type, url in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.makeModel())
            _ = try coordinator.addPersistentStore(
                ofType: type,
                configurationName: nil,
                at: url,
                options: nil
            )
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                let people = ["x", "Élan", "12", nil].map { name in
                    Self.insert(name, into: context)
                }
                people[1].setValue(people[0], forKey: "b")
                people[2].setValue(people[0], forKey: "b")
                try context.save()
                Self.insert("new", into: context).setValue(people[1], forKey: "b")
                people[2].setValue(7, forKey: "a")
            }
            return (coordinator, context)
        }
    }

    func check(_ predicate: NSPredicate) {
        // The blocks run on this thread, one after the other; predicates are not Sendable.
        nonisolated(unsafe) let predicate = predicate
        let found = contexts.map { _, context in
            context.performAndWait { () -> Int? in
                let request = NSFetchRequest<NSManagedObject>(entityName: "T")
                request.predicate = predicate
                do {
                    return try context.fetch(request).count
                } catch { return nil }
            }
        }
        // Each of these is another number at each call.
        guard let sql = found[0], let memory = found[1],
            !predicate.formatString.contains("random"), !predicate.formatString.contains("now")
        else { return }
        guard sql == memory else {
            fatalError("\(predicate.formatString): \(sql) in SQL, \(memory) in memory")
        }
    }

    private static func insert(
        _ name: String?,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: "T", into: context)
        object.setValue(name, forKey: "name")
        object.setValue(name?.count, forKey: "a")
        return object
    }

    private static func makeModel() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "T"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let number = NSAttributeDescription()
        number.name = "a"
        number.attributeType = .integer32AttributeType
        let one = NSRelationshipDescription(), many = NSRelationshipDescription()
        one.name = "b"
        one.destinationEntity = entity
        one.maxCount = 1
        many.name = "e"
        many.destinationEntity = entity
        one.inverseRelationship = many
        many.inverseRelationship = one
        entity.properties = [name, number, one, many]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}
