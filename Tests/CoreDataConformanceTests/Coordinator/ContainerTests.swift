import CoreData
import Dispatch
import TestSupport
import Testing

@Suite struct ContainerTests {
    /// A container over a store in memory, loaded.
    private func loaded() throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "C", managedObjectModel: SampleModel.make())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        return container
    }

    @Test func theDefaultStoreIsNamedAfterTheContainer() {
        let model = SampleModel.make()
        let container = NSPersistentContainer(name: "Shop", managedObjectModel: model)
        #expect(container.name == "Shop" && container.managedObjectModel === model)
        #expect(container.persistentStoreCoordinator.managedObjectModel === model)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        let description = container.persistentStoreDescriptions.first
        let directory = NSPersistentContainer.defaultDirectoryURL()
        #expect(description?.url == directory.appendingPathComponent("Shop.sqlite"))
        #expect(description?.type == NSSQLiteStoreType && directory.isFileURL)
    }

    @Test func theViewContextIsOfTheMainQueue() throws {
        let container = try loaded()
        let context = container.viewContext
        #expect(context.concurrencyType == .mainQueueConcurrencyType && context.parent == nil)
        #expect(context.persistentStoreCoordinator === container.persistentStoreCoordinator)
        #expect(context.undoManager == nil && !context.automaticallyMergesChangesFromParent)
    }

    /// Whatever Apple's page says: clients' tests pass with Apple's framework only so.
    @Test func backgroundContextsMergeWhatOthersSaveIfAskedTo() throws {
        let container = try loaded()
        let first = container.newBackgroundContext(), second = container.newBackgroundContext()
        #expect(first !== second && first.concurrencyType == .privateQueueConcurrencyType)
        #expect(first.parent == nil && !first.automaticallyMergesChangesFromParent)
        let tag = try first.onQueue {
            let tag = first.make("Tag", ["label": "a"])
            try first.save()
            return tag
        }
        try second.onQueue {
            try second.only("Tag").setValue("b", forKey: "label")
            try second.save()
        }
        first.onQueue { #expect(tag.text("label") == "a") }
        first.automaticallyMergesChangesFromParent = true
        try second.onQueue {
            try second.only("Tag").setValue("c", forKey: "label")
            try second.save()
        }
        first.onQueue { #expect(tag.text("label") == "c") }
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func aBackgroundTaskHasAContextOfItsOwn() async throws {
        let container = try loaded()
        let id = try await container.performBackgroundTask { context in
            #expect(context.concurrencyType == .privateQueueConcurrencyType)
            #expect(context !== container.viewContext)
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            return tag.objectID
        }
        let label = await container.performBackgroundTask { context in
            context.object(with: id).text("label")
        }
        #expect(label == "a")
        await #expect(throws: CocoaError.self) {
            try await container.performBackgroundTask { context in
                context.make("Person")
                try context.save()
            }
        }
    }

    @Test func aBackgroundTaskWithoutAResultRunsLater() throws {
        let container = try loaded()
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var number: Int?
        container.performBackgroundTask { context in
            context.make("Tag")
            number = context.insertedObjects.count
            done.signal()
        }
        try #require(done.wait(timeout: .now() + patience) == .success)
        #expect(number == 1)
    }

    @Test func storesAreAddedAsynchronouslyIfAskedFor() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Container-\(UUID().uuidString)", isDirectory: true)
        let container = NSPersistentContainer(name: "C", managedObjectModel: SampleModel.make())
        let description = NSPersistentStoreDescription(
            url: folder.appendingPathComponent("C.sqlite")
        )
        description.shouldAddStoreAsynchronously = true
        container.persistentStoreDescriptions = [description]
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var seen: (URL?, Bool)?
        container.loadPersistentStores { description, error in
            seen = (description.url, error == nil)
            done.signal()
        }
        try #require(done.wait(timeout: .now() + patience) == .success)
        #expect(seen?.0 == description.url && seen?.1 == true)
        let coordinator = container.persistentStoreCoordinator
        #expect(coordinator.persistentStores.map(\.url) == [description.url])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try FileManager.default.removeItem(at: folder)
    }

    /// An app that could not load one of its stores calls again when the cause is gone.
    @Test func loadingAgainAddsOnlyTheStoresThatAreMissing() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Container-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let blocked = folder.appendingPathComponent("Blocked.sqlite")
        try Data("This is no database, but a text of some length.".utf8).write(to: blocked)

        let file = NSPersistentStoreDescription(url: folder.appendingPathComponent("C.sqlite"))
        let memory = NSPersistentStoreDescription()
        memory.type = NSInMemoryStoreType
        let device = NSPersistentStoreDescription(), otherDevice = NSPersistentStoreDescription()
        let failing = NSPersistentStoreDescription(url: blocked)
        let container = NSPersistentContainer(name: "C", managedObjectModel: SampleModel.make())
        let descriptions = [file, failing, memory, device, otherDevice]
        container.persistentStoreDescriptions = descriptions
        func load() -> [(NSPersistentStoreDescription, (any Error)?)] {
            var told: [(NSPersistentStoreDescription, (any Error)?)] = []
            container.loadPersistentStores { told.append(($0, $1)) }
            return told
        }
        let coordinator = container.persistentStoreCoordinator
        let first = load()
        #expect(first.map { $0.0 } == descriptions)
        #expect(first.map { $0.1 == nil } == [true, false, true, true, true])
        let stores = coordinator.persistentStores
        #expect(stores.count == 4)

        try FileManager.default.removeItem(at: blocked)
        let second = load()
        #expect(second.map { $0.0 } == descriptions && second.allSatisfy { $0.1 == nil })
        #expect(Array(coordinator.persistentStores.prefix(4)) == stores)
        #expect(coordinator.persistentStores.dropFirst(4).map(\.url) == [blocked])

        // What was removed is missing again.
        let removed = try #require(stores.first { $0.type == NSInMemoryStoreType })
        try coordinator.remove(removed)
        #expect(load().allSatisfy { $0.1 == nil })
        #expect(coordinator.persistentStores.count == 5)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Whoever describes a store anew names the same file.
    @Test func anotherDescriptionOfAStoreThatIsThereAddsNone() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Container-\(UUID().uuidString)", isDirectory: true)
        let url = folder.appendingPathComponent("C.sqlite")
        let container = NSPersistentContainer(name: "C", managedObjectModel: SampleModel.make())
        let coordinator = container.persistentStoreCoordinator
        for _ in 0..<2 {
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
            container.loadPersistentStores { _, error in #expect(error == nil) }
            #expect(coordinator.persistentStores.map(\.url) == [url])
        }
        let binary = NSPersistentStoreDescription(url: url)
        binary.type = NSBinaryStoreType
        container.persistentStoreDescriptions = [binary]
        var failures = 0
        container.loadPersistentStores { _, error in failures += error == nil ? 0 : 1 }
        #expect(failures == 1 && coordinator.persistentStores.count == 1)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try FileManager.default.removeItem(at: folder)
    }
}
