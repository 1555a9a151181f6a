import CoreData
import TestSupport
import XCTest

/// What must run on the main thread, with a main queue that drains in `wait(for:)`.
final class QueueTests: XCTestCase {
    func testMainAndBackgroundContextsNest() throws {
        let stack = try TestStack(.inMemory)
        let main = stack.makeMainContext(), background = stack.makeContext()
        nonisolated(unsafe) var steps: [Int] = []
        main.performAndWait {
            steps.append(1)
            background.performAndWait {
                steps.append(2)
                main.performAndWait {
                    steps.append(3)
                    background.performAndWait { steps.append(4) }
                    main.make("Tag")
                }
                background.performAndWait { steps.append(5) }
            }
        }
        XCTAssertEqual(steps, [1, 2, 3, 4, 5])
        XCTAssertEqual(main.insertedObjects.count, 1)
    }

    func testBackgroundMainBackgroundNests() throws {
        let stack = try TestStack(.inMemory)
        let main = stack.makeMainContext(), background = stack.makeContext()
        let done = expectation(description: "done")
        nonisolated(unsafe) var steps: [Int] = []
        background.perform {
            steps.append(1)
            main.performAndWait {
                steps.append(2)
                background.performAndWait { steps.append(3) }
            }
            steps.append(4)
            done.fulfill()
        }
        wait(for: [done], timeout: 30)
        XCTAssertEqual(steps, [1, 2, 3, 4])
    }

    func testMainContextPostsAtTheEndOfTheEvent() throws {
        let stack = try TestStack(.inMemory)
        let main = stack.makeMainContext()
        let posted = expectation(
            forNotification: .NSManagedObjectContextObjectsDidChange,
            object: main
        )
        main.make("Tag")
        wait(for: [posted], timeout: 30)
        withExtendedLifetime(stack) {}
    }

    func testPerformKeepsTheOrderAndProcessesPendingChanges() throws {
        let stack = try TestStack(.inMemory)
        let context = stack.makeContext()
        let done = expectation(description: "done")
        nonisolated(unsafe) var order: [Int] = []
        let log = NotificationLog(context)
        for index in 0..<100 {
            context.perform {
                order.append(index)
                if index == 50 { context.make("Tag") }
            }
        }
        context.perform { done.fulfill() }
        wait(for: [done], timeout: 30)
        context.performAndWait {
            XCTAssertEqual(order, Array(0..<100))
            XCTAssertEqual(log.names, ["didChange"])
        }
        log.stop()
        withExtendedLifetime(stack) {}
    }

    func testABackgroundSaveOnMainMergesWhereMainWaits() throws {
        let stack = try TestStack(.sqlite)
        let main = stack.makeMainContext(), background = stack.makeContext()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: background,
            queue: nil
        ) { notification in
            main.onQueue { main.mergeChanges(fromContextDidSave: notification) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let log = NotificationLog(main)
        try background.onQueue {
            background.make("Tag", ["label": "t"])
            try background.save()
        }
        log.stop()
        XCTAssertEqual(log.names, ["didChange", "didMerge"])
        XCTAssertEqual(try main.number("Tag"), 1)
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    func testAsyncPerformReturnsAndThrows() async throws {
        struct Failure: Error {}
        let stack = try TestStack(.inMemory)
        let context = stack.makeContext()
        let number = try await context.perform {
            context.make("Tag")
            try context.save()
            return try context.number("Tag")
        }
        XCTAssertEqual(number, 1)
        do {
            try await context.perform(schedule: .enqueued) { throw Failure() }
            XCTFail("The error of the block was lost.")
        } catch is Failure {}
        withExtendedLifetime(stack) {}
    }

    func testConfinementContextsWorkOnAThreadOfTheCallersOwn() throws {
        let stack = try TestStack(.sqlite)
        let done = expectation(description: "done")
        let coordinator = stack.coordinator
        nonisolated(unsafe) var failure: (any Error)?
        Thread {
            do {
                guard let type = NSManagedObjectContextConcurrencyType(rawValue: 0) else { return }
                let context = NSManagedObjectContext(concurrencyType: type)
                context.persistentStoreCoordinator = coordinator
                for index in 0..<10 {
                    context.make("Tag", ["label": "\(index)"])
                    try context.save()
                }
            } catch {
                failure = error
            }
            done.fulfill()
        }.start()
        wait(for: [done], timeout: 30)
        XCTAssertNil(failure)
        XCTAssertEqual(try stack.makeMainContext().number("Tag"), 10)
    }

    func testTheViewContextMergesByItselfOnMain() throws {
        let container = NSPersistentContainer(name: "Test", managedObjectModel: SampleModel.make())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in XCTAssertNil(error) }
        container.viewContext.automaticallyMergesChangesFromParent = true
        let tag = container.viewContext.make("Tag", ["label": "old"])
        try container.viewContext.save()
        let id = tag.objectID
        let merged = expectation(
            forNotification: .NSManagedObjectContextDidMergeChangesObjectIDs,
            object: container.viewContext
        )
        container.performBackgroundTask { context in
            do {
                try context.existingObject(with: id).setValue("new", forKey: "label")
                try context.save()
            } catch {
                XCTFail("\(error)")
            }
        }
        wait(for: [merged], timeout: 30)
        XCTAssertEqual(tag.text("label"), "new")
    }
}
