import CoreData
import StackSupport
import XCTest

/// Classes of old code that call objects equal, though Apple forbids it: saves and merges go on.
final class EqualObjectTests: StoreTestCase {
    private final class EqualItem: NSManagedObject {
        override func isEqual(_ object: Any?) -> Bool { object is EqualItem }
        override var hash: Int { 1 }
    }

    func testEqualObjectsAreSavedAndMerged() throws {
        let items = try ItemStack(itemClass: EqualItem.self)
        defer { items.remove() }
        try items.stack.performBackgroundAndWait { context in
            for name in ["a", "b", "c"] { ItemStack.insert(name, 1, into: context) }
        }
        settle(items)
        XCTAssertEqual(try items.main.items(), ["a|1", "b|1", "c|1"])
        try items.stack.performBackgroundAndWait { context in
            for name in ["a", "b", "c"] { try context.item(name).setValue(2, forKey: "number") }
        }
        settle(items)
        XCTAssertEqual(try items.main.items(), ["a|2", "b|2", "c|2"])
    }
}
