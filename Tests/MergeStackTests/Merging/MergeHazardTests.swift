import CoreData
import StackSupport
import Threads
import XCTest

@testable import MergeStack

/// Hazards of merging that have no suite of their own; see `Docs/Merging.md`.
class MergeHazardTests: StoreTestCase {
    /// A notification is worked off by others only after the IDs in it have become permanent.
    func testNoTemporaryIDLeavesASave() throws {
        let items = try makeItems()
        defer { items.remove() }
        let temporary = Guarded(0), seen = Guarded(0)
        let tokens = [
            ObservationToken(.NSManagedObjectContextDidSave) { notification in
                let context = notification.object as? NSManagedObjectContext
                guard context?.name == "twins" else { return }
                let ids = notification.changedObjects(NSInsertedObjectsKey).map(\.objectID)
                seen.withLock { $0 += ids.count }
                temporary.withLock { $0 += ids.count(where: \.isTemporaryID) }
            }
        ]
        defer { for token in tokens { token.end() } }
        try items.stack.performBackgroundAndWait(name: "twins") { context in
            for index in 0..<20 { ItemStack.insert("\(index)", into: context) }
        }
        settle(items)
        XCTAssertEqual(seen.withLock { $0 }, 20)
        XCTAssertEqual(temporary.withLock { $0 }, 0)
        let all = items.main.registeredObjects
        XCTAssertTrue(all.allSatisfy { !$0.objectID.isTemporaryID })
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        XCTAssertEqual(try items.main.fetch(request).count, 20, "There are twins.")
    }

    /// What main shows of an object that was deleted elsewhere can be read, and nothing crashes.
    func testAMergedDeletionLeavesTheObjectReadable() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("doomed", 7)
        let faultID = try items.insertInBackground("doomed fault", 8)
        settle(items)
        let shown = try items.main.existingObject(with: id)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 7)
        let fault = items.main.object(with: faultID)
        items.main.refresh(fault, mergeChanges: false)
        try items.deleteInBackground("doomed")
        try items.deleteInBackground("doomed fault")
        // Between the deletion and its merge, and after it.
        XCTAssertEqual(shown.value(forKey: "name") as? String, "doomed")
        settle(items)
        XCTAssertTrue(shown.isDeleted || shown.managedObjectContext == nil)
        XCTAssertEqual(shown.value(forKey: "name") as? String, "doomed")
        XCTAssertNil(fault.value(forKey: "name"))
        try items.main.save()
        XCTAssertNil(try? items.main.existingObject(with: id))
    }

    /// Every context of the stack has a policy that resolves conflicts, so no save of many writers
    /// of the same rows fails.
    func testConcurrentWritersOfOneRowDoNotFail() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("counter", 0)
        let workers = (0..<4).map { worker in
            background {
                for number in 0..<20 {
                    try items.stack.performBackgroundAndWait { context in
                        let counter = try context.existingObject(with: id)
                        counter.setValue(worker * 100 + number, forKey: "number")
                    }
                }
            }
        }
        wait(for: workers, timeout: 120)
        settle(items)
        let fresh = items.stack.makeBackgroundContext()
        let stored = try fresh.inside {
            try fresh.existingObject(with: id).value(forKey: "number") as? Int
        }
        let shown = try items.main.existingObject(with: id)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, stored)
    }

    /// What is read on main is what main shows, not what was saved.
    func testWorkOnMainFollowsWhatMainHasRegistered() throws {
        let reports = Log<MergeReport>()
        let items = try makeItems(MergeOptions { reports.append($0) })
        defer { items.remove() }
        try items.stack.performBackgroundAndWait { context in
            for number in 0..<500 { ItemStack.insert("\(number)", number, into: context) }
        }
        settle(items)
        let shown = try ItemStack.fetch("17", in: items.main)
        items.main.refresh(shown, mergeChanges: false)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        try items.stack.performBackgroundAndWait { context in
            for item in try context.fetch(request) { item.setValue(1_000, forKey: "number") }
        }
        settle(items)
        XCTAssertEqual(reports.all.last?.updatedCount, 500)
        XCTAssertEqual(reports.all.last?.firedFaultCount, 1)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 1_000)
    }

    /// A did-merge notification is one thing, a change of main's own another.
    func testTheDidMergeNotificationCarriesTheReport() throws {
        let items = try makeItems()
        defer { items.remove() }
        let reports = Log<MergeReport>()
        let merger = items.stack.merger
        let token = ObservationToken(DidSaveMerger.didMergeNotification) { notification in
            guard notification.object as? DidSaveMerger === merger else { return }
            XCTAssertTrue(MainQueue.isCurrent)
            if let report = notification.userInfo?[DidSaveMerger.reportKey] as? MergeReport {
                reports.append(report)
            }
        }
        defer { token.end() }
        ItemStack.insert("own", into: items.main)
        try items.main.save()
        XCTAssertEqual(reports.all.count, 0)
        try items.stack.performBackgroundAndWait(name: "worker") { context in
            ItemStack.insert("a", into: context)
            ItemStack.insert("b", into: context)
        }
        settle(items)
        XCTAssertEqual(reports.all.map(\.contextName), ["worker"])
        XCTAssertEqual(reports.all.first?.countsByEntity["Item"]?.inserted, 2)
        XCTAssertEqual(reports.all.first?.turnCount, 1)
        XCTAssertEqual(reports.all.first?.sequenceNumber, 2)
    }
}

final class InMemoryMergeHazardTests: MergeHazardTests {
    override var storeType: String { NSInMemoryStoreType }
    override func testNoTemporaryIDLeavesASave() throws {
        try super.testNoTemporaryIDLeavesASave()
    }
}
