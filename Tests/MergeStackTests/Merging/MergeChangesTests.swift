import CoreData
import StackSupport
import TestSupport
import Threads
import XCTest

@testable import MergeStack

/// Changes that no did-save notification tells of, and tokens for those that one does.
final class MergeChangesTests: StoreTestCase {
    func testBatchResultsAreMerged() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions { reports.append($0) })
        defer { items.remove() }
        let merger = items.stack.merger
        let context = items.stack.makeBackgroundContext()
        let insert = NSBatchInsertRequest(
            entityName: "Item",
            objects: [["name": "a", "number": 1], ["name": "b", "number": 2]]
        )
        insert.resultType = .objectIDs
        try merger.merge(context.onQueue { try context.execute(insert) })
        settle(items)
        let all = NSFetchRequest<NSManagedObject>(entityName: "Item")
        let shown = try items.main.fetch(all)
        XCTAssertEqual(shown.count, 2)
        let update = NSBatchUpdateRequest(entityName: "Item")
        update.propertiesToUpdate = ["number": 7]
        update.resultType = .updatedObjectIDsResultType
        try merger.merge(context.onQueue { try context.execute(update) })
        settle(items)
        XCTAssertEqual(shown.map { $0.value(forKey: "number") as? Int }, [7, 7])
        let delete = NSBatchDeleteRequest(
            fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
        )
        delete.resultType = .resultTypeObjectIDs
        let token = try merger.merge(context.onQueue { try context.execute(delete) })
        XCTAssertFalse(token.isMerged)
        XCTAssertTrue(token.wait())
        XCTAssertTrue(shown.allSatisfy { $0.isDeleted || $0.managedObjectContext == nil })
        XCTAssertEqual(reports.all.map(\.origin), [.objectIDs, .objectIDs, .objectIDs])
        XCTAssertEqual(reports.all.map(\.insertedCount), [2, 0, 0])
        XCTAssertEqual(reports.all.map(\.updatedCount), [0, 2, 0])
        XCTAssertEqual(reports.all.map(\.deletedCount), [0, 0, 2])
    }

    func testResultsWithoutObjectIDsAreRefused() throws {
        let items = try makeItems()
        defer { items.remove() }
        let context = items.stack.makeBackgroundContext()
        let insert = NSBatchInsertRequest(entityName: "Item", objects: [["name": "a"]])
        let result = try context.onQueue { try context.execute(insert) }
        XCTAssertThrowsError(try items.stack.merger.merge(result)) { error in
            XCTAssertEqual((error as? MergeStackError)?.code, .noObjectIDs)
        }
    }

    func testResultsOfOtherRequestsAreRefused() throws {
        let items = try makeItems()
        defer { items.remove() }
        XCTAssertThrowsError(try items.stack.merger.merge(NSPersistentStoreResult())) { error in
            XCTAssertEqual((error as? MergeStackError)?.code, .noObjectIDs)
            XCTAssertTrue("\(error)".contains("NSPersistentStoreResult"), "\(error)")
        }
    }

    /// By IDs that a client has collected itself.
    func testChangesKnownByTheirIDsAreMerged() throws {
        let items = try makeItems()
        defer { items.remove() }
        let merger = items.stack.merger
        let kept = try items.insertInBackground("kept", 1)
        let gone = try items.insertInBackground("gone", 1)
        settle(items)
        let shown = try [kept, gone].map { try items.main.existingObject(with: $0) }
        let context = items.stack.makeBackgroundContext()
        try context.onQueue {
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.propertiesToUpdate = ["number": 7]
            _ = try context.execute(update)
            _ = try context.execute(NSBatchDeleteRequest(objectIDs: [gone]))
        }
        XCTAssertTrue(merger.mergeChanges(updated: [kept], deleted: [gone]).wait())
        XCTAssertEqual(shown[0].value(forKey: "number") as? Int, 7)
        XCTAssertTrue(shown[1].isDeleted || shown[1].managedObjectContext == nil)
        // Of nothing there is nothing to wait for.
        let count = merger.statistics.saveCount
        XCTAssertTrue(merger.mergeChanges().isMerged)
        merger.invalidate()
        merger.mergeChanges(updated: [kept])
        XCTAssertEqual(merger.statistics.saveCount, count)
    }

    /// Without a history to follow, what is queued already is all there is to wait for.
    func testWaitingForOthersWithoutAHistoryWaitsForTheQueue() throws {
        let items = try makeItems()
        defer { items.remove() }
        try items.insertInBackground("a", 1)
        let done = expectation(description: "completion")
        let counts = Log<Int>()
        items.stack.merger.mergeRemoteChanges { result in
            if case .failure(let error) = result { XCTFail("\(error)") }
            counts.append(items.stack.merger.statistics.mergeCount)
            done.fulfill()
        }
        wait(for: [done], timeout: patience)
        XCTAssertEqual(counts.all, [1])
    }

    // MARK: Tokens

    func testATokenSaysWhenMainHasMergedTheSave() throws {
        let items = try makeItems()
        defer { items.remove() }
        let merger = items.stack.merger
        let tokens = Log<SaveToken>()
        let first = background {
            let context = items.stack.makeBackgroundContext()
            try context.onQueue {
                ItemStack.insert("a", into: context)
                tokens.append(try merger.save(context))
            }
        }
        wait(for: [first], timeout: patience)
        let token = try XCTUnwrap(tokens.all.first)
        let merged = expectation(description: "completion")
        let counts = Log<Int>()
        token.merged {
            XCTAssertTrue(Thread.isMainThread)
            counts.append(merger.statistics.mergeCount)
            merged.fulfill()
        }
        let waited = background {
            XCTAssertTrue(token.wait())
            XCTAssertEqual(merger.statistics.mergeCount, 1)
        }
        let awaited = expectation(description: "async")
        Task {
            await token.merged()
            XCTAssertTrue(token.isMerged)
            awaited.fulfill()
        }
        wait(for: [merged, waited, awaited], timeout: patience)
        XCTAssertEqual(counts.all, [1])
        XCTAssertTrue(token.isMerged)
    }

    func testATokensProgressCountsObjectsAndEndsWithTheMerge() throws {
        let merged = Log<Int64>()
        let followed = Log<Int64>()
        let shared = Guarded<UncheckedProgress?>(nil)
        let items = try makeItems(
            MergeOptions { _ in
                if let progress = shared.withLock({ $0 })?.progress {
                    merged.append(progress.completedUnitCount)
                    followed.append(progress.totalUnitCount)
                }
            }
        )
        defer { items.remove() }
        let merger = items.stack.merger
        // Two in line and not one: what is saved while merging is paused would become one.
        try items.insertInBackground("a")
        try items.insertInBackground("b")
        let progress = merger.token.progress()
        shared.withLock { $0 = UncheckedProgress(progress: progress) }
        XCTAssertEqual(progress.totalUnitCount, 2)
        XCTAssertEqual(progress.completedUnitCount, 0)
        try items.insertInBackground("c")
        settle(items)
        XCTAssertTrue(progress.isFinished)
        XCTAssertEqual(progress.completedUnitCount, 2)
        // Told of each save before what it has merged is counted.
        XCTAssertEqual(merged.all, [0, 1, 2])
        XCTAssertEqual(followed.all, [2, 2, 2])
        XCTAssertTrue(merger.token.progress().isFinished)
    }

    func testTheProgressOfAnInvalidatedMergerEnds() throws {
        let items = try makeItems()
        defer { items.remove() }
        try items.insertInBackground("a")
        let progress = items.stack.merger.token.progress()
        XCTAssertFalse(progress.isFinished)
        items.stack.merger.invalidate()
        XCTAssertTrue(progress.isFinished)
    }

    func testATokenDoesNotWaitForLaterSaves() throws {
        let items = try makeItems()
        defer { items.remove() }
        try items.insertInBackground("a")
        let early = items.stack.merger.token
        settle(items)
        items.stack.merger.pause()
        try items.insertInBackground("b")
        XCTAssertTrue(early.isMerged)
        XCTAssertTrue(early.wait(timeout: .zero))
        XCTAssertFalse(items.stack.merger.token.isMerged)
    }

    func testATokenOfAnInvalidatedMergerLetsGo() throws {
        let items = try makeItems()
        defer { items.remove() }
        try items.insertInBackground("a")
        let token = items.stack.merger.token
        let merged = expectation(description: "completion")
        token.merged { merged.fulfill() }
        items.stack.merger.invalidate()
        wait(for: [merged], timeout: patience)
        XCTAssertTrue(token.isMerged)
    }
}
