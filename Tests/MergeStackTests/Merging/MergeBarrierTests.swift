import CoreData
import StackSupport
import TestSupport
import XCTest

@testable import MergeStack

/// "Every save posted before now is merged", in three forms.
class MergeBarrierTests: StoreTestCase {
    func testCompletionRunsOnMainAfterTheMerges() throws {
        let items = try makeItems()
        defer { items.remove() }
        for name in ["a", "b"] { try items.insertInBackground(name) }
        let counts = Log<Int>()
        let settled = expectation(description: "settled")
        items.stack.merger.settled {
            XCTAssertTrue(Thread.isMainThread)
            counts.append(items.stack.merger.statistics.mergeCount)
            settled.fulfill()
        }
        XCTAssertEqual(counts.all, [])
        wait(for: [settled], timeout: 30)
        XCTAssertEqual(counts.all, [2])
    }

    func testWaitingOffMain() throws {
        let items = try makeItems()
        defer { items.remove() }
        let done = background {
            try items.insertInBackground("a")
            XCTAssertTrue(items.stack.merger.waitUntilSettled())
            XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
            XCTAssertTrue(items.stack.merger.waitUntilSettled())
        }
        wait(for: [done], timeout: patience)
    }

    func testWaitingOffMainGivesUpWhileMainIsBlocked() throws {
        let items = try makeItems()
        defer { items.remove() }
        let gaveUp = DispatchSemaphore(value: 0)
        let done = background {
            try items.insertInBackground("a")
            XCTAssertFalse(items.stack.merger.waitUntilSettled(timeout: 0.02))
            gaveUp.signal()
        }
        XCTAssertEqual(gaveUp.wait(timeout: .now() + 30), .success)
        wait(for: [done], timeout: patience)
    }

    func testWaitingOnMainMergesThere() throws {
        let items = try makeItems()
        defer { items.remove() }
        try items.insertInBackground("a")
        XCTAssertTrue(items.stack.merger.waitUntilSettled())
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
    }

    func testASaveOfMainThatFailsLetsMergesGoOnInTheSameTurn() throws {
        let items = try makeItems()
        defer { items.remove() }
        try items.insertInBackground("a", 1)
        XCTAssertTrue(items.stack.merger.waitUntilSettled())
        let item = try ItemStack.fetch("a", in: items.main)
        XCTAssertEqual(item.value(forKey: "number") as? Int, 1)
        try items.updateInBackground("a", to: 2)
        item.setValue("mine", forKey: "name")
        items.main.mergePolicy = NSMergePolicy.error
        XCTAssertThrowsError(try items.main.save())
        XCTAssertTrue(items.stack.merger.waitUntilSettled())
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 2)
        XCTAssertEqual(item.value(forKey: "number") as? Int, 2)
        try items.main.save()
        XCTAssertEqual(item.value(forKey: "name") as? String, "mine")
    }

    func testAsyncFormReturnsWhenMainShowsTheChange() throws {
        let items = try makeItems()
        defer { items.remove() }
        let done = expectation(description: "async")
        Task {
            let count = try await items.stack.performBackground(.confinement) { context in
                ItemStack.insert("a", into: context)
                return 1
            }
            XCTAssertEqual(count, 1)
            XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
            await items.stack.merger.settled()
            done.fulfill()
        }
        wait(for: [done], timeout: patience)
    }
}
