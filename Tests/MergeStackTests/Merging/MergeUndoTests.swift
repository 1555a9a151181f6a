import CoreData
import StackSupport
import Threads
import XCTest

@testable import MergeStack

/// Undo and roll-back on main touch what main did, never what was merged.
class MergeUndoTests: StoreTestCase {
    func testUndoLeavesMergedChangesAlone() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("a", 1)
        try items.insertInBackground("doomed", 1)
        settle(items)
        let undo = UndoManager()
        undo.groupsByEvent = false
        items.main.undoManager = undo
        let shown = try items.main.existingObject(with: id)
        let doomed = try ItemStack.fetch("doomed", in: items.main)
        undo.beginUndoGrouping()
        shown.setValue("mine", forKey: "name")
        items.main.processPendingChanges()
        try items.updateInBackground("a", to: 2)
        try items.deleteInBackground("doomed")
        try items.insertInBackground("new")
        settle(items)
        undo.endUndoGrouping()
        XCTAssertTrue(undo.isUndoRegistrationEnabled)
        undo.undo()
        XCTAssertEqual(shown.value(forKey: "name") as? String, "a")
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 2)
        XCTAssertTrue(doomed.isDeleted || doomed.managedObjectContext == nil)
        XCTAssertFalse(undo.canUndo)
        try items.main.save()
        let fresh = items.stack.makeBackgroundContext()
        let names = try fresh.inside {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            return try fresh.fetch(request).map { $0.value(forKey: "name") as? String }
        }
        XCTAssertEqual(Set(names), ["a", "new"])
    }

    /// A merge alone leaves nothing to undo.
    func testMergesAreNotUndoable() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("a", 1)
        settle(items)
        let object = try items.main.existingObject(with: id)
        let undo = UndoManager()
        items.main.undoManager = undo
        // What observers do in a merge belongs to the merge.
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange,
            object: items.main,
            queue: nil
        ) { _ in
            let object = items.main.registeredObject(for: id)
            if object?.value(forKey: "name") as? String == "a" {
                object?.setValue("normalised", forKey: "name")
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try items.updateInBackground("a", to: 2)
        settle(items)
        turnMainQueue()
        XCTAssertEqual(object.value(forKey: "name") as? String, "normalised")
        XCTAssertFalse(undo.canUndo)
    }

    /// Observers may end what the merge has begun with main's undo manager, or replace that.
    func testObserversOfAMergeMayDoWhatTheyLikeWithMainsUndoManager() throws {
        let actions: [@Sendable (NSManagedObjectContext) -> Void] = [
            { $0.rollback() },
            { $0.reset() },
            { $0.undoManager?.removeAllActions() },
            { $0.undoManager = UndoManager() },
            { $0.undoManager = nil },
        ]
        for action in actions {
            let items = try makeItems()
            defer { items.remove() }
            let id = try items.insertInBackground("a", 1)
            settle(items)
            let shown = try items.main.existingObject(with: id)
            let undo = UndoManager()
            items.main.undoManager = undo
            let calls = Guarded(0)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange,
                object: items.main,
                queue: nil
            ) { _ in
                let isFirst = calls.withLock { calls in
                    calls += 1
                    return calls == 1
                }
                if isFirst { action(items.main) }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            try items.updateInBackground("a", to: 2)
            settle(items)
            XCTAssertGreaterThan(calls.withLock { $0 }, 0)
            XCTAssertTrue(undo.isUndoRegistrationEnabled)
            XCTAssertNotEqual(items.main.undoManager?.isUndoRegistrationEnabled, false)
            let object = try items.main.existingObject(with: id)
            XCTAssertEqual(object.value(forKey: "number") as? Int, 2)
            withExtendedLifetime(shown) {}
        }
    }

    func testAMergeKeepsRegistrationOffWhereTheClientHasPutItOff() throws {
        let items = try makeItems()
        defer { items.remove() }
        let undo = UndoManager()
        items.main.undoManager = undo
        undo.disableUndoRegistration()
        try items.insertInBackground("a", 1)
        settle(items)
        XCTAssertFalse(undo.isUndoRegistrationEnabled)
        undo.enableUndoRegistration()
        XCTAssertTrue(undo.isUndoRegistrationEnabled)
    }

    func testRollBackLeavesMergedChangesAlone() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("a", 1)
        settle(items)
        let shown = try items.main.existingObject(with: id)
        shown.setValue("mine", forKey: "name")
        try items.updateInBackground("a", to: 2)
        settle(items)
        items.main.rollback()
        XCTAssertEqual(shown.value(forKey: "name") as? String, "a")
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 2)
    }
}

final class InMemoryMergeUndoTests: MergeUndoTests {
    override var storeType: String { NSInMemoryStoreType }
    override func testUndoLeavesMergedChangesAlone() throws {
        try super.testUndoLeavesMergedChangesAlone()
    }
}
