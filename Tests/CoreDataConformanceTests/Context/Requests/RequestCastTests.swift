import CoreData
import TestSupport
import Testing

/// Casts between requests of different result types, by `AnyObject` as Linux needs it.
@Suite struct RequestCastTests {
    private final class CastPerson: NSManagedObject {}

    private static let model: NSManagedObjectModel = {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let person = NSEntityDescription()
        person.name = "CastPerson"
        person.managedObjectClassName = NSStringFromClass(CastPerson.self)
        person.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [person]
        return model
    }()

    private func withPeople(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try withContext(.inMemory, model: Self.model) { context in
            for name in ["Ada", "Grace"] { context.make("CastPerson", ["name": name]) }
            try context.save()
            try body(context)
        }
    }

    private func request<T: NSManagedObject>(for type: T.Type) throws -> NSFetchRequest<T> {
        try #require(type.fetchRequest() as AnyObject as? NSFetchRequest<T>)
    }

    @Test func classesGiveTypedRequests() throws {
        try withPeople { context in
            let request = try request(for: CastPerson.self)
            request.predicate = NSPredicate(format: "name == 'Ada'")
            let people: [CastPerson] = try context.fetch(request)
            #expect(people.count == 1)
        }
    }

    @Test func typedRequestsServeWhereAnyDoes() throws {
        try withPeople { context in
            let typed = NSFetchRequest<CastPerson>(entityName: "CastPerson")
            let any = try #require(typed as AnyObject as? NSFetchRequest<any NSFetchRequestResult>)
            any.fetchLimit = 1
            #expect(typed.fetchLimit == 1)
            #expect(try context.fetch(any).first is CastPerson)
            #expect(try context.count(for: any) == 1)
            let executed = try context.onQueue { try any.execute() }
            #expect((executed.first as? CastPerson)?.value(forKey: "name") is String)
            let copy = any.copy() as AnyObject as? NSFetchRequest<CastPerson>
            #expect(copy?.fetchLimit == 1)
        }
    }

    /// A request of any result type keeps giving what its result type says.
    @Test func requestsByNameCanBeCast() throws {
        try withPeople { context in
            let any = NSFetchRequest<any NSFetchRequestResult>(entityName: "CastPerson")
            let typed = try #require(any as AnyObject as? NSFetchRequest<CastPerson>)
            typed.predicate = NSPredicate(format: "name == 'Grace'")
            #expect(try context.fetch(any).count == 1)
            any.resultType = .dictionaryResultType
            #expect((try context.fetch(any).first as? NSDictionary)?["name"] as? String == "Grace")
            any.resultType = .managedObjectIDResultType
            #expect(try context.fetch(any).first is NSManagedObjectID)
            #expect(any as AnyObject as? NSFetchRequest<NSManagedObjectID> == nil)
        }
    }

    // MARK: As mergectl port writes them

    @Test func requestsForObjectsAreRequestsForObjectsOfAClass() throws {
        try withPeople { context in
            let general = NSFetchRequest<NSManagedObject>(entityName: "CastPerson")
            let special = unsafeBitCast(general as AnyObject, to: NSFetchRequest<CastPerson>.self)
            #expect(special === general)
            special.predicate = NSPredicate(format: "name == 'Ada'")
            let people: [CastPerson] = try context.fetch(special)
            #expect(people.map { $0.value(forKey: "name") as? String } == ["Ada"])
            #expect(try context.fetch(general).count == 1)
            let back = unsafeBitCast(special as AnyObject, to: NSFetchRequest<NSManagedObject>.self)
            #expect(try context.fetch(back).first is CastPerson)
        }
    }

    @Test func requestsForObjectsGiveDictionariesOrIDsOnceTheyAreCast() throws {
        try withPeople { context in
            let request = NSFetchRequest<CastPerson>(entityName: "CastPerson")
            request.predicate = NSPredicate(format: "name == 'Ada'")
            let ids = unsafeBitCast(
                request as AnyObject,
                to: NSFetchRequest<NSManagedObjectID>.self
            )
            ids.resultType = .managedObjectIDResultType
            let found = try context.fetch(ids)
            #expect(found.map(\.entity.name) == ["CastPerson"])
            let rows = unsafeBitCast(request as AnyObject, to: NSFetchRequest<NSDictionary>.self)
            rows.resultType = .dictionaryResultType
            let row = try context.fetch(rows).first
            #expect(row?["name"] as? String == "Ada")
            let conditional = (request as AnyObject as? NSPersistentStoreRequest).map {
                unsafeBitCast($0 as AnyObject, to: NSFetchRequest<any NSFetchRequestResult>.self)
            }
            #expect(conditional === request)
        }
    }

    @Test func resultsControllersAreCast() throws {
        try withPeople { context in
            let request = NSFetchRequest<CastPerson>(entityName: "CastPerson")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let typed = NSFetchedResultsController(
                fetchRequest: request,
                managedObjectContext: context,
                sectionNameKeyPath: nil,
                cacheName: nil
            )
            let any = unsafeBitCast(
                typed as AnyObject,
                to: NSFetchedResultsController<any NSFetchRequestResult>.self
            )
            try any.performFetch()
            #expect(any.fetchedObjects?.count == 2)
            let back = unsafeBitCast(
                any as AnyObject,
                to: NSFetchedResultsController<CastPerson>.self
            )
            #expect(back.fetchedObjects?.first?.value(forKey: "name") as? String == "Ada")
        }
    }

    @Test func batchDeletionsTakeTypedRequests() throws {
        try withContext(.sqlite, model: Self.model) { context in
            context.make("CastPerson", ["name": "Ada"])
            try context.save()
            let typed = NSFetchRequest<CastPerson>(entityName: "CastPerson")
            let any = try #require(typed as AnyObject as? NSFetchRequest<any NSFetchRequestResult>)
            try context.execute(NSBatchDeleteRequest(fetchRequest: any))
            #expect(try context.number("CastPerson") == 0)
        }
    }

    @Test func resultsOfAnotherTypeThanTheRequestPromisesThrow() throws {
        try withPeople { context throws in
            let objects = NSFetchRequest<Judge>(entityName: "CastPerson")
            let values = NSFetchRequest<NSManagedObject>(entityName: "CastPerson")
            values.resultType = .dictionaryResultType
            let numbers = NSFetchRequest<NSManagedObjectID>(entityName: "CastPerson")
            let messages = [
                caughtError { _ = try context.fetch(objects) },
                caughtError { _ = try context.fetch(values) },
                caughtError { _ = try context.fetch(numbers) },
            ].map { $0?.localizedDescription ?? "nothing thrown" }
            for message in messages { #expect(message.contains("promises"), "\(message)") }
        }
    }

    /// By `AnyObject` a request keeps its class, and its variable says what is wanted.
    @Test func requestsOfAnyResultGiveDictionariesUnderAnyName() throws {
        try withPeople { context throws in
            let any = NSFetchRequest<any NSFetchRequestResult>(entityName: "CastPerson")
            any.resultType = .dictionaryResultType
            any.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let typed = unsafeBitCast(any as AnyObject, to: NSFetchRequest<NSDictionary>.self)
            let names = try context.fetch(typed).map { $0["name"] as? String }
            #expect(names == ["Ada", "Grace"])
        }
    }
}
