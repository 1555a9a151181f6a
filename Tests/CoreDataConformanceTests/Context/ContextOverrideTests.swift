import CoreData
import TestSupport
import Testing

/// A context that counts what is asked of it, as clients do to test themselves.
private final class AskedContext: NSManagedObjectContext, @unchecked Sendable {
    var asked: [String] = []
    private let info: NSMutableDictionary = ["key": "own"]

    override var concurrencyType: NSManagedObjectContextConcurrencyType {
        asked.append("concurrencyType")
        return super.concurrencyType
    }
    override var userInfo: NSMutableDictionary { info }
    override var queryGenerationToken: NSQueryGenerationToken? { .current }
    override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        throw CocoaError(.featureUnsupported)
    }
    override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        asked.append("fetch \(request.entityName ?? "")")
        return try super.fetch(request)
    }
    override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        asked.append("count \(request.entityName ?? "")")
        return try super.count(for: request) + 1
    }
}

private final class FailingContext: NSManagedObjectContext, @unchecked Sendable {
    override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        throw CocoaError(.userCancelled)
    }
    override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        throw CocoaError(.userCancelled)
    }
}

private final class OwnPolicy: NSMergePolicy, @unchecked Sendable {
    override var mergeType: NSMergePolicyType { .overwriteMergePolicyType }
    override class var error: NSMergePolicy { OwnPolicy(merge: .errorMergePolicyType) }
    override class var rollback: NSMergePolicy { OwnPolicy(merge: .errorMergePolicyType) }
    override class var overwrite: NSMergePolicy { OwnPolicy(merge: .errorMergePolicyType) }
    override class var mergeByPropertyObjectTrump: NSMergePolicy {
        OwnPolicy(merge: .errorMergePolicyType)
    }
    override class var mergeByPropertyStoreTrump: NSMergePolicy {
        OwnPolicy(merge: .errorMergePolicyType)
    }
}

private final class OwnConflict: NSMergeConflict {
    override var sourceObject: NSManagedObject { super.sourceObject }
    override var objectSnapshot: [String: Any]? { ["own": 1] }
    override var cachedSnapshot: [String: Any]? { ["own": 2] }
    override var persistedSnapshot: [String: Any]? { ["own": 3] }
    override var newVersionNumber: Int { 4 }
    override var oldVersionNumber: Int { 5 }
}

private final class OwnConstraintConflict: NSConstraintConflict {
    override var constraint: [String] { ["own"] }
    override var constraintValues: [String: Any] { ["own": 1] }
    override var databaseObject: NSManagedObject? { nil }
    override var databaseSnapshot: [String: Any]? { ["own": 2] }
    override var conflictingObjects: [NSManagedObject] { [] }
    override var conflictingSnapshots: [[AnyHashable: Any]] { [["own": 3]] }
}

private final class OwnCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    override var managedObjectModel: NSManagedObjectModel { NSManagedObjectModel() }
    override func currentPersistentHistoryToken(
        fromStores stores: [Any]?
    ) -> NSPersistentHistoryToken? { nil }
    override class var registeredStoreTypes: [String: NSValue] { [:] }
    override class func registerStoreClass(_ storeClass: AnyClass?, forStoreType: String) {}
    @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, *)
    override class func cachedModelForPersistentStore(
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel { NSManagedObjectModel() }
}

