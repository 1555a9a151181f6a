import CoreData
import StackSupport
import Threads
import XCTest

@testable import MergeStack

/// What reports say of the objects that main had, and which faults are read: the same with a framework
/// that tells of merged faults and with one that leaves them alone, as Apple's does.
final class MergeReportCountTests: StoreTestCase {
    /// Items with a log of the merges, for each kind of framework.
    private func forEachFramework(
        _ policy: MergeOptions.FaultPolicy = .registered,
        turnBudget: TimeInterval? = nil,
        _ body: (_ tellsOfFaults: Bool, ItemStack, Log<MergeReport>) throws -> Void
    ) throws {
        for tellsOfFaults in [true, false] {
            let reports = Log<MergeReport>()
            var options = MergeOptions(faultPolicy: policy) { reports.append($0) }
            options.mergeTellsOfFaults = tellsOfFaults
            if let turnBudget { options.turnBudget = turnBudget }
            let items = try makeItems(options)
            defer { items.remove() }
            try body(tellsOfFaults, items, reports)
        }
    }

    private func update(_ names: [String], in items: ItemStack) throws {
        try items.stack.performBackgroundAndWait { context in
            for name in names {
                try ItemStack.fetch(name, in: context).setValue(7, forKey: "number")
            }
        }
    }

    /// An object that main holds, as a fault.
    private func heldFault(_ name: String, in items: ItemStack) throws -> NSManagedObject {
        let object = try ItemStack.fetch(name, in: items.main)
        items.main.refresh(object, mergeChanges: false)
        XCTAssertTrue(object.isFault)
        return object
    }

    /// Does something when the context tells of changes for the first time from now on.
    private func observeOnce(
        _ main: NSManagedObjectContext,
        _ action: @escaping @Sendable () -> Void
    ) -> ObservationToken {
        let isDone = Guarded(false)
        return ObservationToken(.NSManagedObjectContextObjectsDidChange, of: main) { _ in
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { action() }
        }
    }

    func testEachPolicyCountsWhatMainHad() throws {
        let firedCounts: [(MergeOptions.FaultPolicy, Int)] = [
            (.none, 0), (.registered, 1), (.matchingResults, 2), (.all, 2),
        ]
        for (policy, firedCount) in firedCounts {
            try forEachFramework(policy) { _, items, reports in
                for name in ["read", "fault", "other", "doomed", "gone"] {
                    try items.insertInBackground(name, 1)
                }
                settle(items)
                let read = try ItemStack.fetch("read", in: items.main)
                XCTAssertEqual(read.value(forKey: "number") as? Int, 1)
                let fault = try heldFault("fault", in: items)
                let doomed = try ItemStack.fetch("doomed", in: items.main)
                let followed = try FollowedItems(
                    in: items.main,
                    where: NSPredicate(format: "number > 5"),
                    by: [NSSortDescriptor(key: "number", ascending: false)]
                )
                items.stack.merger.follow(followed.controller)
                try items.stack.performBackgroundAndWait { context in
                    for name in ["read", "fault", "other"] {
                        try ItemStack.fetch(name, in: context).setValue(7, forKey: "number")
                    }
                    for name in ["doomed", "gone"] {
                        context.delete(try ItemStack.fetch(name, in: context))
                    }
                    ItemStack.insert("new", into: context)
                }
                settle(items)
                let report = try XCTUnwrap(reports.all.last)
                XCTAssertEqual(report.registeredCount, 3, "\(policy)")
                if policy == .registered || policy == .none {
                    // The controller, which lists both, may have read the fault before.
                    XCTAssertLessThanOrEqual(report.firedFaultCount, firedCount, "\(policy)")
                } else {
                    XCTAssertEqual(report.firedFaultCount, firedCount, "\(policy)")
                }
                XCTAssertEqual(fault.value(forKey: "number") as? Int, 7)
                withExtendedLifetime(doomed) {}
            }
        }
    }

    func testRegisteredFaultsAreReadWithTheMerge() throws {
        try forEachFramework { _, items, reports in
            for name in ["fault", "touched", "left"] { try items.insertInBackground(name, 1) }
            settle(items)
            let fault = try heldFault("fault", in: items), left = try heldFault("left", in: items)
            try update(["fault", "touched"], in: items)
            settle(items)
            XCTAssertEqual(reports.all.last?.firedFaultCount, 1)
            XCTAssertFalse(fault.isFault)
            XCTAssertTrue(left.isFault)
        }
    }

