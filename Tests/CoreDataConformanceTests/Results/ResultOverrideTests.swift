import CoreData
import TestSupport
import Testing

private final class OwnController: NSFetchedResultsController<NSManagedObject> {
    override var fetchRequest: NSFetchRequest<NSManagedObject> { .init(entityName: "Own") }
    override var managedObjectContext: NSManagedObjectContext { super.managedObjectContext }
    override var sectionNameKeyPath: String? { "own" }
    override var cacheName: String? { "Own" }
    override var fetchedObjects: [NSManagedObject]? { [] }
    override class func deleteCache(withName name: String?) {}
}

private final class OwnAsynchronousRequest: NSAsynchronousFetchRequest<NSManagedObject> {
    override var fetchRequest: NSFetchRequest<NSManagedObject> { .init(entityName: "Own") }
}

private final class OwnBatchDelete: NSBatchDeleteRequest {
    override var fetchRequest: NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest(entityName: "Own")
    }
}

private final class OwnNode: NSIncrementalStoreNode {
    override var objectID: NSManagedObjectID { super.objectID }
    override var version: UInt64 { 7 }
}

private final class OwnCacheNode: NSAtomicStoreCacheNode {
    override var objectID: NSManagedObjectID { super.objectID }
}

private final class OwnDescription: NSPersistentStoreDescription, @unchecked Sendable {
    override var options: [String: NSObject] { ["own": NSNumber(value: 1)] }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class OwnLightStage: NSLightweightMigrationStage {
    override var versionChecksums: [String] { ["own"] }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class OwnReference: NSManagedObjectModelReference, @unchecked Sendable {
    override var versionChecksum: String { "own" }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class OwnCustomStage: NSCustomMigrationStage {
    override var currentModel: NSManagedObjectModelReference { super.nextModel }
    override var nextModel: NSManagedObjectModelReference { super.currentModel }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class OwnStagedManager: NSStagedMigrationManager {
    override var stages: [NSMigrationStage] { [] }
    override var container: NSPersistentContainer? { nil }
}

private final class OwnManager: NSMigrationManager, @unchecked Sendable {
    override var sourceModel: NSManagedObjectModel { super.destinationModel }
    override var destinationModel: NSManagedObjectModel { super.sourceModel }
    override var sourceContext: NSManagedObjectContext { super.destinationContext }
    override var destinationContext: NSManagedObjectContext { super.sourceContext }
}

// What the framework makes can be described by a subclass, too.
private class OwnChange: NSPersistentHistoryChange, @unchecked Sendable {
    override var changeID: Int64 { 1 }
    override var changedObjectID: NSManagedObjectID { super.changedObjectID }
    override var changeType: NSPersistentHistoryChangeType { .insert }
    override var tombstone: [AnyHashable: Any]? { nil }
    override var transaction: NSPersistentHistoryTransaction? { nil }
    override var updatedProperties: Set<NSPropertyDescription>? { nil }
}

private class OwnTransaction: NSPersistentHistoryTransaction, @unchecked Sendable {
    override var timestamp: Date { .distantPast }
    override var changes: [NSPersistentHistoryChange]? { nil }
    override var transactionNumber: Int64 { 1 }
    override var storeID: String { "" }
    override var bundleID: String { "" }
    override var processID: String { "" }
    override var contextName: String? { nil }
    override var author: String? { nil }
}

private class OwnHistoryResult: NSPersistentHistoryResult {
    override var result: Any? { nil }
    override var resultType: NSPersistentHistoryResultType { .count }
}

private class OwnInsertResult: NSBatchInsertResult {
    override var result: Any? { nil }
    override var resultType: NSBatchInsertRequestResultType { .count }
}

private class OwnUpdateResult: NSBatchUpdateResult {
    override var result: Any? { nil }
    override var resultType: NSBatchUpdateRequestResultType { .updatedObjectsCountResultType }
}

private class OwnDeleteResult: NSBatchDeleteResult {
    override var result: Any? { nil }
    override var resultType: NSBatchDeleteRequestResultType { .resultTypeCount }
}

private class OwnAsynchronousResult: NSAsynchronousFetchResult<NSManagedObject> {
    override var fetchRequest: NSAsynchronousFetchRequest<NSManagedObject> { super.fetchRequest }
    override var finalResult: [NSManagedObject]? { nil }
    override var managedObjectContext: NSManagedObjectContext { super.managedObjectContext }
    override var operationError: (any Error)? { nil }
    override var progress: Progress? { nil }
}

/// What Apple's framework lets clients override of requests, results and migrations can be
/// overridden.
@Suite struct ResultOverrideTests {
    @Test func controllersMayAnswerForThemselves() throws {
        try withContext(.inMemory) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
            context.make("Tag")
            let controller: NSFetchedResultsController<NSManagedObject> = OwnController(
                fetchRequest: request,
                managedObjectContext: context,
                sectionNameKeyPath: nil,
                cacheName: nil
            )
            try controller.performFetch()
            #expect(controller.fetchRequest.entityName == "Own")
            #expect(controller.managedObjectContext === context)
            #expect(controller.sectionNameKeyPath == "own")
            #expect(controller.cacheName == "Own")
            #expect(controller.fetchedObjects == [])
            #expect(controller.sections?.first?.numberOfObjects == 1)
        }
    }

    @Test func requestsMayAnswerForThemselves() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        let asynchronous: NSAsynchronousFetchRequest<NSManagedObject> =
            OwnAsynchronousRequest(fetchRequest: request)
        #expect(asynchronous.fetchRequest.entityName == "Own")
        let delete: NSBatchDeleteRequest =
            OwnBatchDelete(fetchRequest: NSFetchRequest(entityName: "Tag"))
        #expect(delete.fetchRequest.entityName == "Own")
    }

    @Test func nodesAndDescriptionsMayAnswerForThemselves() throws {
        try withContext(.inMemory) { context in
            let id = context.make("Tag").objectID
            let node: NSIncrementalStoreNode =
                OwnNode(objectID: id, withValues: [:], version: 1)
            #expect(node.objectID == id)
            #expect(node.version == 7)
            let cacheNode: NSAtomicStoreCacheNode = OwnCacheNode(objectID: id)
            #expect(cacheNode.objectID == id)
        }
        let description: NSPersistentStoreDescription = OwnDescription()
        #expect(description.options.count == 1)
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func stagesMayAnswerForThemselves() {
        let model = SampleModel.make(), next = NSManagedObjectModel()
        let reference: NSManagedObjectModelReference =
            OwnReference(model: model, versionChecksum: model.versionChecksum)
        #expect(reference.versionChecksum == "own")
        let other = NSManagedObjectModelReference(model: next, versionChecksum: "next")
        let stage: NSCustomMigrationStage = OwnCustomStage(migratingFrom: reference, to: other)
        #expect(stage.currentModel === other)
        #expect(stage.nextModel === reference)
        let light: NSLightweightMigrationStage = OwnLightStage(["a", "b"])
        #expect(light.versionChecksums == ["own"])
        let staged: NSStagedMigrationManager = OwnStagedManager([stage, light])
        #expect(staged.stages.isEmpty)
        #expect(staged.container == nil)
    }

    @Test func migrationsMayAnswerForThemselves() {
        let model = SampleModel.make(), next = NSManagedObjectModel()
        let manager: NSMigrationManager = OwnManager(sourceModel: model, destinationModel: next)
        #expect(manager.sourceModel === next)
        #expect(manager.destinationModel === model)
        #expect(manager.sourceContext !== manager.destinationContext)
    }
}
