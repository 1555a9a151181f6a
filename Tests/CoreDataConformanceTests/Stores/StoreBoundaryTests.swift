import CoreData
import TestSupport
import Testing

/// Rows name rows of their own store only.
@Suite struct StoreBoundaryTests {
    private func withTwoStores(
        _ body: (NSManagedObjectContext, NSPersistentStore, NSPersistentStore) throws -> Void
    ) throws {
        try withStack(.sqlite) { stack in
            let first = try #require(stack.coordinator.persistentStores.first)
            let second = try stack.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil
            )
            let context = stack.makeContext()
            try context.onQueue { try body(context, first, second) }
        }
    }

    @Test func aToOneRelationshipStaysInItsStore() throws {
        try withTwoStores { context, first, second throws in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            context.assign(department, to: first)
            context.assign(person, to: second)
            let error = caughtError { try context.save() }
            #expect(error?.localizedDescription.contains("department") == true)
            #expect(context.insertedObjects == [department, person])
            person.setValue(nil, forKey: "department")
            try context.save()
            #expect(person.objectID.persistentStore === second)
        }
    }

    @Test func aManyToManyRelationshipStaysInItsStore() throws {
        try withTwoStores { context, first, second throws in
            let tag = context.make("Tag"), person = context.make("Person", ["name": "p"])
            context.assign(tag, to: first)
            context.assign(person, to: second)
            tag.setValue(NSSet(object: person), forKey: "people")
            let error = caughtError { try context.save() }
            #expect(error?.localizedDescription.contains("Tag") == true)
            tag.setValue(nil, forKey: "people")
            try context.save()
            #expect(try context.number("Tag") == 1 && context.number("Person") == 1)
        }
    }
}
