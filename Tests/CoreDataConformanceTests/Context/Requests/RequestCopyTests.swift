import CoreData
import TestSupport
import Testing

/// Copies of requests, and requests made of entities.
@Suite struct RequestCopyTests {
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    @Test func aCopyOfABatchInsertInsertsTheSame() throws {
        try withContext(.sqlite) { context throws in
            let entities = try #require(
                context.persistentStoreCoordinator?.managedObjectModel.entitiesByName
            )
            let tag = try #require(entities["Tag"]), song = try #require(entities["Song"])
            let request = NSBatchInsertRequest(entity: tag, objects: [["label": "a"]])
            request.resultType = .count
            let copy = try #require(request.copy() as? NSBatchInsertRequest)
            request.objectsToInsert = [["label": "b"], ["label": "c"]]
            #expect(copy.entityName == "Tag" && copy.resultType == .count)
            #expect((try context.execute(copy) as? NSBatchInsertResult)?.result as? Int == 1)
            #expect(try context.all("Tag").map { $0.text("label") } == ["a"])
            var count = 0
            let byHandler = NSBatchInsertRequest(
                entity: song,
                managedObjectHandler: { object in
                    count += 1
                    object.setValue("s\(count)", forKey: "title")
                    return count > 2
                }
            )
            let copyOfHandler = try #require(byHandler.copy() as? NSBatchInsertRequest)
            try context.execute(copyOfHandler)
            let titles = try context.all("Song", sortedBy: "title").map { $0.text("title") }
            #expect(titles == ["s1", "s2"])
        }
    }

    @Test func aCopyOfABatchUpdateUpdatesTheSame() throws {
        try withContext(.sqlite) { context throws in
            for label in ["a", "b"] { context.make("Tag", ["label": label]) }
            try context.save()
            let entity = try #require(
                context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Tag"]
            )
            let request = NSBatchUpdateRequest(entity: entity)
            request.predicate = NSPredicate(format: "label == 'a'")
            request.propertiesToUpdate = ["label": "c"]
            request.resultType = .updatedObjectsCountResultType
            let copy = try #require(request.copy() as? NSBatchUpdateRequest)
            request.predicate = nil
            #expect(copy.entity === entity && copy.entityName == "Tag")
            #expect((try context.execute(copy) as? NSBatchUpdateResult)?.result as? Int == 1)
            context.refreshAllObjects()
            let labels = try context.all("Tag", sortedBy: "label").map { $0.text("label") }
            #expect(labels == ["b", "c"])
        }
    }

    @Test func aCopyOfABatchDeleteDeletesTheSame() throws {
        try withContext(.sqlite) { context throws in
            let tags = ["a", "b", "c"].map { context.make("Tag", ["label": $0]) }
            try context.save()
            let request = NSBatchDeleteRequest(objectIDs: [tags[0].objectID])
            request.resultType = .resultTypeCount
            let copy = try #require(request.copy() as? NSBatchDeleteRequest)
            #expect(copy.fetchRequest === request.fetchRequest)
            #expect((try context.execute(copy) as? NSBatchDeleteResult)?.result as? Int == 1)
            #expect(try context.number("Tag") == 2)
        }
    }

    @Test func aCopyOfAnAsynchronousFetchFetchesTheSame() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        let block: (NSAsynchronousFetchResult<NSManagedObject>) -> Void = { _ in }
        let original = NSAsynchronousFetchRequest(fetchRequest: request, completionBlock: block)
        original.estimatedResultCount = 7
        let copy = try #require(original.copy() as? NSAsynchronousFetchRequest<NSManagedObject>)
        #expect(copy !== original && copy.fetchRequest === request)
        #expect(copy.estimatedResultCount == 7 && copy.completionBlock != nil)
    }

    @Test func aRequestThatNamesNoEntityThrows() throws {
        try withContext(.sqlite) { context throws in
            #expect(throws: (any Error).self) { try context.execute(NSBatchUpdateRequest()) }
            #expect(throws: (any Error).self) { try context.execute(NSBatchInsertRequest()) }
            #expect(throws: (any Error).self) { try context.execute(NSPersistentStoreRequest()) }
        }
    }

    @available(*, deprecated)
    @Test func anAsynchronousFetchNeedsAQueue() throws {
        try withStack(.sqlite) { stack throws in
            let context = NSManagedObjectContext()
            context.persistentStoreCoordinator = stack.coordinator
            #expect(context.concurrencyType == .confinementConcurrencyType)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let error = caughtError {
                try context.execute(NSAsynchronousFetchRequest(fetchRequest: request))
            }
            #expect(error?.localizedDescription.contains("queue") == true)
        }
    }

    @Test func anAsynchronousFetchInAChildShowsWhatItsParentHas() async throws {
        let stack = try TestStack(.sqlite)
        let parent = stack.makeContext()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        parent.onQueue { _ = parent.make("Tag", ["label": "unsaved"]) }
        let labels = try await completion { (finish: @escaping @Sendable ([String?]) -> Void) in
            child.perform {
                let request = NSAsynchronousFetchRequest(
                    fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Tag")
                ) { result in
                    finish(result.finalResult?.map { $0.value(forKey: "label") as? String } ?? [])
                }
                do {
                    try child.execute(request)
                } catch {
                    finish(["\(error)"])
                }
            }
        }
        #expect(labels == ["unsaved"])
        withExtendedLifetime(stack) {}
    }

    @Test func resultsAreCastByAnyObject() throws {
        try withContext(.sqlite) { context throws in
            context.make("Tag", ["label": "a"])
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let result: AnyObject = try context.execute(request)
            let typed = unsafeBitCast(
                result,
                to: NSAsynchronousFetchResult<NSManagedObject>.self
            )
            #expect(typed.finalResult?.map { $0.text("label") } == ["a"])
        }
    }
}
