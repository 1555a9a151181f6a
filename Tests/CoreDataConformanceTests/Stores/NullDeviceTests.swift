import CoreData
import TestSupport
import Testing

/// SQLite stores at `/dev/null`, as many test suites have them: real stores that leave nothing.
@Suite struct NullDeviceTests {
    private static let device = URL(fileURLWithPath: "/dev/null")

    private func makeContainer(_ options: [String: NSObject] = [:]) throws
        -> NSPersistentContainer
    {
        let container = NSPersistentContainer(name: "Test", managedObjectModel: SampleModel.make())
        _ = try container.persistentStoreCoordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: Self.device,
            options: options
        )
        return container
    }

    private func names(_ context: NSManagedObjectContext) throws -> [String] {
        try context.onQueue {
            try context.all("Tag", sortedBy: "label").compactMap {
                $0.value(forKey: "label") as? String
            }
        }
    }

    private func save(_ name: String, in container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.onQueue {
            context.make("Tag", ["label": name])
            try context.save()
        }
    }

    @Test func contextsShareOneStoreAndContainersDoNot() throws {
        let first = try makeContainer()
        let second = try makeContainer()
        try save("a", in: first)
        try save("b", in: first)
        #expect(try names(first.newBackgroundContext()) == ["a", "b"])
        #expect(try names(second.newBackgroundContext()).isEmpty)
        let store = try #require(first.persistentStoreCoordinator.persistentStores.first)
        #expect(store.url == Self.device)
        #expect(store.type == NSSQLiteStoreType)
    }

    @Test func aStoreWithoutPlaceIsThere() throws {
        let description = NSPersistentStoreDescription()
        #expect(description.url == Self.device)
        #expect(description.type == NSSQLiteStoreType)
        let container = NSPersistentContainer(name: "Test", managedObjectModel: SampleModel.make())
        container.persistentStoreDescriptions = [description]
        var failures: [any Error] = []
        container.loadPersistentStores { _, error in
            if let error { failures.append(error) }
        }
        #expect(failures.isEmpty)
        try save("a", in: container)
        #expect(try names(container.newBackgroundContext()) == ["a"])

        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: nil
        )
        #expect(store.url == Self.device)
        #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(
                ofType: NSBinaryStoreType,
                configurationName: nil,
                at: nil
            )
        }
    }

    @Test func batchesAndHistoryWork() throws {
        let container = try makeContainer([NSPersistentHistoryTrackingKey: true as NSNumber])
        let context = container.newBackgroundContext()
        try context.onQueue {
            let insert = NSBatchInsertRequest(
                entityName: "Tag",
                objects: [["label": "a"], ["label": "b"]]
            )
            try context.execute(insert)
            #expect(try context.number("Tag") == 2)
            let delete = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
            )
            try context.execute(delete)
            #expect(try context.number("Tag") == 0)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 2)
        }
    }

    @Test func severalStoresOfOneCoordinatorMayBeThere() throws {
        let container = try makeContainer()
        let coordinator = container.persistentStoreCoordinator
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: Self.device
        )
        #expect(coordinator.persistentStores.count == 2)
        #expect(coordinator.persistentStore(for: Self.device) == nil)
    }

    @Test func destroyingOrReplacingLeavesTheDeviceAlone() throws {
        let container = try makeContainer()
        let coordinator = container.persistentStoreCoordinator
        let stack = try TestStack(.sqlite)
        try coordinator.destroyPersistentStore(at: Self.device, ofType: NSSQLiteStoreType)
        #expect(throws: CocoaError.self) {
            try coordinator.replacePersistentStore(
                at: Self.device,
                withPersistentStoreFrom: stack.url,
                ofType: NSSQLiteStoreType
            )
        }
        #expect(try isDeviceThere())
        try save("a", in: container)
        #expect(try names(container.newBackgroundContext()) == ["a"])
    }

    /// Root, as in many containers, could remove the device with the rest of a failed copy.
    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func aStoreThatCannotMoveThereStaysAndLeavesTheDeviceAlone(type: String) throws {
        let stack = try TestStack(.sqlite)
        #expect(throws: CocoaError.self) { try moveThere(stack, type) }
        #expect(try isDeviceThere())
        #expect(try names(stack.makeContext()) == ["a"])
    }

    @Test func anSQLiteStoreMovesThereAndLeavesTheDeviceAlone() throws {
        let stack = try TestStack(.sqlite)
        #expect(try moveThere(stack, NSSQLiteStoreType).url == Self.device)
        #expect(try isDeviceThere())
        #expect(try names(stack.makeContext()) == ["a"])
    }

    @discardableResult
    private func moveThere(_ stack: TestStack, _ type: String) throws -> NSPersistentStore {
        let context = stack.makeContext()
        try context.onQueue {
            context.make("Tag", ["label": "a"])
            try context.save()
        }
        return try stack.coordinator.migratePersistentStore(
            #require(stack.coordinator.persistentStores.first),
            to: Self.device,
            options: nil,
            withType: type
        )
    }

    private func isDeviceThere() throws -> Bool {
        let attributes = try FileManager.default.attributesOfItem(atPath: Self.device.path)
        return attributes[.type] as? FileAttributeType == .typeCharacterSpecial
    }
}
