import CoreData
import TestSupport
import Testing

/// A context that clients have put something of their own into.
private final class CountingContext: NSManagedObjectContext, @unchecked Sendable {
    var calls: [String] = []

    override var hasChanges: Bool {
        calls.append("hasChanges")
        return super.hasChanges
    }
    override func save() throws {
        calls.append("save")
        try super.save()
    }
    override func delete(_ object: NSManagedObject) {
        calls.append("delete")
        super.delete(object)
    }
    override func performAndWait(_ block: @Sendable () -> Void) {
        calls.append("performAndWait")
        super.performAndWait(block)
    }
    override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        throw CocoaError(.userCancelled)
    }
}

/// A coordinator that refuses all stores.
private final class ClosedCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    override func addPersistentStore(
        ofType storeType: String,
        configurationName configuration: String?,
        at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        throw CocoaError(.fileWriteNoPermission)
    }
}

/// A container whose main context is of a class of its own.
private final class CountingContainer: NSPersistentContainer, @unchecked Sendable {
    private lazy var counting: CountingContext = {
        let context = CountingContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }()
    override var viewContext: NSManagedObjectContext { counting }
}

private final class QuietPerson: NSManagedObject {
    override func changedValues() -> [String: Any] { [:] }
    override class func entity() -> NSEntityDescription { NSEntityDescription() }
}

/// Client classes override what Apple's framework lets them override.
@Suite struct OverrideTests {
    @Test func contextsMayBeExtended() throws {
        let stack = try TestStack(.inMemory)
        let context = CountingContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = stack.coordinator
        let plain: NSManagedObjectContext = context
        try plain.onQueue {
            let object = plain.make("Person", ["name": "Ada"])
            if plain.hasChanges { try plain.save() }
            plain.delete(object)
            #expect(throws: CocoaError.self) {
                try plain.execute(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            }
        }
        plain.performAndWait {}
        #expect(context.calls.prefix(3) == ["performAndWait", "hasChanges", "save"])
        #expect(context.calls.contains("delete"))
        #expect(context.calls.last == "performAndWait")
    }

    @Test func coordinatorsMayBeExtended() throws {
        let plain: NSPersistentStoreCoordinator =
            ClosedCoordinator(managedObjectModel: SampleModel.make())
        #expect(throws: CocoaError.self) {
            try plain.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil
            )
        }
    }

    @Test func containersMayBeExtended() throws {
        let plain: NSPersistentContainer =
            CountingContainer(name: "Sample", managedObjectModel: SampleModel.make())
        #expect(plain.viewContext is CountingContext)
    }

    @Test func objectsMayBeExtended() throws {
        try withContext(.inMemory) { context in
            let entity = try #require(
                NSEntityDescription.entity(forEntityName: "Person", in: context)
            )
            let person = QuietPerson(entity: entity, insertInto: context)
            person.setValue("Ada", forKey: "name")
            #expect((person as NSManagedObject).changedValues().isEmpty)
            let type: NSManagedObject.Type = QuietPerson.self
            #expect(type.entity().name == nil)
        }
    }

    /// A function that takes blocks which do not throw, as wrappers of old pass it on.
    @Test func performAndWaitMayBePassedOn() throws {
        try withStack(.inMemory) { stack in
            let context = stack.makeContext()
            let run: (@Sendable () -> Void) -> Void = context.performAndWait
            let object = stack.makeContext()
            run { object.name = "\(context.registeredObjects.count)" }
            #expect(object.name == "0")
        }
    }
}
