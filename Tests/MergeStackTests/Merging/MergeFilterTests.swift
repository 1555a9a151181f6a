import CoreData
import StackSupport
import Threads
import XCTest

@testable import MergeStack

/// What a merger leaves alone, and what it counts of it.
class MergeFilterTests: StoreTestCase {
    func testForeignCoordinatorsAreDropped() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions { reports.append($0) })
        defer { items.remove() }
        let foreign = try makeItems()
        defer { foreign.remove() }
        try foreign.insertInBackground("foreign")
        settle(items)
        let statistics = items.stack.merger.statistics
        XCTAssertEqual(statistics.mergeCount, 0)
        XCTAssertGreaterThanOrEqual(statistics.droppedCounts[.foreignCoordinator] ?? 0, 1)
        XCTAssertTrue(reports.all.contains { $0.dropReason == .foreignCoordinator })
        settle(foreign)
        XCTAssertEqual(foreign.stack.merger.statistics.mergeCount, 1)
    }

    func testOwnSavesAreDropped() throws {
        let items = try makeItems()
        defer { items.remove() }
        ItemStack.insert("own", into: items.main)
        try items.main.save()
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.droppedCounts[.ownSave], 1)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 0)
    }

    func testSavesOfChildrenOfMainAreDropped() throws {
        let items = try makeItems()
        defer { items.remove() }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = items.main
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        for context in [grandchild, child] {
            try context.inside {
                ItemStack.insert(context === child ? "child" : "grandchild", into: context)
                try context.save()
            }
        }
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.droppedCounts[.descendant], 2)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 0)
        XCTAssertEqual(items.main.insertedObjects.count, 2)
    }

    func testEmptySavesAreDropped() throws {
        let items = try makeItems()
        defer { items.remove() }
        let context = items.stack.makeBackgroundContext()
        // Some Core Data posts nothing for such a save; this notification is what others post.
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidSave,
            object: context,
            userInfo: [NSInsertedObjectsKey: Set<NSManagedObject>()]
        )
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.droppedCounts[.emptySave], 1)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 0)
    }

    func testASaveInADidMergeObserverDoesNotLoop() throws {
        let items = try makeItems()
        defer { items.remove() }
        let count = Guarded(0)
        let token = NotificationCenter.default.addObserver(
            forName: DidSaveMerger.didMergeNotification,
            object: nil,
            queue: nil
        ) { notification in
            guard notification.object as? DidSaveMerger === items.stack.merger else { return }
            count.withLock { $0 += 1 }
            ItemStack.insert("by the observer", into: items.main)
            do {
                try items.main.save()
            } catch {
                XCTFail("\(error)")
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try items.insertInBackground("a")
        settle(items)
        settle(items)
        XCTAssertEqual(count.withLock { $0 }, 1)
        XCTAssertEqual(items.stack.merger.statistics.droppedCounts[.ownSave], 1)
    }

    func testTheReportSaysWhatHappened() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions { reports.append($0) })
        defer { items.remove() }
        let ids = try (0..<3).map { try items.insertInBackground("\($0)") }
        settle(items)
        let shown = try items.main.existingObject(with: ids[0])
        items.main.refresh(shown, mergeChanges: false)
        try items.stack.performBackgroundAndWait(name: "worker") { context in
            for id in ids.prefix(2) {
                try context.existingObject(with: id).setValue(7, forKey: "number")
            }
            context.delete(try context.existingObject(with: ids[2]))
            ItemStack.insert("new", into: context)
        }
        settle(items)
        let report = try XCTUnwrap(reports.all.last)
        XCTAssertEqual(report.contextName, "worker")
        XCTAssertEqual(report.sequenceNumber, 4)
        XCTAssertEqual(report.insertedCount, 1)
        XCTAssertEqual(report.updatedCount, 2)
        XCTAssertEqual(report.deletedCount, 1)
        XCTAssertEqual(report.firedFaultCount, 1)
        XCTAssertGreaterThanOrEqual(report.registeredCount, 1)
        XCTAssertNil(report.dropReason)
        XCTAssertGreaterThan(report.waitingTime, .zero)
        XCTAssertGreaterThan(report.mainQueueTime, .zero)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 7)
    }
}
