import CoreData
import Dispatch
import TestSupport
import Testing

/// Contexts by key-value access, without queues, and in the hands of others.
@Suite struct ContextValueTests {
    @Test func contextsAnswerToKeys() throws {
        try withStack(.sqlite) { stack throws in
            let parent = stack.makeContext()
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.parent = parent
            try context.onQueue {
                let tags = ["a", "b"].map { context.make("Tag", ["label": $0]) }
                try context.save()
                let song = context.make("Song")
                tags[0].setValue("c", forKey: "label")
                context.delete(tags[1])
                func set(_ key: String) -> Set<NSManagedObject>? {
                    context.value(forKey: key) as? Set<NSManagedObject>
                }
                #expect(set("insertedObjects") == [song] && set("updatedObjects") == [tags[0]])
                #expect(set("deletedObjects") == [tags[1]])
                #expect(set("registeredObjects") == [song, tags[0], tags[1]])
                #expect(context.value(forKey: "hasChanges") as? Bool == true)
                #expect(context.value(forKey: "parentContext") as AnyObject === parent)
                #expect(
                    context.value(forKey: "persistentStoreCoordinator") as AnyObject
                        === stack.coordinator
                )
                #expect(context.value(forKey: "undoManager") == nil)
                context.setValue("editor", forKey: "name")
                #expect(context.name == "editor")
                #expect(context.value(forKey: "name") as? String == "editor")
            }
        }
    }

    @Test func aParentIsTakenBackBeforeTheContextIsUsed() throws {
        try withStack(.sqlite) { stack throws in
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.parent = nil
            #expect(context.parent == nil)
            context.parent = stack.makeContext()
            context.parent = nil
            #expect(context.parent == nil && context.persistentStoreCoordinator == nil)
            context.persistentStoreCoordinator = stack.coordinator
            context.onQueue { _ = context.make("Tag") }
            context.persistentStoreCoordinator = stack.coordinator
            context.onQueue { #expect(context.insertedObjects.count == 1) }
        }
    }

    @Test func mergingMayBeAskedForBeforeThereIsACoordinator() throws {
        try withStack(.sqlite) { stack throws in
            let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            reader.automaticallyMergesChangesFromParent = true
            reader.persistentStoreCoordinator = stack.coordinator
            let writer = stack.makeContext()
            let tag = try writer.onQueue {
                let tag = writer.make("Tag", ["label": "a"])
                try writer.save()
                return tag
            }
            let seen = reader.onQueue {
                let seen = reader.object(with: tag.objectID)
                #expect(seen.text("label") == "a")
                return seen
            }
            try writer.onQueue {
                tag.setValue("b", forKey: "label")
                try writer.save()
            }
            reader.onQueue { #expect(seen.text("label") == "b") }
        }
    }

    @Test(arguments: [StoreKind.sqlite, .inMemory])
    @available(*, deprecated)
    func aChildOfAContextWithoutAQueueSharesItsThread(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let parent = NSManagedObjectContext()
            parent.persistentStoreCoordinator = stack.coordinator
            let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
            child.parent = parent
            child.automaticallyMergesChangesFromParent = true
            let tag = child.make("Tag", ["label": "a"])
            try child.save()
            #expect(try parent.only("Tag").text("label") == "a")
            try parent.save()
            tag.setValue("b", forKey: "label")
            try child.save()
            #expect(parent.hasChanges)
            try parent.save()
            let other = stack.makeContext()
            try other.onQueue { () throws in #expect(try other.only("Tag").text("label") == "b") }
        }
    }

    @available(*, deprecated)
    @Test func contextsCanAlwaysBeLocked() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.lock()
        #expect(context.tryLock(), "The queue is what keeps others out.")
        context.unlock()
        context.unlock()
    }

    @available(*, deprecated)
    @Test func aLockedCoordinatorIsLockedForOthers() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        func isFree() -> Bool {
            nonisolated(unsafe) var isFree = false
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                isFree = coordinator.tryLock()
                if isFree { coordinator.unlock() }
                done.signal()
            }
            done.wait()
            return isFree
        }
        coordinator.lock()
        #expect(!isFree())
        coordinator.unlock()
        #expect(isFree())
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func aBlockInABlockOfItsContextRunsAtOnce() async throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeContext()
        let count = try await context.perform {
            context.performAndWait { _ = context.make("Tag") }
            return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        }
        #expect(count == 1)
        withExtendedLifetime(stack) {}
    }

    @Test func generationsAreValues() throws {
        let token = NSQueryGenerationToken.current
        #expect(NSQueryGenerationToken.supportsSecureCoding)
        #expect(token.copy() as? NSQueryGenerationToken == token)
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: token,
            requiringSecureCoding: true
        )
        let read = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSQueryGenerationToken.self,
            from: data
        )
        #expect(read == token && read?.hash == token.hash)
    }

    @Test func anInsertedObjectThatWasDeletedCanBeInsertedAgain() throws {
        try withContext(.sqlite) { context throws in
            let new = context.make("Tag", ["label": "new"])
            let old = context.make("Tag", ["label": "old"])
            try context.save()
            let unsaved = context.make("Tag", ["label": "unsaved"])
            for object in [new, unsaved] { context.delete(object) }
            context.insert(new)
            context.insert(unsaved)
            context.insert(old)
            #expect(context.deletedObjects.isEmpty && !old.hasChanges)
            #expect(context.insertedObjects == [unsaved])
            try context.save()
            context.reset()
            let labels = try context.all("Tag", sortedBy: "label").map { $0.text("label") }
            #expect(labels == ["new", "old", "unsaved"])
        }
    }
}
