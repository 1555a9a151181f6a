import CoreData
import TestSupport
import Testing

@Suite struct DictionaryResultTests {
    @Test(arguments: StoreKind.allCases)
    func namesKeyPathsAndDescriptionsAreColumns(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let entity = try #require(
                NSEntityDescription.entity(forEntityName: "Person", in: context)
            )
            let age = try #require(entity.propertiesByName["age"])
            let request = dictionaryRequest([age, "name", "department.name"], sortedBy: "name")
            let results = try context.fetch(request)
            #expect(
                results.map { $0.text("name") } == ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn"]
            )
            #expect(results.map { $0.integer("age") } == [30, 30, 40, nil, 20, 50])
            #expect(
                results.map { $0.text("department.name") } == ["A", "A", "B", "B", nil, "A"]
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func valuesThatAreNilAreLeftOut(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest(["name", "age", "height"])
            request.predicate = NSPredicate(format: "name == 'Dan'")
            let dan = try #require(try context.fetch(request).first)
            #expect(dan.count == 2 && dan["age"] == nil)
            #expect(dan.real("height") == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func valuesAreOfTheAttributesTypes(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            let identifier = UUID()
            let born = Date(timeIntervalSinceReferenceDate: 12.5)
            let homepage = try #require(URL(string: "https://example.org"))
            context.make(
                "Person",
                [
                    "name": "Ann", "born": born, "identifier": identifier, "isActive": false,
                    "balance": NSDecimalNumber(string: "1.1"), "photo": Data([1, 2]),
                    "homepage": homepage,
                ]
            )
            try context.save()
            let request = dictionaryRequest([
                "born", "identifier", "isActive", "balance", "photo", "homepage",
            ])
            let result = try #require(try context.fetch(request).first)
            #expect(result["born"] as? Date == born)
            #expect(result["identifier"] as? UUID == identifier)
            #expect(result["isActive"] as? Bool == false)
            #expect(result["balance"] as? NSDecimalNumber == NSDecimalNumber(string: "1.1"))
            #expect(result["photo"] as? Data == Data([1, 2]))
            #expect(result["homepage"] as? URL == homepage)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsComeAsIDs(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let itself = computed(
                "itself",
                NSExpression.expressionForEvaluatedObject(),
                .objectIDAttributeType
            )
            let results = try context.fetch(
                dictionaryRequest([itself, "department"], sortedBy: "name")
            )
            let people = try context.all("Person", sortedBy: "name")
            #expect(results.map { $0["itself"] as? NSManagedObjectID } == people.map(\.objectID))
            #expect(
                results.map { $0["department"] as? NSManagedObjectID }
                    == people.map { $0.one("department")?.objectID }
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func attributesAndToOneRelationshipsAreTheDefault(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let results = try context.fetch(dictionaryRequest(nil, sortedBy: "name"))
            let ann = try #require(results.first)
            let keys = Set(ann.allKeys.compactMap { $0 as? String })
            #expect(keys == ["name", "age", "height", "isActive", "balance", "department"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func columnsThatAreNoSingleStoredValueThrow(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            for name in ["nothing", "tags", "nickname", "department.nothing"] {
                #expect(errorCode { _ = try context.fetch(dictionaryRequest([name])) } != nil)
            }
            let empty = NSExpressionDescription()
            empty.name = "empty"
            #expect(
                errorCode { _ = try context.fetch(dictionaryRequest([empty])) } == NSCoreDataError
            )
            #expect(
                errorCode { _ = try context.fetch(dictionaryRequest([12])) } == NSCoreDataError
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func distinctResultsComeOnce(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest(["age"], sortedBy: "age")
            #expect(try context.fetch(request).count == 6)
            request.returnsDistinctResults = true
            let ages = try context.fetch(request).map { $0.integer("age") }
            #expect(ages == [nil, 20, 30, 40, 50])
            request.fetchOffset = 2
            request.fetchLimit = 2
            #expect(try context.fetch(request).map { $0.integer("age") } == [30, 40])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func limitOffsetAndSubentitiesApply(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest(["name"], sortedBy: "name")
            request.fetchLimit = 2
            request.fetchOffset = 3
            #expect(try context.fetch(request).map { $0.text("name") } == ["Dan", "Eve"])
            request.includesSubentities = false
            #expect(try context.fetch(request).map { $0.text("name") } == ["Finn"])
        }
    }

    /// Apple: "For dictionaries, the array returned from the fetch reflects the current state in
    /// the persistent store".
    @Test(arguments: StoreKind.allCases)
    func unsavedChangesDoNotShow(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let ann = try #require(try context.all("Person", sortedBy: "name").first)
            ann.setValue("Zoe", forKey: "name")
            context.make("Person", ["name": "New"])
            let request = dictionaryRequest(["name"], sortedBy: "name")
            #expect(request.includesPendingChanges)
            let names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn"]
            #expect(try context.fetch(request).map { $0.text("name") } == names)
            try context.save()
            #expect(try context.fetch(request).count == 7)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatAParentHasNotSavedDoesNotShowEither(kind: StoreKind) throws {
        try withStaff(kind) { parent throws in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            parent.make("Person", ["name": "New"])
            try child.onQueue {
                let objects = try child.number("Person")
                let results = try child.fetch(dictionaryRequest(["name"]))
                #expect(objects == 7 && results.count == 6)
            }
        }
    }
}
