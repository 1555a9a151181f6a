import CoreData
import TestSupport
import Testing

@Suite struct FetchTests {
    /// Ten people p0…p9 with ages 0…9, all saved; odd ones are employees.
    private func withPeople(
        _ kind: StoreKind,
        _ body: (NSManagedObjectContext, [NSManagedObject]) throws -> Void
    ) throws {
        try withContext(kind) { context in
            let people = (0..<10).map { index in
                context.make(
                    index % 2 == 0 ? "Person" : "Employee",
                    ["name": "p\(index)", "age": index]
                )
            }
            try context.save()
            try body(context, people)
        }
    }

    private func request(_ format: String? = nil, by key: String = "age") -> NSFetchRequest<
        NSManagedObject
    > {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return request
    }

    /// Before the event ends, which applies the rules of deletions.
    @Test(arguments: StoreKind.allCases)
    func fetchesKnowWhatDeletionsDoToOthers(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "t"]), other = context.make("Tag")
            let person = context.make("Person", ["name": "a", "tags": Set([tag])])
            context.make("Person", ["name": "b", "tags": Set([other])])
            try context.save()
            context.delete(tag)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "tags.@count == 0")
            #expect(try context.fetch(request) == [person])
            #expect(try context.count(for: request) == 1)
            context.delete(context.make("Department", ["people": Set([person])]))
            request.predicate = nil
            #expect(try context.count(for: request) == 1)
        }
    }

    /// As Apple's requests do once they have an entity.
    @Test func namesOfPropertiesAreGivenBackAsDescriptions() throws {
        let model = SampleModel.make()
        let person = try #require(model.entitiesByName["Person"])
        let request = NSFetchRequest<NSDictionary>(entityName: "Person")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name", "department.name"]
        request.propertiesToGroupBy = ["name"]
        #expect(request.propertiesToFetch as? [String] == ["name", "department.name"])
        request.entity = person
        let name = try #require(person.attributesByName["name"])
        #expect(request.propertiesToGroupBy as? [NSAttributeDescription] == [name])
        #expect(request.propertiesToFetch?.first as? NSAttributeDescription === name)
        #expect(request.propertiesToFetch?.last as? String == "department.name")
    }

    @Test(arguments: StoreKind.allCases)
    func predicateSortLimitAndOffsetApply(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            let request = request("age >= 3")
            #expect(try context.fetch(request) == Array(people[3...]))
            request.fetchLimit = 3
            request.fetchOffset = 2
            #expect(try context.fetch(request) == Array(people[5...7]))
            #expect(try context.count(for: request) == 3)
            request.fetchOffset = 100
            #expect(try context.fetch(request).isEmpty)
            request.fetchLimit = 0
            request.fetchOffset = 0
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
            #expect(try context.fetch(request) == people[3...].reversed())
        }
    }

    @Test(arguments: StoreKind.allCases)
    func subentitiesComeUnlessExcluded(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            let request = request()
            #expect(try context.count(for: request) == 10)
            request.includesSubentities = false
            #expect(try context.fetch(request) == stride(from: 0, to: 10, by: 2).map { people[$0] })
            context.make("Manager", ["name": "m", "age": 50])
            #expect(try context.count(for: request) == 5)
            #expect(try context.number("Employee") == 6)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedChangesCount(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            people[0].setValue(20, forKey: "age")
            people[9].setValue(-1, forKey: "age")
            context.delete(people[4])
            let new = context.make("Person", ["name": "new", "age": 5])
            let request = request("age > 3")
            let expected = [people[5], new, people[6], people[7], people[8], people[0]]
            #expect(try context.fetch(request) == expected)
            #expect(try context.count(for: request) == 6)
            for limit in 1...7 {
                for offset in 0...7 {
                    request.fetchLimit = limit
                    request.fetchOffset = offset
                    let window = Array(expected.dropFirst(offset).prefix(limit))
                    #expect(try context.fetch(request) == window)
                    #expect(try context.count(for: request) == window.count)
                }
            }
            request.fetchLimit = 0
            request.fetchOffset = 0
            request.includesPendingChanges = false
            #expect(try context.fetch(request) == Array(people[4...9]))
            try context.save()
            request.includesPendingChanges = true
            #expect(try context.fetch(request) == expected)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedRelationshipsCount(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            let department = context.make("Department", ["name": "D"])
            people[1].setValue(department, forKey: "department")
            #expect(try context.fetch(request("department.name == 'D'")) == [people[1]])
            let departments = NSFetchRequest<NSManagedObject>(entityName: "Department")
            departments.predicate = NSPredicate(
                format: "ANY people.age == 1 AND people.@count == 1"
            )
            #expect(try context.fetch(departments) == [department])
            departments.predicate = NSPredicate(format: "%@ IN people", people[1])
            #expect(try context.fetch(departments) == [department])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func idsComeInsteadOfObjects(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
            request.resultType = .managedObjectIDResultType
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
            request.fetchLimit = 2
            #expect(try context.fetch(request) == [people[9].objectID, people[8].objectID])
            context.delete(people[9])
            #expect(try context.fetch(request) == [people[8].objectID, people[7].objectID])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aCountComesAsANumber(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            let request = NSFetchRequest<NSNumber>(entityName: "Person")
            request.resultType = .countResultType
            request.predicate = NSPredicate(format: "age < 4")
            #expect(try context.fetch(request) == [NSNumber(value: 4)])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func dictionariesHoldThePropertiesAskedFor(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", "age"]
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
            request.fetchLimit = 2
            let results = try context.fetch(request)
            #expect(results.map { $0["name"] as? String } == ["p0", "p1"])
            #expect(results.map { $0["age"] as? Int } == [0, 1])
            #expect(results.first?.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func expressionsAggregate(kind: StoreKind) throws {
        try withPeople(kind) { context, _ throws in
            let sum = NSExpressionDescription()
            sum.name = "total"
            sum.expression = NSExpression(
                forFunction: "sum:",
                arguments: [NSExpression(forKeyPath: "age")]
            )
            sum.expressionResultType = .integer64AttributeType
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [sum]
            #expect(try context.fetch(request).first?["total"] as? Int == 45)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsInPredicatesAreComparedByRow(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            let request = request()
            request.predicate = NSPredicate(format: "SELF IN %@", [people[1], people[2]])
            #expect(try context.fetch(request) == [people[1], people[2]])
            request.predicate = NSPredicate(format: "SELF == %@", people[3].objectID)
            #expect(try context.fetch(request) == [people[3]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func wrongNamesThrow(kind: StoreKind) throws {
        try withPeople(kind) { context, people throws in
            let wrongEntity = NSFetchRequest<NSManagedObject>(entityName: "Nobody")
            #expect(throws: (any Error).self) { try context.fetch(wrongEntity) }
            #expect(throws: (any Error).self) { try context.fetch(request("nothing == 1")) }
            #expect(throws: (any Error).self) { try context.fetch(request(by: "nothing")) }
            #expect(throws: (any Error).self) { try context.count(for: request("a.b == 1")) }
            #expect(throws: (any Error).self) { try context.fetch(request("objectID.name == 1")) }
            people[0].setValue("x", forKey: "name")
            #expect(throws: (any Error).self) { try context.fetch(request("nothing == 1")) }
            #expect(throws: (any Error).self) { try context.fetch(request(by: "nothing")) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func fetchesOfSeveralStoresAreSortedTogether(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let second = try stack.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil,
                options: nil
            )
            let context = stack.makeContext()
            try context.onQueue {
                for index in 0..<6 {
                    let tag = context.make("Tag", ["label": "t\(index)"])
                    if index % 2 == 1 { context.assign(tag, to: second) }
                }
                try context.save()
                let tags = try context.all("Tag", sortedBy: "label")
                #expect(tags.map { $0.text("label") } == (0..<6).map { "t\($0)" })
                #expect(tags[1].objectID.persistentStore === second)
                #expect(tags[0].objectID.persistentStore !== second)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.affectedStores = [second]
                #expect(try context.count(for: request) == 3)
                tags[0].setValue("a", forKey: "label")
                tags[1].setValue("b", forKey: "label")
                try context.save()
                #expect(!context.hasChanges)
            }
        }
    }

    @Test(arguments: StoreKind.large)
    func aSortKeyThatIsTheSameForAllLeavesTheObjectsInTheirOrder(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                for name in ["b", "a"] { context.make("Department", ["name": name]) }
                try context.save()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Department")
                request.sortDescriptors = [
                    NSSortDescriptor(key: "people.@sum.name", ascending: true)
                ]
                #expect(try context.fetch(request).map { $0.text("name") } == ["b", "a"])
            }
        }
    }
}
