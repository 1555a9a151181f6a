import CoreData
import TestSupport
import Testing

@Suite struct FetchBatchTests {
    private func people(
        _ context: NSManagedObjectContext,
        count: Int = 7,
        batchSize: Int,
        _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [NSManagedObject] {
        let department = context.make("Department", ["name": "Maths"])
        for number in 0..<count {
            context.make("Person", ["name": "p\(number)", "department": department])
        }
        try context.save()
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        request.fetchBatchSize = batchSize
        change(request)
        return try context.fetch(request)
    }

    /// A store that has been removed shows what was read before.
    private func removeStore(_ stack: TestStack) throws {
        try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
    }

    @Test func aBatchIsReadWithItsFirstObject() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let people = try people(context, batchSize: 3)
                #expect(people.count == 7 && people.allSatisfy(\.isFault))
                #expect(people[4].text("name") == "p2")
                try removeStore(stack)
                #expect(people.map { $0.text("name") } == [nil, nil, nil, "p3", "p2", "p1", nil])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theLastBatchMayBeShorter(kind: StoreKind) throws {
        try withContext(kind) { context in
            let people = try people(context, batchSize: 3)
            #expect(people.reversed().map { $0.text("name") } == (0..<7).map { "p\($0)" })
        }
    }

    @Test func relationshipsAreReadAlongWithTheirBatch() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let people = try people(context, batchSize: 2) {
                    $0.relationshipKeyPathsForPrefetching = ["department"]
                }
                _ = people[0].text("name")
                try removeStore(stack)
                #expect(people[1].one("department")?.text("name") == "Maths")
                #expect(people[2].one("department") == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletedRowDoesNotKeepItsBatchFromBeingRead(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let people = try people(context, batchSize: 7)
                try other.onQueue {
                    other.delete(try #require(try other.all("Person", sortedBy: "name").first))
                    try other.save()
                }
                #expect(people[6].text("name") == nil && people[5].text("name") == "p1")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedChangesAreInTheirPlaces(kind: StoreKind) throws {
        try withContext(kind) { context in
            _ = try people(context, batchSize: 2)
            try context.all("Person", sortedBy: "name")[0].setValue("p9", forKey: "name")
            context.make("Person", ["name": "p25"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchBatchSize = 2
            let names = try context.fetch(request).map { $0.text("name") }
            #expect(names == ["p1", "p2", "p25", "p3", "p4", "p5", "p6", "p9"])
        }
    }
}
