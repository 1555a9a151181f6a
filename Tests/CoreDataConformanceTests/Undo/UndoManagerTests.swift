import CoreData
import Testing
import XCTest

/// Something to undo changes of.
private final class UndoCounter {
    var value = 0

    func set(_ new: Int, _ manager: UndoManager) {
        let old = value
        // Weakly, for the manager has the block.
        manager.registerUndo(withTarget: self) { [weak manager] counter in
            if let manager { counter.set(old, manager) }
        }
        value = new
    }
}

@Suite struct UndoManagerTests {
    private func makeManager() -> UndoManager {
        let manager = UndoManager()
        manager.groupsByEvent = false
        return manager
    }

    private func group(_ manager: UndoManager, _ body: () -> Void) {
        manager.beginUndoGrouping()
        body()
        manager.endUndoGrouping()
    }

    @Test func undoAndRedoReverseGroups() {
        let manager = makeManager(), counter = UndoCounter()
        #expect(!manager.canUndo && !manager.canRedo)
        group(manager) {
            counter.set(1, manager)
            counter.set(2, manager)
        }
        group(manager) { counter.set(3, manager) }
        #expect(manager.canUndo && !manager.canRedo)
        manager.undo()
        #expect(counter.value == 2 && manager.canRedo)
        manager.undo()
        #expect(counter.value == 0 && !manager.canUndo)
        manager.undo()
        #expect(counter.value == 0)
        manager.redo()
        #expect(counter.value == 2)
        manager.redo()
        #expect(counter.value == 3 && !manager.canRedo)
        manager.undo()
        group(manager) { counter.set(9, manager) }
        #expect(!manager.canRedo)
        manager.undo()
        #expect(counter.value == 2)
    }

    /// Of an event's group nothing is left to be closed then.
    @Test func anObserverOfAGroupsEndMayRemoveAllActions() {
        let manager = UndoManager(), counter = UndoCounter()
        let token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerWillCloseUndoGroup,
            object: manager,
            queue: nil
        ) { notification in
            (notification.object as? UndoManager)?.removeAllActions()
        }
        defer { NotificationCenter.default.removeObserver(token) }
        counter.set(1, manager)
        #expect(manager.groupingLevel == 1)
        manager.undo()
        #expect(counter.value == 1 && manager.groupingLevel == 0)
        #expect(!manager.canUndo && !manager.canRedo)
    }

    @Test func undoClosesTheOpenGroup() {
        let manager = makeManager(), counter = UndoCounter()
        manager.beginUndoGrouping()
        counter.set(1, manager)
        #expect(manager.groupingLevel == 1 && manager.canUndo)
        manager.undo()
        #expect(manager.groupingLevel == 0 && counter.value == 0)
    }

    @Test func nestedGroupsBelongToTheOuterOne() {
        let manager = makeManager(), counter = UndoCounter()
        manager.beginUndoGrouping()
        counter.set(1, manager)
        group(manager) { counter.set(2, manager) }
        group(manager) { counter.set(3, manager) }
        #expect(manager.groupingLevel == 1)
        manager.undoNestedGroup()
        #expect(counter.value == 2)
        manager.endUndoGrouping()
        manager.undo()
        #expect(counter.value == 0)
        manager.redo()
        #expect(counter.value == 2)
    }

    @Test func emptyGroupsAreForgotten() {
        let manager = makeManager()
        group(manager) { group(manager) {} }
        #expect(!manager.canUndo)
    }

    @Test func oldGroupsGoBeyondTheLevels() {
        let manager = makeManager(), counter = UndoCounter()
        #expect(manager.levelsOfUndo == 0)
        manager.levelsOfUndo = 2
        for number in 1...4 { group(manager) { counter.set(number, manager) } }
        for _ in 1...4 { manager.undo() }
        #expect(counter.value == 2)
        for _ in 1...2 { manager.redo() }
        manager.levelsOfUndo = 1
        for _ in 1...4 { manager.undo() }
        #expect(counter.value == 3)
    }

    @Test func registrationCanBeDisabled() {
        let manager = makeManager(), counter = UndoCounter()
        manager.disableUndoRegistration()
        manager.disableUndoRegistration()
        manager.enableUndoRegistration()
        #expect(!manager.isUndoRegistrationEnabled)
        counter.set(1, manager)
        manager.enableUndoRegistration()
        #expect(manager.isUndoRegistrationEnabled && !manager.canUndo)
    }

    @Test func targetsAreHeldWeaklyAndRemoved() {
        let manager = makeManager(), kept = UndoCounter(), other = UndoCounter()
        var gone: UndoCounter? = UndoCounter()
        weak let reference = gone
        group(manager) {
            gone?.set(1, manager)
            kept.set(1, manager)
            other.set(1, manager)
        }
        gone = nil
        #expect(reference == nil)
        manager.removeAllActions(withTarget: other)
        manager.undo()
        #expect(kept.value == 0 && other.value == 1)
        group(manager) { kept.set(1, manager) }
        manager.removeAllActions(withTarget: kept)
        #expect(!manager.canUndo)
        manager.redo()
        group(manager) { kept.set(5, manager) }
        manager.disableUndoRegistration()
        manager.removeAllActions()
        #expect(!manager.canUndo && !manager.canRedo && manager.isUndoRegistrationEnabled)
    }

    @Test func actionNamesFollowTheirGroups() {
        let manager = makeManager(), counter = UndoCounter()
        #expect(manager.undoActionName.isEmpty && manager.undoMenuItemTitle == "Undo")
        group(manager) {
            counter.set(1, manager)
            manager.setActionName("Count")
            manager.setActionIsDiscardable(true)
        }
        #expect(manager.undoActionName == "Count" && manager.undoMenuItemTitle == "Undo Count")
        #expect(manager.undoActionIsDiscardable && !manager.redoActionIsDiscardable)
        manager.undo()
        #expect(manager.undoActionName.isEmpty && manager.redoActionName == "Count")
        #expect(manager.redoMenuItemTitle == "Redo Count" && manager.redoActionIsDiscardable)
        manager.redo()
        #expect(manager.undoActionName == "Count")
        #expect(manager.undoMenuTitle(forUndoActionName: "") == "Undo")
        #expect(manager.redoMenuTitle(forUndoActionName: "X") == "Redo X")
    }

    @Test func stateShowsWhileUndoing() {
        let manager = makeManager(), counter = UndoCounter()
        var seen: [Bool] = []
        group(manager) {
            manager.registerUndo(withTarget: counter) { _ in
                seen += [manager.isUndoing, manager.isRedoing]
                manager.registerUndo(withTarget: counter) { _ in
                    seen += [manager.isUndoing, manager.isRedoing]
                }
            }
        }
        manager.undo()
        manager.redo()
        #expect(seen == [true, false, false, true])
        #expect(!manager.isUndoing && !manager.isRedoing)
    }

    @Test func notificationsTellOfGroupsAndUndo() {
        let manager = makeManager(), counter = UndoCounter()
        let log = UndoLog(manager)
        group(manager) { counter.set(1, manager) }
        #expect(log.take() == ["checkpoint", "open", "checkpoint", "willClose", "didClose"])
        manager.undo()
        let undone = log.take()
        #expect(undone.first == "checkpoint" && undone.last == "didUndo")
        #expect(undone.contains("willUndo") && undone.contains("open"))
        manager.redo()
        let redone = log.take()
        #expect(redone.first == "checkpoint" && redone.last == "didRedo")
        #expect(redone.contains("willRedo"))
        _ = manager.canRedo
        #expect(log.take() == ["checkpoint"])
    }
}

