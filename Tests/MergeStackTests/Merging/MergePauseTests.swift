import CoreData
import StackSupport
import TestSupport
import XCTest

@testable import MergeStack

/// While merging is paused, saves become one merge.
class MergePauseTests: StoreTestCase {
    func testPausedSavesBecomeOneMergeThatNamesEachObjectOnce() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions { reports.append($0) })
        defer { items.remove() }
        let kept = try items.insertInBackground("kept", 1)
        settle(items)
        let shown = try items.main.existingObject(with: kept)
        items.stack.merger.pause()
        for number in 2...5 { try items.updateInBackground("kept", to: number) }
        let gone = try items.insertInBackground("gone")
        // The main context may come across it by itself.
        let fetched = try items.main.existingObject(with: gone)
        try items.insertInBackground("new", 1)
        try items.updateInBackground("new", to: 2)
        try items.deleteInBackground("gone")
        turnMainQueue()
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 1)
        XCTAssertFalse(items.stack.merger.waitUntilSettled())
        items.stack.merger.resume()
        settle(items)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 5)
        XCTAssertTrue(fetched.isDeleted || fetched.managedObjectContext == nil)
        let report = try XCTUnwrap(reports.all.last)
        XCTAssertEqual(reports.all.count, 2)
        XCTAssertEqual(report.coalescedCount, 8)
        XCTAssertEqual(report.sequenceNumber, 9)
        XCTAssertEqual(report.insertedCount, 1)
        XCTAssertEqual(report.updatedCount, 1)
        XCTAssertEqual(report.deletedCount, 1)
        XCTAssertEqual(items.stack.merger.statistics.saveCount, 9)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 2)
    }

    /// A report names nobody who has made only some of the changes.
    func testAMergeOfSeveralSaversNamesNone() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions { reports.append($0) })
        defer { items.remove() }
        func save(_ name: String, _ author: String) throws {
            let context = items.stack.makeBackgroundContext()
            context.name = name
            context.transactionAuthor = author
            try context.inside {
                ItemStack.insert(name, into: context)
                try context.save()
            }
        }
        for names in [("one", "one"), ("one", "two")] {
            items.stack.merger.pause()
            try save(names.0, names.0)
            try save(names.1, names.1)
            items.stack.merger.resume()
            settle(items)
        }
        XCTAssertEqual(reports.all.map(\.coalescedCount), [2, 2])
        XCTAssertEqual(reports.all.map(\.contextName), ["one", nil])
        XCTAssertEqual(reports.all.map(\.author), ["one", nil])
    }

    func testAnObjectFetchedWhilePausedIsBroughtUpToDate() throws {
        let items = try makeItems()
        defer { items.remove() }
        items.stack.merger.pause()
        let id = try items.insertInBackground("a", 1)
        let object = try items.main.existingObject(with: id)
        XCTAssertEqual(object.value(forKey: "number") as? Int, 1)
        try items.updateInBackground("a", to: 2)
        items.stack.merger.resume()
        settle(items)
        XCTAssertEqual(object.value(forKey: "number") as? Int, 2)
    }

    func testPausesNest() throws {
        let items = try makeItems()
        defer { items.remove() }
        items.stack.merger.pause()
        items.stack.merger.pause()
        try items.insertInBackground("a")
        items.stack.merger.resume()
        turnMainQueue()
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 0)
        items.stack.merger.resume()
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
    }

    /// Nobody can merge while merging is paused, so nobody waits.
    func testSynchronousSavesDoNotWaitForAPausedMerger() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(delivery: .synchronous(timeout: 600)) { reports.append($0) }
        )
        defer { items.remove() }
        items.stack.merger.pause()
        let done = background { try items.insertInBackground("a") }
        wait(for: [done], timeout: patience)
        items.stack.merger.resume()
        settle(items)
        XCTAssertEqual(reports.all.map(\.isHandedOver), [true])
    }

    func testSavesThatBecameOneAndAreDroppedCountAsOftenAsTheyWereSeen() throws {
        let items = try makeItems()
        defer { items.remove() }
        items.stack.merger.pause()
        for number in 0..<5 { try items.insertInBackground("\(number)") }
        items.stack.merger.invalidate()
        turnMainQueue()
        let statistics = items.stack.merger.statistics
        XCTAssertEqual(statistics.saveCount, 5)
        XCTAssertEqual(statistics.droppedCounts, [.invalidated: 5])
        XCTAssertEqual(statistics.mergeCount, 0)
    }

    func testInvalidatingLetsGoWhoeverWaitsForAPausedMerger() throws {
        let items = try makeItems()
        defer { items.remove() }
        items.stack.merger.pause()
        try items.insertInBackground("a")
        let settled = expectation(description: "settled")
        items.stack.merger.settled { settled.fulfill() }
        items.stack.merger.invalidate()
        wait(for: [settled], timeout: patience)
    }
}

final class InMemoryMergePauseTests: MergePauseTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testPausedSavesBecomeOneMergeThatNamesEachObjectOnce() throws {
        try super.testPausedSavesBecomeOneMergeThatNamesEachObjectOnce()
    }
    override func testAnObjectFetchedWhilePausedIsBroughtUpToDate() throws {
        try super.testAnObjectFetchedWhilePausedIsBroughtUpToDate()
    }
}
