import CoreData
import StackSupport
import XCTest

@testable import MergeStack

/// Synchronous delivery while main waits for the saver, in each of the ways that it can wait: the
/// save returns, main goes on, and the merge follows. The original handler hangs in all of them.
final class MergeBlockedMainTests: StoreTestCase {
    /// What main gave up waiting after, had the save not returned.
    private static let patience = 60.0

    /// Has main wait for a save, and checks that it went on before the save was merged.
    private func check(_ waitOnMain: (ItemStack, @escaping @Sendable () -> Void) throws -> Void)
        throws
    {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(delivery: .synchronous(timeout: 0.05)) { reports.append($0) }
        )
        defer { items.remove() }
        let save: @Sendable () -> Void = {
            do {
                try items.insertInBackground("a")
            } catch {
                XCTFail("\(error)")
            }
        }
        try waitOnMain(items, save)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 0)
        settle(items)
        XCTAssertEqual(reports.all.map(\.isHandedOver), [true])
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
        XCTAssertEqual(items.stack.merger.statistics.handedOverCount, 1)
    }

    func testMainWaitsForASemaphore() throws {
        try check { _, save in
            let isSaved = DispatchSemaphore(value: 0)
            Thread {
                save()
                isSaved.signal()
            }.start()
            XCTAssertEqual(isSaved.wait(timeout: .now() + Self.patience), .success)
        }
    }

    func testMainWaitsForADispatchGroup() throws {
        try check { _, save in
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group, execute: DispatchWorkItem(block: save))
            XCTAssertEqual(group.wait(timeout: .now() + Self.patience), .success)
        }
    }

    /// Main waits for the queue of a context that is in the middle of its save.
    func testMainWaitsInPerformAndWaitOfTheSavingContext() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(
            MergeOptions(delivery: .synchronous(timeout: 0.05)) { reports.append($0) }
        )
        defer { items.remove() }
        let context = items.stack.makeBackgroundContext()
        let isInside = DispatchSemaphore(value: 0)
        context.perform {
            ItemStack.insert("a", into: context)
            isInside.signal()
            do {
                try context.save()
            } catch {
                XCTFail("\(error)")
            }
        }
        XCTAssertEqual(isInside.wait(timeout: .now() + Self.patience), .success)
        let isSaved = context.inside { !context.hasChanges }
        XCTAssertTrue(isSaved)
        settle(items)
        XCTAssertEqual(reports.all.count, 1)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 1)
    }

    func testMainWaitsForAnOperationQueue() throws {
        try check { _, save in
            let queue = OperationQueue()
            queue.addOperation(save)
            queue.waitUntilAllOperationsAreFinished()
        }
    }

    /// Several savers at once, each of which main waits for.
    func testMainWaitsForManySavers() throws {
        let items = try makeItems(
            MergeOptions(delivery: .synchronous(timeout: 0.02))
        )
        defer { items.remove() }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        for index in 0..<12 {
            queue.addOperation {
                do {
                    try items.insertInBackground("\(index)")
                } catch {
                    XCTFail("\(error)")
                }
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        settle(items)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 12)
    }
}
