import CoreData
import StackSupport
import TestSupport
import XCTest

@testable import MergeStack

/// A merger acts no longer than it is wanted.
class MergerLifetimeTests: StoreTestCase {
    func testInvalidatedMergersDropWhatIsInLine() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions { reports.append($0) })
        defer { items.remove() }
        try items.insertInBackground("a")
        let settled = expectation(description: "settled")
        items.stack.merger.settled { settled.fulfill() }
        items.stack.merger.invalidate()
        items.stack.merger.invalidate()
        wait(for: [settled], timeout: 30)
        XCTAssertEqual(reports.all.map(\.dropReason), [.invalidated])
        try items.insertInBackground("b")
        XCTAssertEqual(reports.all.count, 1)
        XCTAssertThrowsError(try tryInvalidated(items)) { error in
            XCTAssertEqual((error as? MergeStackError)?.code, nil)
        }
    }

    private func tryInvalidated(_ items: ItemStack) throws {
        items.stack.invalidate()
        do {
            try items.insertInBackground("c")
        } catch let error as MergeStackError where error.code == .invalidated {
            throw CocoaError(.userCancelled)
        }
    }

    func testReleasedMergersStop() throws {
        let items = try makeItems()
        defer { items.remove() }
        let reports = Log<MergeReport>()
        var merger: DidSaveMerger? = DidSaveMerger(
            into: items.main,
            options: MergeOptions { reports.append($0) }
        )
        try items.insertInBackground("a")
        settle(items)
        XCTAssertEqual(reports.all.count, 1)
        weak let released = merger
        merger = nil
        XCTAssertNil(released)
        try items.insertInBackground("b")
        settle(items)
        XCTAssertEqual(reports.all.count, 1)
    }

    /// Whoever waits for a merger that goes is let go, as if it had been invalidated.
    func testReleasedMergersLetGoWhoeverWaits() throws {
        let items = try makeItems()
        defer { items.remove() }
        var merger: DidSaveMerger? = DidSaveMerger(into: items.main)
        merger?.pause()
        try items.insertInBackground("a")
        let merged = expectation(description: "let go")
        let token = try XCTUnwrap(merger?.token)
        token.merged { merged.fulfill() }
        XCTAssertFalse(token.isMerged)
        merger = nil
        wait(for: [merged], timeout: patience)
        XCTAssertTrue(token.isMerged)
    }

    func testThousandStacksLeaveNoObservers() throws {
        let items = try makeItems()
        defer { items.remove() }
        let reports = Log<MergeReport>()
        weak var last: NSManagedObjectContext?
        for _ in 0..<1000 {
            let stack = NotificationMergeStack(
                coordinator: items.stack.coordinator,
                options: MergeOptions { reports.append($0) }
            )
            last = stack.mainContext
        }
        XCTAssertNil(last, "A stack keeps itself alive.")
        try items.insertInBackground("a")
        settle(items)
        XCTAssertEqual(reports.all.count, 0)
    }

    func testAMergerOutlivesItsMainContext() throws {
        let items = try makeItems()
        defer { items.remove() }
        let reports = Log<MergeReport>()
        var main: NSManagedObjectContext? = NSManagedObjectContext(
            concurrencyType: .mainQueueConcurrencyType
        )
        main?.persistentStoreCoordinator = items.stack.coordinator
        let merger = DidSaveMerger(
            into: try XCTUnwrap(main),
            options: MergeOptions { reports.append($0) }
        )
        try items.insertInBackground("in line while main goes")
        main = nil
        try items.insertInBackground("after main is gone")
        settle(items)
        XCTAssertEqual(Set(reports.all.map(\.dropReason)), [.mainContextGone])
        XCTAssertEqual(merger.statistics.mergeCount, 0)
    }
}
