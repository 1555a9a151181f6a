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

    /// Apple: the context "is set to consume NSManagedObjectContextDidSave broadcasts
    /// automatically".
    @Test func backgroundContextsMergeWhatOthersSave() throws {
        let container = try loaded()
        let first = container.newBackgroundContext(), second = container.newBackgroundContext()
        #expect(first !== second && first.concurrencyType == .privateQueueConcurrencyType)
        #expect(first.parent == nil && first.automaticallyMergesChangesFromParent)
        let tag = try first.performAndWait {
            let tag = first.make("Tag", ["label": "a"])
            try first.save()
            return tag
        }
        try second.performAndWait {
            try second.only("Tag").setValue("b", forKey: "label")
            try second.save()
        }
        first.onQueue { #expect(tag.text("label") == "b") }
    }

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
        try #require(done.wait(timeout: .now() + 60) == .success)
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
        try #require(done.wait(timeout: .now() + 60) == .success)
        #expect(seen?.0 == description.url && seen?.1 == true)
        let coordinator = container.persistentStoreCoordinator
        #expect(coordinator.persistentStores.map(\.url) == [description.url])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try FileManager.default.removeItem(at: folder)
    }
}
