import CoreData
import Dispatch
import TestSupport
import Testing

/// A context that decides what becomes of faults without rows.
private final class StrictContext: NSManagedObjectContext, @unchecked Sendable {
    // @unchecked: used on its queue.
    var asked: [NSManagedObjectID] = []

    override func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject,
        for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        asked.append(oid)
        return super.shouldHandleInaccessibleFault(fault, for: oid, triggeredByProperty: property)
    }
}

@Suite struct ContextMemberTests {
    @Test func aNewContextHasApplesDefaults() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        #expect(context.concurrencyType == .privateQueueConcurrencyType)
        #expect(context.mergePolicy as? NSMergePolicy === NSMergePolicy.error)
        #expect(context.propagatesDeletesAtEndOfEvent && !context.retainsRegisteredObjects)
        #expect(context.shouldDeleteInaccessibleFaults && context.stalenessInterval < 0)
        #expect(context.undoManager == nil && context.name == nil && context.parent == nil)
        #expect(!context.automaticallyMergesChangesFromParent && context.userInfo.count == 0)
        #expect(context.persistentStoreCoordinator == nil)
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func concurrencyTypesHaveApplesNumbers() {
        typealias Kind = NSManagedObjectContext.ConcurrencyType
        #expect(NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue == 1)
        #expect(NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue == 2)
        #expect(Kind.privateQueue.rawValue == .privateQueueConcurrencyType)
        #expect(Kind(rawValue: .mainQueueConcurrencyType) == Kind.mainQueue)
        #expect(NSManagedObjectContext(.mainQueue).concurrencyType == .mainQueueConcurrencyType)
    }

    @Test(arguments: StoreKind.allCases)
    func didSaveCarriesTheGenerationThatWasAskedFor(kind: StoreKind) throws {
        try withContext(kind) { context in
            #expect(context.queryGenerationToken == nil)
            try context.setQueryGenerationFrom(.current)
            let log = NotificationLog(context)
            context.make("Tag", ["label": "t"])
            try context.save()
            log.stop()
            for name in [
                Notification.Name.NSManagedObjectContextDidSave,
                .NSManagedObjectContextDidSaveObjectIDs,
            ] {
                let info = try #require(log.last(name)?.userInfo)
                let generation = info[NSManagedObjectContextQueryGenerationKey]
                #expect(generation as? NSQueryGenerationToken == context.queryGenerationToken)
                #expect(generation != nil)
            }
            try context.setQueryGenerationFrom(nil)
            #expect(context.queryGenerationToken == nil)
        }
    }

    @Test func userInfoAndNameAreTheClients() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.userInfo["mine"] = 3
        context.name = "import"
        #expect(context.userInfo["mine"] as? Int == 3 && context.name == "import")
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test(arguments: StoreKind.allCases)
    func blocksRunAtOnceOrInTurn(kind: StoreKind) async throws {
        let stack = try TestStack(kind)
        let context = stack.makeContext()
        let first = await context.perform(schedule: .immediate) { context.make("Tag").isInserted }
        let second = try await context.perform(schedule: .enqueued) { () throws -> Int in
            try context.save()
            return try context.number("Tag")
        }
        #expect(first && second == 1)
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var wasInside = true
        context.performAndWait {
            context.perform { done.signal() }
            wasInside = done.wait(timeout: .now()) == .success
        }
        #expect(!wasInside)
        context.performAndWait {}
        #expect(done.wait(timeout: .now()) == .success)
    }

    @Test(arguments: StoreKind.allCases)
    func aFaultWithoutARowIsAskedAbout(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = StrictContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = stack.coordinator
            let id = try didSave(of: stack.makeContext()) { $0.make("Tag", ["label": "a"]) }
                .objects(NSInsertedObjectsKey).first?.objectID
            let tagID = try #require(id)
            let fault = context.onQueue { context.object(with: tagID) }
            _ = try didSave(of: stack.makeContext()) { $0.delete(try $0.only("Tag")) }
            context.onQueue {
                #expect(fault.isFault && context.asked.isEmpty)
                #expect(fault.value(forKey: "label") == nil && fault.isDeleted)
                #expect(context.asked == [tagID])
            }
        }
    }

    @Test func aFaultWithoutARowStopsWhereThatIsAskedFor() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let stack = try TestStack(.inMemory)
            let context = stack.makeContext()
            let fault = try context.onQueue {
                let tag = context.make("Tag")
                try context.save()
                return tag
            }
            context.onQueue { context.refresh(fault, mergeChanges: false) }
            _ = try didSave(of: stack.makeContext()) { $0.delete(try $0.only("Tag")) }
            context.onQueue {
                context.shouldDeleteInaccessibleFaults = false
                _ = fault.value(forKey: "label")
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("could not fulfill a fault"))
    }

    @Test(arguments: StoreKind.allCases)
    func resettingTellsOfAllObjectsByTheirIDs(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag")
            try context.save()
            let log = NotificationLog(context)
            context.reset()
            let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
            #expect(
                change.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
                    == [tag.objectID]
            )
        }
    }

    @Test func requestTypesHaveApplesNumbers() {
        let types: [NSPersistentStoreRequestType] = [
            .fetchRequestType, .saveRequestType, .batchInsertRequestType, .batchUpdateRequestType,
            .batchDeleteRequestType,
        ]
        #expect(types.map(\.rawValue) == [1, 2, 5, 6, 7])
        let update = NSBatchUpdateRequest(entityName: "Tag")
        #expect(update.requestType == .batchUpdateRequestType)
        #expect(update.resultType == .statusOnlyResultType)
        #expect(NSBatchUpdateRequestResultType.statusOnlyResultType.rawValue == 0)
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
        let delete = NSBatchDeleteRequest(fetchRequest: fetch)
        #expect(delete.requestType == .batchDeleteRequestType)
        #expect(delete.resultType == .resultTypeStatusOnly)
        let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"]])
        #expect(insert.requestType == .batchInsertRequestType && insert.resultType == .statusOnly)
        #expect(insert.objectsToInsert?.first?["label"] as? String == "x")
    }
}
