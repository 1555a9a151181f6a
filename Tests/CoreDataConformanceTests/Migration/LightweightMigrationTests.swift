import CoreData
import TestSupport
import Testing

/// Migration by the options of a store alone: the store's own model is the one that it keeps.
@Suite struct LightweightMigrationTests {
    private func model(_ build: (NSEntityDescription, NSEntityDescription) -> Void)
        -> NSManagedObjectModel
    {
        let person = NSEntityDescription(), dog = NSEntityDescription()
        person.name = "Person"
        dog.name = "Dog"
        person.properties = [attribute("name"), attribute("note")]
        dog.properties = [attribute("name")]
        build(person, dog)
        let model = NSManagedObjectModel()
        model.entities = [person, dog]
        return model
    }

    private func attribute(_ name: String) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        return attribute
    }

    private func relate(_ person: NSEntityDescription, _ dog: NSEntityDescription, toMany: Bool) {
        let dogs = NSRelationshipDescription(), owner = NSRelationshipDescription()
        dogs.name = "dogs"
        owner.name = "owner"
        dogs.destinationEntity = dog
        owner.destinationEntity = person
        dogs.maxCount = toMany ? 0 : 1
        owner.maxCount = 1
        dogs.inverseRelationship = owner
        owner.inverseRelationship = dogs
        person.properties.append(dogs)
        dog.properties.append(owner)
    }

    private func old() -> NSManagedObjectModel { model { relate($0, $1, toMany: false) } }

    private func withOldStore(_ body: (URL, _ personURI: URL) throws -> Void) throws {
        let stack = try TestStack(.sqlite, model: old())
        let context = stack.makeContext()
        let uri = try context.onQueue {
            let dog = context.make("Dog", ["name": "Rex"])
            let person = context.make("Person", ["name": "Ada", "note": "n", "dogs": dog])
            context.make("Person", ["name": "Bob"])
            try context.save()
            return person.objectID.uriRepresentation()
        }
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        try withExtendedLifetime(stack) { try body(stack.url, uri) }
    }

    private let options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
    ]

    private func add(
        _ model: NSManagedObjectModel,
        _ url: URL,
        _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: options
        )
        return coordinator
    }

    @Test func aStoreIsMigratedWhenItIsAdded() throws {
        let new = model { person, dog in
            person.attributesByName["note"]?.name = "remark"
            person.attributesByName["remark"]?.renamingIdentifier = "note"
            let kind = attribute("kind")
            kind.isOptional = false
            kind.defaultValue = "human"
            person.properties.append(kind)
            dog.name = "Animal"
            dog.renamingIdentifier = "Dog"
            relate(person, dog, toMany: true)
        }
        try withOldStore { url, uri in
            let coordinator = try add(new, url, options)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.onQueue {
                let people = try context.all("Person", sortedBy: "name")
                #expect(people.map { $0.text("name") } == ["Ada", "Bob"])
                #expect(people.map { $0.text("remark") } == ["n", nil])
                #expect(people.map { $0.text("kind") } == ["human", "human"])
                #expect(people.first?.set("dogs").map { $0.text("name") } == ["Rex"])
                let animal = try context.only("Animal")
                #expect(animal.one("owner") == people.first)
                let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
                #expect(try context.existingObject(with: id) == people.first)
                context.make("Animal", ["name": "Tom", "owner": people[1]])
                try context.save()
            }
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            _ = try add(new, url, nil)
        }
    }

    @Test func aStoreIsMigratedVersionByVersion() throws {
        try withOldStore { url, _ in
            for version in 1...3 {
                let next = model { person, dog in
                    relate(person, dog, toMany: false)
                    for number in 1...version { person.properties.append(attribute("a\(number)")) }
                }
                let coordinator = try add(next, url, options)
                let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType,
                    at: url,
                    options: nil
                )
                #expect(
                    next.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
                )
                for store in coordinator.persistentStores { try coordinator.remove(store) }
            }
        }
    }

    @Test func withoutTheOptionsAnotherVersionIsRefused() throws {
        let new = model { _, _ in }
        try withOldStore { url, _ in
            #expect(
                errorCode { _ = try add(new, url, nil) }
                    == NSPersistentStoreIncompatibleVersionHashError
            )
            _ = try add(old(), url, nil)
        }
    }

    @Test func aRequiredValueThatIsMissingStopsTheMigration() throws {
        let new = model { person, dog in
            relate(person, dog, toMany: false)
            person.attributesByName["note"]?.isOptional = false
        }
        try withOldStore { url, _ in
            let error = caughtError { _ = try add(new, url, options) }
            #expect(error?.code == NSMigrationError)
            #expect(error?.userInfo["entity"] as? String == "Person")
            #expect(error?.userInfo["attribute"] as? String == "note")
            _ = try add(old(), url, nil)
        }
    }
}
