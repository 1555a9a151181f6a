import CoreData
import StackSupport
import Threads
import XCTest

@testable import MergeStack

/// Order and loss: main goes through the states of the store in the order of the saves.
class MergeOrderTests: StoreTestCase {
    func testInsertAndDeleteBeforeMainDrains() throws {
        let numbers = Log<Int>()
        let items = try makeItems(MergeOptions { numbers.append($0.sequenceNumber) })
        defer { items.remove() }
        // The main queue does not run before `settle`.
        let id = try items.insertInBackground("a")
        try items.deleteInBackground("a")
        try items.insertInBackground("b")
        settle(items)
        XCTAssertEqual(numbers.all, [1, 2, 3])
        XCTAssertThrowsError(try items.main.existingObject(with: id))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        let names = try items.main.fetch(request).map { $0.value(forKey: "name") as? String }
        XCTAssertEqual(names, ["b"])
        XCTAssertFalse(items.main.hasChanges)
    }

    func testManySavesOfManyContextsMakeVersionsGrowOnly() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("counter", 0)
        settle(items)
        let object = try items.main.existingObject(with: id)
        let seen = Log<Int>()
        let token = NotificationCenter.default.addObserver(
            forName: DidSaveMerger.didMergeNotification,
            object: nil,
            queue: nil
        ) { notification in
            guard notification.object as? DidSaveMerger === items.stack.merger else { return }
            seen.append(
                (items.main.registeredObject(for: id)?.value(forKey: "number") as? Int) ?? -1
            )
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let counter = Guarded(0)
        let lock = NSLock()
        let workers = (0..<4).map { worker in
            background {
                for _ in 0..<25 {
                    let kind: BackgroundContextKind = worker % 2 == 0 ? .privateQueue : .confinement
                    // Saves are one after the other; their notifications come from four threads.
                    lock.lock()
                    defer { lock.unlock() }
                    let next = counter.withLock { count in
                        count += 1
                        return count
                    }
                    try items.stack.performBackgroundAndWait(kind) { context in
                        try context.existingObject(with: id).setValue(next, forKey: "number")
                    }
                }
            }
        }
        wait(for: workers, timeout: 120)
        settle(items)
        XCTAssertEqual(seen.all.count, 100)
        XCTAssertEqual(seen.all, seen.all.sorted())
        XCTAssertEqual(object.value(forKey: "number") as? Int, 100)
    }

    func testNothingIsLostWhenManyThreadsSave() throws {
        let items = try makeItems()
        defer { items.remove() }
        let workers = (0..<4).map { worker in
            background {
                for save in 0..<25 { try items.insertInBackground("\(worker)-\(save)") }
            }
        }
        wait(for: workers, timeout: 120)
        settle(items)
        let statistics = items.stack.merger.statistics
        XCTAssertEqual(statistics.mergeCount, 100)
        XCTAssertEqual(statistics.mergedObjectCount, 100)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        XCTAssertEqual(try items.main.count(for: request), 100)
    }

    func testLocalChangesStayOnTop() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("a", 1)
        settle(items)
        let object = try items.main.existingObject(with: id)
        object.setValue("mine", forKey: "name")
        try items.updateInBackground("a", to: 2)
        settle(items)
        XCTAssertEqual(object.value(forKey: "name") as? String, "mine")
        XCTAssertEqual(object.value(forKey: "number") as? Int, 2)
        try items.main.save()
        XCTAssertEqual(object.value(forKey: "name") as? String, "mine")
    }
}
