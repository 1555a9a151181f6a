import CoreData
import StackSupport
import XCTest

/// Relationships to many whose members others have moved: the history names the members alone.
final class RemoteOwnerTests: XCTestCase {
    func testOwnersShowTheMembersThatOthersHaveMoved() throws {
        let remote = try RemoteStack(isTold: false, model: BoxModel.make)
        try remote.stack.performBackgroundAndWait { context in
            let boxes = ["first", "second"].map { BoxModel.insert("Box", $0, into: context) }
            for name in ["a", "b", "c"] {
                BoxModel.insert("Item", name, into: context).setValue(boxes[0], forKey: "box")
            }
        }
        remote.stack.merger.waitUntilSettled()
        let boxes = try Self.all("Box", in: remote.main)
        XCTAssertEqual(boxes.map(Self.itemNames), [["a", "b", "c"], []])
        try remote.other.performBackgroundAndWait { context in
            let items = try Self.all("Item", in: context)
            items[0].setValue(try Self.all("Box", in: context)[1], forKey: "box")
            context.delete(items[1])
        }
        catchUp(remote)
        XCTAssertEqual(boxes.map(Self.itemNames), [["c"], ["a"]])
        XCTAssertFalse(boxes.contains(where: \.hasChanges))
        try remote.remove()
    }

    private static func all(
        _ entity: String,
        in context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }

    private static func itemNames(_ box: NSManagedObject) -> [String] {
        let items = box.value(forKey: "items") as? Set<NSManagedObject> ?? []
        return items.compactMap { $0.value(forKey: "name") as? String }.sorted()
    }
}