    func testAnInsertedObjectThatMainHasFetchedIsNoUpdatedOne() throws {
        try forEachFramework { _, items, reports in
            let known = try items.insertInBackground("known", 1)
            settle(items)
            let object = try items.main.existingObject(with: known)
            try items.stack.performBackgroundAndWait { context in
                ItemStack.insert("new", into: context)
                try ItemStack.fetch("known", in: context).setValue(2, forKey: "number")
            }
            // Ahead of the merge, which the main queue has not come to.
            let fetched = try heldFault("new", in: items)
            settle(items)
            let report = try XCTUnwrap(reports.all.last)
            XCTAssertEqual(report.registeredCount, 1)
            XCTAssertEqual(report.firedFaultCount, 0)
            XCTAssertEqual(object.value(forKey: "number") as? Int, 2)
            withExtendedLifetime(fetched) {}
        }
    }

    func testTheSlicesOfASaveCountTogether() throws {
        try forEachFramework(turnBudget: 0) { _, items, reports in
            let names = (0..<400).map { "\($0)" }
            try items.stack.performBackgroundAndWait { context in
                for name in names { ItemStack.insert(name, 1, into: context) }
            }
            settle(items)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.fetchLimit = 150
            let held = try items.main.fetch(request)
            for object in held.prefix(10) { items.main.refresh(object, mergeChanges: false) }
            try items.stack.performBackgroundAndWait { context in
                for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                {
                    object.setValue(2, forKey: "number")
                }
            }
            settle(items)
            let report = try XCTUnwrap(reports.all.last)
            XCTAssertGreaterThan(report.sliceCount, 1)
            XCTAssertEqual(report.registeredCount, 150)
            XCTAssertGreaterThanOrEqual(report.firedFaultCount, 10)
            XCTAssertTrue(held.allSatisfy { !$0.isFault })
        }
    }

    /// The save names the box, though it writes no row of it.
    func testTheOwnerOfAnInsertedObjectIsCounted() throws {
        for tellsOfFaults in [true, false] {
            let reports = Log<MergeReport>()
            var options = MergeOptions { reports.append($0) }
            options.mergeTellsOfFaults = tellsOfFaults
            let store = NSPersistentStoreDescription()
            store.type = NSInMemoryStoreType
            let stack = try NotificationMergeStack(
                model: BoxModel.make(),
                stores: [store],
                options: options
            )
            let box = try stack.performBackgroundAndWait { context in
                let box = BoxModel.insert("Box", "box", into: context)
                try context.obtainPermanentIDs(for: [box])
                return box.objectID
            }
            stack.merger.waitUntilSettled()
            let shown = try stack.mainContext.existingObject(with: box)
            try stack.performBackgroundAndWait { context in
                let item = BoxModel.insert("Item", "new", into: context)
                item.setValue(try context.existingObject(with: box), forKey: "box")
            }
            stack.merger.waitUntilSettled()
            let report = try XCTUnwrap(reports.all.last)
            XCTAssertEqual(report.updatedCount, 1)
            XCTAssertEqual(report.registeredCount, 1)
            XCTAssertEqual((shown.value(forKey: "items") as? Set<NSManagedObject>)?.count, 1)
            try stack.tearDown()
        }
    }

    func testWhatAnObserverMergesMeanwhileIsNotCounted() throws {
        try forEachFramework { _, items, reports in
            let ids = try ["a", "b", "c"].map { try items.insertInBackground($0, 1) }
            settle(items)
            let objects = try ids.map { try items.main.existingObject(with: $0) }
            let token = observeOnce(items.main) {
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: [NSUpdatedObjectIDsKey: Array(ids.dropFirst())],
                    into: [items.main]
                )
            }
            try update(["a"], in: items)
            settle(items)
            token.end()
            XCTAssertEqual(reports.all.last?.registeredCount, 1)
            withExtendedLifetime(objects) {}
        }
    }

    func testAnObserverMayResetMain() throws {
        try forEachFramework { tellsOfFaults, items, reports in
            try items.insertInBackground("a", 1)
            settle(items)
            let fault = try heldFault("a", in: items)
            settle(items)
            let token = observeOnce(items.main) { items.main.reset() }
            try update(["a"], in: items)
            settle(items)
            token.end()
            let report = try XCTUnwrap(reports.all.last)
            XCTAssertEqual(report.registeredCount, 1)
            // Read before the merge, or not at all: the context has let go of the object since.
            XCTAssertEqual(report.firedFaultCount, tellsOfFaults ? 0 : 1)
            withExtendedLifetime(fault) {}
        }
    }
}