private final class UndoLog: @unchecked Sendable {
    // @unchecked: used on the test's thread, which posts.
    private var names: [String] = []
    private var tokens: [any NSObjectProtocol] = []

    init(_ manager: UndoManager) {
        let known: [(Notification.Name, String)] = [
            (.NSUndoManagerCheckpoint, "checkpoint"), (.NSUndoManagerDidOpenUndoGroup, "open"),
            (.NSUndoManagerWillCloseUndoGroup, "willClose"),
            (.NSUndoManagerDidCloseUndoGroup, "didClose"),
            (.NSUndoManagerWillUndoChange, "willUndo"), (.NSUndoManagerDidUndoChange, "didUndo"),
            (.NSUndoManagerWillRedoChange, "willRedo"), (.NSUndoManagerDidRedoChange, "didRedo"),
        ]
        for (name, text) in known {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
                    [weak self] _ in self?.names.append(text)
                }
            )
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    func take() -> [String] {
        defer { names = [] }
        return names
    }
}

final class UndoEventTests: XCTestCase {
    func testTheFirstRegistrationOfAnEventOpensAGroupThatMainCloses() {
        let manager = UndoManager(), counter = UndoCounter()
        XCTAssertTrue(manager.groupsByEvent)
        counter.set(1, manager)
        counter.set(2, manager)
        XCTAssertEqual(manager.groupingLevel, 1)
        let ended = expectation(description: "end of event")
        DispatchQueue.main.async { ended.fulfill() }
        wait(for: [ended], timeout: 10)
        XCTAssertEqual(manager.groupingLevel, 0)
        counter.set(3, manager)
        manager.undo()
        XCTAssertEqual(counter.value, 2)
        manager.undo()
        XCTAssertEqual(counter.value, 0)
    }
}
