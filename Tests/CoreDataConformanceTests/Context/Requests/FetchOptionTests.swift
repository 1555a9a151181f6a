import CoreData
import TestSupport
import Testing

@Suite struct FetchOptionTests {
    private func people() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }

    @Test func aNewRequestHasApplesDefaults() {
        let request = NSFetchRequest<NSManagedObject>()
        #expect(request.entity == nil && request.entityName == nil)
        #expect(request.requestType == .fetchRequestType)
        #expect(request.resultType == .managedObjectResultType)
        #expect(request.includesSubentities && request.includesPropertyValues)
        #expect(request.includesPendingChanges && request.returnsObjectsAsFaults)
        #expect(!request.returnsDistinctResults && !request.shouldRefreshRefetchedObjects)
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
        #expect(request.relationshipKeyPathsForPrefetching?.isEmpty != false)
        #expect(request.propertiesToFetch == nil && request.propertiesToGroupBy == nil)
        #expect(request.havingPredicate == nil && request.affectedStores == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func theEntityIsFoundByNameOrGiven(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let byName = NSFetchRequest<NSManagedObject>(entityName: "Employee")
            #expect(byName.entityName == "Employee")
            let employees = try context.fetch(byName)
            #expect(employees.count == 2)
            let given = NSFetchRequest<NSManagedObject>()
            given.entity = NSEntityDescription.entity(forEntityName: "Employee", in: context)
            #expect(given.entityName == "Employee")
            let same = try context.fetch(given)
            #expect(Set(same) == Set(employees))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aCopyHasTheSameSettings(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = people()
            request.predicate = NSPredicate(format: "age >= 30")
            request.fetchLimit = 2
            request.fetchOffset = 1
            request.includesSubentities = false
            request.returnsObjectsAsFaults = false
            let copy = try #require(request.copy() as? NSFetchRequest<NSManagedObject>)
            request.fetchLimit = 1
            let names = try context.fetch(copy).map { $0.text("name") }
            #expect(names == ["Bob", "Finn"])
            #expect(copy.fetchLimit == 2 && !copy.returnsObjectsAsFaults)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func onlyTheAffectedStoresAreAsked(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let first = try #require(stack.coordinator.persistentStores.first)
            let second = try stack.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil
            )
            let context = stack.makeContext()
            try context.onQueue {
                for number in 0..<3 { context.make("Tag", ["label": "\(number)"]) }
                context.assign(context.make("Tag", ["label": "x"]), to: second)
                try context.save()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                for (stores, number) in [
                    ([first], 3), ([second], 1), ([first, second], 4), ([], 0),
                ] {
                    request.affectedStores = stores
                    let count = try context.count(for: request)
                    let objects = try context.fetch(request)
                    #expect(count == number && objects.count == number)
                }
                let dictionaries = dictionaryRequest(["label"], of: "Tag")
                dictionaries.affectedStores = [second]
                let labels = try context.fetch(dictionaries).map { $0.text("label") }
                #expect(labels == ["x"])
                let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Tag")
                ids.resultType = .managedObjectIDResultType
                ids.affectedStores = [second]
                let stores = try context.fetch(ids).map(\.persistentStore)
                #expect(stores == [second])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsComeAsFaultsUnlessAskedOtherwise(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            context.reset()
            let request = people()
            #expect(try context.fetch(request).allSatisfy(\.isFault))
            request.returnsObjectsAsFaults = false
            #expect(try context.fetch(request).allSatisfy { !$0.isFault })
            #expect(!context.hasChanges)
        }
    }

    /// Apple: "the property values of fetched objects will be updated with the current values in
    /// the persistent store".
    @Test(arguments: StoreKind.allCases)
    func refetchedObjectsAreRefreshedIfAskedFor(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            let ann = try context.onQueue {
                try Staff.fill(context)
                let ann = try #require(try context.fetch(people()).first)
                #expect(ann.integer("age") == 30)
                return ann
            }
            _ = try didSave(of: stack.makeContext()) { other throws in
                let ann = try #require(try other.fetch(people()).first)
                ann.setValue(99, forKey: "age")
                ann.setValue(7.5, forKey: "height")
            }
            try context.onQueue {
                ann.setValue(1, forKey: "height")
                let request = people()
                var found = try #require(try context.fetch(request).first)
                #expect(found === ann && ann.integer("age") == 30)
                request.shouldRefreshRefetchedObjects = true
                found = try #require(try context.fetch(request).first)
                #expect(found === ann && ann.integer("age") == 99)
                #expect(ann.value(forKey: "height") as? Double == 1 && ann.isUpdated)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func severalSortDescriptorsOrderByEachInTurn(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = people()
            request.sortDescriptors = [
                NSSortDescriptor(key: "department.name", ascending: false),
                NSSortDescriptor(key: "age", ascending: true),
                NSSortDescriptor(key: "name", ascending: false),
            ]
            let names = ["Dan", "Cleo", "Bob", "Ann", "Finn", "Eve"]
            #expect(try context.fetch(request).map { $0.text("name") } == names)
            context.make("Person", ["name": "Gil", "age": 45])
            #expect(try context.fetch(request).map { $0.text("name") } == names + ["Gil"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anUntypedRequestGivesWhatItsResultTypeSays(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Employee")
            #expect(try context.fetch(request).count { $0 is NSManagedObject } == 2)
            request.resultType = .managedObjectIDResultType
            #expect(try context.fetch(request).count { $0 is NSManagedObjectID } == 2)
            request.resultType = .dictionaryResultType
            #expect(try context.fetch(request).count { $0 is NSDictionary } == 2)
            request.resultType = .countResultType
            #expect(try context.fetch(request).first as? NSNumber == 2)
            #expect(try context.count(for: request) == 2)
        }
    }

    @Test func resultTypesHaveApplesBits() {
        let all: [NSFetchRequestResultType] = [
            .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType,
            .countResultType,
        ]
        #expect(all.map(\.rawValue) == [0, 1, 2, 4])
        #expect(NSFetchRequestResultType(rawValue: 2) == .dictionaryResultType)
    }

    @Test(arguments: StoreKind.allCases)
    func theLargestNumberIsNoLimit(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            try context.onQueue {
                for number in 0..<3 { context.make("Tag", ["label": "\(number)"]) }
                try context.save()
                context.make("Tag", ["label": "unsaved"])
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.fetchLimit = .max
                #expect(try context.fetch(request).count == 4)
                request.fetchOffset = 1
                #expect(try context.fetch(request).count == 3)
                request.fetchOffset = .max
                #expect(try context.fetch(request).isEmpty)
            }
        }
    }
}
