import CoreData
import StackSupport
import TestSupport
import Threads
import XCTest

@testable import MergeStack

/// What others write to the store's file reaches main through the same merger.
final class RemoteMergeTests: XCTestCase {
    func testCommitsOfOthersReachMainByThemselves() throws {
        let remote = try RemoteStack()
        try RemoteStack.insert("shown", 1, in: remote.stack)
        try RemoteStack.insert("doomed", 1, in: remote.stack)
        remote.stack.merger.waitUntilSettled()
        let shown = try ItemStack.fetch("shown", in: remote.main)
        let doomed = try ItemStack.fetch("doomed", in: remote.main)
        let followed = try FollowedItems(
            in: remote.main,
            by: [NSSortDescriptor(key: "name", ascending: true)]
        )
        let merged = expectation(description: "merged")
        let token = ObservationToken(DidSaveMerger.didMergeNotification) { notification in
            if notification.object as? DidSaveMerger === remote.stack.merger { merged.fulfill() }
        }
        defer { token.end() }
        let start = Date()
        try remote.other.performBackgroundAndWait(name: "elsewhere") { context in
            try ItemStack.fetch("shown", in: context).setValue(2, forKey: "number")
            context.delete(try ItemStack.fetch("doomed", in: context))
            ItemStack.insert("new", 3, into: context)
        }
        wait(for: [merged], timeout: patience)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 2)
        XCTAssertTrue(doomed.isDeleted || doomed.managedObjectContext == nil)
        XCTAssertEqual(followed.names, ["new", "shown"])
        XCTAssertEqual(followed.changeCount, 1)
        let report = try XCTUnwrap(remote.historyReports.last)
        XCTAssertEqual(report.contextName, "elsewhere")
        XCTAssertEqual(report.processName, ProcessInfo.processInfo.processName)
        let savedAt = try XCTUnwrap(report.savedAt)
        XCTAssertTrue((start...Date()).contains(savedAt))
        XCTAssertEqual(
            [report.insertedCount, report.updatedCount, report.deletedCount],
            [1, 1, 1]
        )
        try remote.remove()
    }

    /// An own save is merged by its notification, and passed over in the history.
    func testOwnTransactionsAreNotMergedTwice() throws {
        let remote = try RemoteStack(.merged(ownAuthors: ["importer"]))
        try RemoteStack.insert("a", 1, in: remote.stack)
        try RemoteStack.update("a", to: 2, in: remote.stack, author: "importer")
        ItemStack.insert("main's", into: remote.main)
        try remote.main.save()
        catchUp(remote)
        XCTAssertEqual(remote.historyReports.count, 0)
        XCTAssertEqual(remote.stack.merger.statistics.mergeCount, 2)
        // Authors are given for the time of a save only.
        XCTAssertNil(remote.main.transactionAuthor)
        // The other one has the same process, and the same author, but another coordinator.
        try RemoteStack.insert("b", 1, in: remote.other)
        catchUp(remote)
        XCTAssertEqual(remote.historyReports.count, 1)
        try remote.remove()
    }

    func testTransactionsAreMergedInTheirOrder() throws {
        // One reading finds all of them.
        let remote = try RemoteStack(isTold: false)
        try RemoteStack.insert("counter", 0, in: remote.stack)
        remote.stack.merger.waitUntilSettled()
        let counter = try ItemStack.fetch("counter", in: remote.main)
        let seen = Log<Int>()
        let token = ObservationToken(.NSManagedObjectContextObjectsDidChange) { notification in
            guard notification.object as? NSManagedObjectContext === remote.main else { return }
            let number =
                notification.changedObjects(NSRefreshedObjectsKey).first?
                .value(forKey: "number") as? Int
            if let number { seen.append(number) }
        }
        defer { token.end() }
        let writer = expectation(description: "written")
        Thread {
            do {
                for number in 1...30 {
                    try RemoteStack.update(
                        "counter",
                        to: number,
                        in: remote.other,
                        author: "\(number)"
                    )
                }
            } catch {
                XCTFail("\(error)")
            }
            writer.fulfill()
        }.start()
        wait(for: [writer], timeout: patience)
        catchUp(remote)
        XCTAssertEqual(seen.all, seen.all.sorted())
        XCTAssertEqual(counter.value(forKey: "number") as? Int, 30)
        XCTAssertEqual(remote.historyReports.map(\.author), (1...30).map { "\($0)" })
        let numbers = remote.historyReports.map(\.sequenceNumber)
        XCTAssertEqual(numbers, numbers.sorted())
        try remote.remove()
    }

    /// Saves that are merged as one may be of several processes, as a store's history tells.
    func testAReportOnSavesOfTwoProcessesNamesNone() {
        func report(by process: String) -> MergeReport {
            var report = MergeReport(ChangedObjectIDs(), origin: .history)
            report.processName = process
            return report
        }
        var one = report(by: "importer"), both = one
        one.absorb(report(by: "importer"), changes: ChangedObjectIDs())
        XCTAssertEqual(one.processName, "importer")
        both.absorb(report(by: "app"), changes: ChangedObjectIDs())
        XCTAssertNil(both.processName)
    }

    /// Two writers of one row: the second one finds that it changed.
    func testConflictsWithOthersAreFound() throws {
        let remote = try RemoteStack(isTold: false)
        try RemoteStack.insert("a", 1, in: remote.stack)
        remote.stack.merger.waitUntilSettled()
        let mine = try ItemStack.fetch("a", in: remote.main)
        mine.setValue("mine", forKey: "name")
        try RemoteStack.update("a", to: 2, in: remote.other)
        remote.main.mergePolicy = NSMergePolicy.error
        XCTAssertThrowsError(try remote.main.save()) { error in
            XCTAssertEqual((error as NSError).code, NSManagedObjectMergeError)
        }
        remote.main.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try remote.main.save()
        XCTAssertEqual(mine.value(forKey: "number") as? Int, 2)
        XCTAssertEqual(mine.value(forKey: "name") as? String, "mine")
        try remote.remove()
    }

    /// Keys that one of them takes are never those that the other one writes.
    func testTwoWritersTakeDifferentKeys() throws {
        let remote = try RemoteStack(isTold: false)
        let written = [remote.stack, remote.other].map { stack in
            let done = expectation(description: "written")
            Thread {
                do {
                    for index in 0..<40 { try RemoteStack.insert("\(index)", index, in: stack) }
                } catch {
                    XCTFail("\(error)")
                }
                done.fulfill()
            }.start()
            return done
        }
        wait(for: written, timeout: 120)
        catchUp(remote)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        let ids = try remote.main.fetch(request).map { $0.objectID.uriRepresentation() }
        XCTAssertEqual(Set(ids).count, 80)
        XCTAssertEqual(remote.historyReports.count, 40)
        try remote.remove()
    }

    // MARK: The end of the history

    /// Others have deleted what was not read yet: everything that main shows is read again.
    func testAnExpiredHistoryHasEverythingReadAgain() throws {
        let remote = try RemoteStack(isTold: false)
        try RemoteStack.insert("a", 1, in: remote.stack)
        remote.stack.merger.waitUntilSettled()
        let shown = try ItemStack.fetch("a", in: remote.main)
        try RemoteStack.update("a", to: 2, in: remote.other)
        try RemoteStack.update("a", to: 3, in: remote.other)
        try remote.other.performBackgroundAndWait { context in
            _ = try context.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
            )
        }
        catchUp(remote)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 3)
        XCTAssertEqual(remote.reports.all.last?.origin, .expiredHistory)
        try RemoteStack.update("a", to: 4, in: remote.other)
        catchUp(remote)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 4)
        XCTAssertEqual(remote.historyReports.count, 1)
        try remote.remove()
    }

    func testTrimmingMergesFirstAndLeavesNothing() throws {
        let remote = try RemoteStack(isTold: false)
        try RemoteStack.insert("a", 1, in: remote.stack)
        remote.stack.merger.waitUntilSettled()
        let shown = try ItemStack.fetch("a", in: remote.main)
        try RemoteStack.update("a", to: 2, in: remote.other)
        let done = expectation(description: "trimmed")
        remote.stack.merger.trimHistory(before: Date.distantFuture) { result in
            if case .failure(let error) = result { XCTFail("\(error)") }
            done.fulfill()
        }
        wait(for: [done], timeout: patience)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 2)
        let context = remote.stack.makeBackgroundContext()
        let left = try context.inside {
            try context.execute(
                NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            )
        }
        let transactions = (left as? NSPersistentHistoryResult)?.result as? [Any]
        XCTAssertEqual(transactions?.count, 0)
        try RemoteStack.update("a", to: 3, in: remote.other)
        catchUp(remote)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 3)
        try remote.remove()
    }

    func testAnInvalidatedMergerReadsNoHistory() throws {
        let remote = try RemoteStack(isTold: false)
        try RemoteStack.insert("a", 1, in: remote.stack)
        remote.stack.merger.invalidate()
        try RemoteStack.update("a", to: 2, in: remote.other)
        catchUp(remote)
        XCTAssertEqual(remote.historyReports.count, 0)
        try remote.remove()
    }
}
