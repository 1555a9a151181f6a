import CoreData
import StackSupport
import XCTest

@testable import MergeStack

/// Main below a root context: what main has pushed there does not come back, what others have does.
final class MergeEchoTests: StoreTestCase {
    /// A main context below a private root one, and a merger for it.
    private struct Tree {
        let root: NSManagedObjectContext
        let main: NSManagedObjectContext
        let merger: DidSaveMerger
    }

    private func makeTree(_ items: ItemStack) -> Tree {
        let root = items.stack.makeBackgroundContext(name: "root")
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = root
        main.name = "default"
        return Tree(root: root, main: main, merger: DidSaveMerger(into: main))
    }

    private func saveRoot(_ tree: Tree) throws {
        try tree.root.inside { try tree.root.save() }
    }

    /// What main pushes into the root, and what somebody else changes there.
    private func pushAndChange(_ tree: Tree, _ id: NSManagedObjectID) throws {
        ItemStack.insert("own", into: tree.main)
        try tree.main.save()
        try tree.root.inside {
            try tree.root.existingObject(with: id).setValue(2, forKey: "number")
            tree.root.processPendingChanges()
        }
    }

    func testMainsOwnChangesDoNotComeBack() throws {
        let items = try makeItems()
        defer { items.remove() }
        let tree = makeTree(items)
        let followed = try FollowedItems(
            in: tree.main,
            by: [NSSortDescriptor(key: "name", ascending: true)]
        )
        ItemStack.insert("own", into: tree.main)
        try tree.main.save()
        let count = followed.changeCount
        try saveRoot(tree)
        tree.merger.waitUntilSettled()
        XCTAssertEqual(tree.merger.statistics.droppedCounts[.echo], 1)
        XCTAssertEqual(tree.merger.statistics.mergeCount, 0)
        XCTAssertEqual(followed.changeCount, count)
        XCTAssertEqual(followed.objects.count, 1)
    }

    /// Of a save of both only what is not main's is merged.
    func testChangesOfOthersAreMergedBesideThem() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("shown", 1)
        let tree = makeTree(items)
        let shown = try tree.main.existingObject(with: id)
        try pushAndChange(tree, id)
        try saveRoot(tree)
        tree.merger.waitUntilSettled()
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 2)
        XCTAssertEqual(tree.merger.statistics.mergeCount, 1)
        XCTAssertEqual(tree.merger.statistics.mergedObjectCount, 1)
    }

    /// The rows come with the notification: nothing is looked up in a context above, which may have
    /// none of it any more.
    func testChangesOfOthersComeWithTheirRows() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("shown", 1)
        let tree = makeTree(items)
        let shown = try tree.main.existingObject(with: id)
        try pushAndChange(tree, id)
        try saveRoot(tree)
        tree.root.performAndWait { tree.root.reset() }
        tree.merger.waitUntilSettled()
        XCTAssertEqual(tree.merger.statistics.mergedObjectCount, 1)
        XCTAssertFalse(shown.isFault)
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 2)
    }

    /// Main's push goes on top of a change that is not main's, and that main has not seen.
    func testWhatOthersChangedBeforeMainIsMerged() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("shown", 1)
        let tree = makeTree(items)
        let shown = try tree.main.existingObject(with: id)
        try tree.root.inside {
            try tree.root.existingObject(with: id).setValue(3, forKey: "number")
            tree.root.processPendingChanges()
        }
        shown.setValue("mine", forKey: "name")
        try tree.main.save()
        try saveRoot(tree)
        tree.merger.waitUntilSettled()
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 3)
        XCTAssertEqual(shown.value(forKey: "name") as? String, "mine")
    }

    /// What others have changed is announced above together with main's push.
    func testWhatOthersChangedInTheSameEventIsMerged() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("shown", 1)
        let tree = makeTree(items)
        let shown = try tree.main.existingObject(with: id)
        try tree.root.inside {
            try tree.root.existingObject(with: id).setValue(3, forKey: "number")
        }
        shown.setValue("mine", forKey: "name")
        try tree.main.save()
        try saveRoot(tree)
        tree.merger.waitUntilSettled()
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 3)
        XCTAssertEqual(shown.value(forKey: "name") as? String, "mine")
    }

    /// What main pushed and somebody else changed afterwards is not main's any more.
    func testWhatOthersChangedAfterMainIsMerged() throws {
        let items = try makeItems()
        defer { items.remove() }
        let id = try items.insertInBackground("shown", 1)
        let tree = makeTree(items)
        let shown = try tree.main.existingObject(with: id)
        shown.setValue(2, forKey: "number")
        try tree.main.save()
        try tree.root.inside {
            try tree.root.existingObject(with: id).setValue(3, forKey: "number")
            tree.root.processPendingChanges()
        }
        try saveRoot(tree)
        tree.merger.waitUntilSettled()
        XCTAssertEqual(shown.value(forKey: "number") as? Int, 3)
        XCTAssertEqual(tree.merger.statistics.mergeCount, 1)
    }
}
