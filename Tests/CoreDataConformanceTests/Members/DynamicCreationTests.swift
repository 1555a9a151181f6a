import CoreData
import TestSupport
import Testing

extension NSPersistentStoreCoordinator {
    fileprivate static func ofModel(_ model: NSManagedObjectModel) -> Self {
        self.init(managedObjectModel: model)
    }
}

extension NSPersistentContainer {
    fileprivate static func named(_ name: String, _ model: NSManagedObjectModel) -> Self {
        Self(name: name, managedObjectModel: model)
    }
}

extension NSManagedObjectContext {
    fileprivate static func onOwnQueue() -> Self {
        Self(concurrencyType: .privateQueueConcurrencyType)
    }
}

/// Coordinators, containers and contexts of a class that is known at run time only.
@Suite struct DynamicCreationTests {
    private final class OwnCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
        // @unchecked: nothing is stored.
        override init(managedObjectModel model: NSManagedObjectModel) {
            super.init(managedObjectModel: model)
            name = "own"
        }
    }

    private final class OwnContainer: NSPersistentContainer, @unchecked Sendable {
        // @unchecked: constant.
        let number = 7
    }

    private final class OwnContext: NSManagedObjectContext, @unchecked Sendable {
        // @unchecked: constant.
        let number = 8
    }

    @Test func coordinatorsAreOfTheirClass() {
        let model = SampleModel.make()
        let plain = NSPersistentStoreCoordinator.ofModel(model)
        #expect(plain.managedObjectModel.entities.count == model.entities.count)
        let own = OwnCoordinator.ofModel(model)
        #expect(own.name == "own")
        #expect(type(of: own) == OwnCoordinator.self)
    }

    @Test func containersAndContextsAreOfTheirClass() {
        let container = OwnContainer.named("Own", SampleModel.make())
        #expect(container.name == "Own")
        #expect(container.number == 7)
        let context = OwnContext.onOwnQueue()
        #expect(context.number == 8)
        #expect(context.concurrencyType == .privateQueueConcurrencyType)
    }

    private final class OfNoModel: NSManagedObject {}

    /// Client code falls back on the class's own name.
    @Test func aClassOfNoModelHasAnEntityWithoutAName() {
        #expect(OfNoModel.entity().name == nil)
    }
}
