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

extension NSMigrationManager {
    fileprivate static func between(
        _ source: NSManagedObjectModel,
        _ destination: NSManagedObjectModel
    ) -> Self {
        Self(sourceModel: source, destinationModel: destination)
    }
}

/// Coordinators, containers, contexts and managers of a class that is known at run time only.
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

    private final class OwnManager: NSMigrationManager, @unchecked Sendable {
        // @unchecked: nothing is stored.
        override init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
            super.init(sourceModel: sourceModel, destinationModel: destinationModel)
            userInfo = ["made": "own"]
        }
    }

    /// As clients write managers that tell their progress: with an initializer of their own only.
    private final class ReportingManager: NSMigrationManager, ProgressReporting,
        @unchecked Sendable
    {
        // @unchecked: constant.
        let progress: Progress

        init(_ model: NSManagedObjectModel, progress: Progress) {
            self.progress = progress
            super.init(sourceModel: model, destinationModel: model)
        }
    }

    @Test func migrationManagersAreOfTheirClass() {
        let source = SampleModel.make(), destination = SampleModel.make()
        let own = OwnManager.between(source, destination)
        #expect(own.userInfo?["made"] as? String == "own")
        #expect(own.sourceModel === source && own.destinationModel === destination)
        let plain = NSMigrationManager.between(source, destination)
        #expect(plain.sourceModel === source && plain.userInfo == nil)
    }

    @Test func migrationManagersMayHaveAProgressOfTheirOwn() {
        let progress = Progress(totalUnitCount: 3)
        let manager = ReportingManager(SampleModel.make(), progress: progress)
        #expect(manager.progress === progress)
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