/// What Apple's framework lets clients override of contexts and their helpers can be overridden.
@Suite struct ContextOverrideTests {
    @Test func fetchesOfAllTypesGoThroughTheContextsOwn() throws {
        try withStack(.inMemory) { stack in
            let context = AskedContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = stack.coordinator
            try context.onQueue { () throws -> Void in
                let plain: NSManagedObjectContext = context
                plain.make("Tag", ["label": "a"])
                let typed = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                #expect(try plain.fetch(typed).map { $0.text("label") } == ["a"])
                #expect(try plain.count(for: typed) == 2)
                #expect(try typed.execute().count == 1)
                let any = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
                #expect(try plain.fetch(any).count == 1)
                #expect(try plain.count(for: any) == 2)
            }
            #expect(
                context.asked.filter { $0 != "concurrencyType" } == [
                    "fetch Tag", "count Tag", "fetch Tag", "fetch Tag", "count Tag",
                ]
            )
        }
    }

    @Test func aContextMayFailAllFetches() throws {
        try withStack(.inMemory) { stack in
            let context = FailingContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = stack.coordinator
            context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                #expect(throws: CocoaError.self) { try context.fetch(request) }
                #expect(throws: CocoaError.self) { try context.count(for: request) }
            }
        }
    }

    @Test func contextsMayAnswerForThemselves() throws {
        let context: NSManagedObjectContext =
            AskedContext(concurrencyType: .privateQueueConcurrencyType)
        #expect(context.concurrencyType == .privateQueueConcurrencyType)
        #expect(context.userInfo["key"] as? String == "own")
        #expect(context.queryGenerationToken == .current)
        #expect(throws: CocoaError.self) { try context.setQueryGenerationFrom(nil) }
    }

    @Test func policiesMayAnswerForThemselves() {
        let policy: NSMergePolicy = OwnPolicy(merge: .errorMergePolicyType)
        #expect(policy.mergeType == .overwriteMergePolicyType)
        let type: NSMergePolicy.Type = OwnPolicy.self
        let policies = [
            type.error, type.rollback, type.overwrite, type.mergeByPropertyObjectTrump,
            type.mergeByPropertyStoreTrump,
        ]
        #expect(policies.allSatisfy { $0 is OwnPolicy })
        #expect(NSMergePolicy.error === NSMergePolicy.error)
    }

    @Test func conflictsMayAnswerForThemselves() throws {
        try withContext(.inMemory) { context in
            let conflict: NSMergeConflict = OwnConflict(
                source: context.make("Tag"),
                newVersion: 1,
                oldVersion: 1,
                cachedSnapshot: nil,
                persistedSnapshot: nil
            )
            #expect(conflict.sourceObject.isInserted)
            #expect(conflict.objectSnapshot?["own"] as? Int == 1)
            #expect(conflict.cachedSnapshot?["own"] as? Int == 2)
            #expect(conflict.persistedSnapshot?["own"] as? Int == 3)
            #expect(conflict.newVersionNumber == 4)
            #expect(conflict.oldVersionNumber == 5)
        }
        let conflict: NSConstraintConflict = OwnConstraintConflict()
        #expect(conflict.constraint == ["own"])
        #expect(conflict.constraintValues["own"] as? Int == 1)
        #expect(conflict.databaseSnapshot?["own"] as? Int == 2)
        #expect(conflict.conflictingSnapshots[0]["own"] as? Int == 3)
    }

    @Test func coordinatorsMayAnswerForThemselves() throws {
        let coordinator: NSPersistentStoreCoordinator =
            OwnCoordinator(managedObjectModel: SampleModel.make())
        #expect(coordinator.managedObjectModel.entities.isEmpty)
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
        let type: NSPersistentStoreCoordinator.Type = OwnCoordinator.self
        #expect(type.registeredStoreTypes.isEmpty)
        type.registerStoreClass(nil, forStoreType: NSSQLiteStoreType)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[NSSQLiteStoreType] != nil)
    }

    @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, *)
    @Test func coordinatorsMayGiveAModelOfTheirOwn() throws {
        let type: NSPersistentStoreCoordinator.Type = OwnCoordinator.self
        let nowhere = URL(fileURLWithPath: "/nowhere.sqlite")
        #expect(try type.cachedModelForPersistentStore(at: nowhere).entities.isEmpty)
    }

    /// An empty conflict, as tests of clients make it.
    @Test func aConstraintConflictMayBeEmpty() {
        let conflict = NSConstraintConflict()
        #expect(conflict.constraint.isEmpty)
        #expect(conflict.constraintValues.isEmpty)
        #expect(conflict.databaseObject == nil)
        #expect(conflict.databaseSnapshot == nil)
        #expect(conflict.conflictingObjects.isEmpty)
        #expect(conflict.conflictingSnapshots.isEmpty)
    }
}
