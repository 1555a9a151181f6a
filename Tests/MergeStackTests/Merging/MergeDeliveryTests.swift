import CoreData
import StackSupport
import TestSupport
import XCTest

@testable import MergeStack

/// Deadlock: whoever waits for whom, a save returns and its merge happens.
class MergeDeliveryTests: StoreTestCase {
    func testSynchronousDeliveryMergesBeforeTheSaveReturns() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            // Longer than the test waits: the save returns when it is told, and not by the limit.
            MergeOptions(delivery: .synchronous(timeout: 600)) { reports.append($0) }
        )
        defer { items.remove() }
        let countsAfterSave = Log<Int>()
        let done = background {
            try items.insertInBackground("a")
            countsAfterSave.append(items.stack.merger.statistics.mergeCount)
        }
        wait(for: [done], timeout: patience)
        XCTAssertEqual(countsAfterSave.all, [1])
        XCTAssertEqual(reports.all.map(\.delivery), [.synchronous])
        XCTAssertEqual(reports.all.map(\.isHandedOver), [false])
    }

    /// Main waits for a semaphore that the saving thread signals after its save.
    func testSynchronousDeliveryHandsOverWhenMainIsBlockedByTheSaver() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(delivery: .synchronous(timeout: 0.05)) { reports.append($0) }
        )
        defer { items.remove() }
        let saved = DispatchSemaphore(value: 0)
        let done = background {
            try items.insertInBackground("a")
            saved.signal()
        }
        XCTAssertEqual(saved.wait(timeout: .now() + 30), .success, "The save never returned.")
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 0)
        wait(for: [done], timeout: patience)
        settle(items)
        XCTAssertEqual(reports.all.map(\.isHandedOver), [true])
        XCTAssertEqual(items.stack.merger.statistics.handedOverCount, 1)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
    }

    func testAsynchronousDeliveryFinishesWhenMainIsBlockedByTheSaver() throws {
        let items = try makeItems()
        defer { items.remove() }
        let saved = DispatchSemaphore(value: 0)
        let done = background {
            try items.insertInBackground("a")
            saved.signal()
        }
        XCTAssertEqual(saved.wait(timeout: .now() + 30), .success)
        wait(for: [done], timeout: patience)
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
    }

    /// The original handler's `DispatchQueue.main.sync` never returns here.
    func testAContextSavedOnMainIsMergedInline() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(delivery: .synchronous(timeout: 30)) { reports.append($0) }
        )
        defer { items.remove() }
        for kind in BackgroundContextKind.allCases {
            let id = try items.stack.performBackgroundAndWait(kind) { context in
                let item = ItemStack.insert("on main", into: context)
                try context.obtainPermanentIDs(for: [item])
                return item.objectID
            }
            XCTAssertNotNil(items.main.registeredObject(for: id) ?? items.main.object(with: id))
        }
        XCTAssertEqual(reports.all.map(\.delivery), [.inline, .inline])
        XCTAssertEqual(reports.all.map(\.isHandedOver), [false, false])
    }

    func testInlineDeliveryTakesWhatIsInLineBeforeItFirst() throws {
        let numbers = Log<Int>()
        let items = try makeItems(
            MergeOptions(delivery: .synchronous(timeout: 0.02)) {
                numbers.append($0.sequenceNumber)
            }
        )
        defer { items.remove() }
        let saved = DispatchSemaphore(value: 0)
        let done = background {
            for _ in 0..<3 { try items.insertInBackground("a") }
            saved.signal()
        }
        XCTAssertEqual(saved.wait(timeout: .now() + 30), .success)
        try items.insertInBackground("b")
        XCTAssertEqual(numbers.all, [1, 2, 3, 4])
        wait(for: [done], timeout: patience)
    }

    /// A merge in the middle of the main context's own save waits until after it.
    func testNothingIsMergedWhileMainSaves() throws {
        let items = try makeItems(
            MergeOptions(delivery: .synchronous(timeout: 0.02)),
            itemClass: SavingItem.self
        )
        defer { items.remove() }
        let counts = Log<Int>()
        let item = ItemStack.insert("main's own", into: items.main) as? SavingItem
        XCTAssertNotNil(item)
        item?.onDidSave = {
            do {
                try items.insertInBackground("during main's save")
            } catch {
                XCTFail("\(error)")
            }
            counts.append(items.stack.merger.statistics.mergeCount)
        }
        try items.main.save()
        item?.onDidSave = nil
        XCTAssertEqual(counts.all, [0])
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
    }

    /// A save that fails posts no did-save notification; merging goes on all the same.
    func testMergingGoesOnAfterMainFailedToSave() throws {
        let items = try makeItems()
        defer { items.remove() }
        let conflicting = try items.stack.performBackgroundAndWait { context in
            let item = ItemStack.insert("row", into: context)
            try context.obtainPermanentIDs(for: [item])
            return item.objectID
        }
        settle(items)
        items.main.mergePolicy = NSMergePolicy.error
        let row = try items.main.existingObject(with: conflicting)
        row.setValue(1, forKey: "number")
        items.stack.merger.invalidate()
        let merger = DidSaveMerger(into: items.main)
        try items.updateInBackground("row", to: 2)
        XCTAssertThrowsError(try items.main.save())
        let settled = expectation(description: "settled")
        merger.settled { settled.fulfill() }
        wait(for: [settled], timeout: 30)
        XCTAssertEqual(merger.statistics.mergeCount, 1)
        merger.invalidate()
    }
}

/// An object that does something in the middle of its context's save.
final class SavingItem: NSManagedObject {
    var onDidSave: (() -> Void)?

    override func didSave() { onDidSave?() }
}
