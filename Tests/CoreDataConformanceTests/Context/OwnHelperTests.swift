import CoreData
import TestSupport
import Testing

/// Members that clients have written by names of the framework's, mostly before it had them.
@Suite struct OwnHelperTests {
    private final class Label: NSManagedObject {
        /// What Xcode writes for each class.
        @nonobjc class func fetchRequest() -> NSFetchRequest<Label> {
            NSFetchRequest<Label>(entityName: "Tag")
        }
    }

    @Test func aRequestOfTheClassIsMeantWhereNoTypeIsGiven() throws {
        let model = SampleModel.make()
        model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(Label.self)
        try withContext(.inMemory, model: model) { context in
            context.make("Tag", ["label": "a"])
            let request = Label.fetchRequest()
            request.predicate = NSPredicate(format: "label == 'a'")
            let labels: [Label] = try context.fetch(request)
            #expect(labels.count == 1)
            #expect(try context.fetch(Label.fetchRequest())[0].isInserted)
            let any: NSFetchRequest<any NSFetchRequestResult> = Label.fetchRequest()
            #expect(any.entityName == "Tag")
        }
    }

    /// The framework's own, without a result, is meant by the helper's body and by blocks without one.
    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func anOwnPerformAndWaitIsMeantForResults() throws {
        let stack = try TestStack(.inMemory)
        let context = stack.makeContext()
        let number = try context.performAndWait { 3 }
        #expect(number == 3 && OwnHelpers.count(of: context) == 1)
        let count = try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        }
        #expect(count == 0 && OwnHelpers.count(of: context) == 2)
        context.performAndWait { context.name = "waited" }
        #expect(OwnHelpers.count(of: context) == 2)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let stores = try coordinator.performAndWait { coordinator.persistentStores.count }
        #expect(stores == 1)
    }

    /// As tests of clients make one that nothing is asked of.
    @Test func aCoordinatorMayHaveNoModel() {
        let coordinator = NSPersistentStoreCoordinator()
        #expect(coordinator.managedObjectModel.entities.isEmpty)
        #expect(coordinator.persistentStores.isEmpty)
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func anOwnBackgroundTaskIsMeant() async throws {
        let container = NSPersistentContainer(
            name: "Own",
            managedObjectModel: SampleModel.make()
        )
        #expect(try await container.performBackgroundTask { $0.name } == "own")
    }
}

/// How often a context's helper of the client's own was called.
private enum OwnHelpers {
    static func count(of context: NSManagedObjectContext) -> Int {
        context.onQueue { context.userInfo["helped"] as? Int ?? 0 }
    }

    /// What a block gives that is run by a function for blocks without a result.
    static func result<T>(
        of block: () throws -> T,
        runBy run: (@Sendable () -> Void) -> Void
    ) throws -> T {
        try withoutActuallyEscaping(block) { escapable in
            nonisolated(unsafe) let block = escapable
            nonisolated(unsafe) var result: Result<T, any Error>?
            run { result = Result { try block() } }
            return try #require(result).get()
        }
    }
}

extension NSManagedObjectContext {
    fileprivate nonisolated func performAndWait<T>(_ block: () throws -> T) throws -> T {
        try OwnHelpers.result(of: block) { run in
            performAndWait {
                userInfo["helped"] = (userInfo["helped"] as? Int ?? 0) + 1
                run()
            }
        }
    }
}

extension NSPersistentStoreCoordinator {
    fileprivate func performAndWait<T>(_ block: () throws -> T) throws -> T {
        try OwnHelpers.result(of: block) { run in performAndWait { run() } }
    }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension NSPersistentContainer {
    fileprivate func performBackgroundTask<T: Sendable>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> T
    ) async throws -> T {
        let context = newBackgroundContext()
        context.name = "own"
        return try await context.perform { try block(context) }
    }
}
