import CoreData
import StackSupport
import XCTest

@testable import MergeStack

class ObjectReferenceTests: StoreTestCase {
    func testAnObjectGoesToAnotherContext() throws {
        let items = try makeItems()
        defer { items.remove() }
        let reference = try items.stack.performBackgroundAndWait { context in
            let item = ItemStack.insert("a", 5, into: context)
            XCTAssertTrue(item.objectID.isTemporaryID)
            let reference = try ObjectReference(item)
            XCTAssertFalse(reference.objectID.isTemporaryID)
            return reference
        }
        let item = try reference.resolve(in: items.main)
        XCTAssertEqual(item.value(forKey: "number") as? Int, 5)
        XCTAssertEqual(try ObjectReference(item), reference)
    }

    func testWhatIsNotInTheStoreThrows() throws {
        let items = try makeItems()
        defer { items.remove() }
        let unsaved = try items.stack.performBackgroundAndWait(saves: false) { context in
            try ObjectReference(ItemStack.insert("a", into: context))
        }
        XCTAssertThrowsError(try unsaved.resolve(in: items.main)) { error in
            XCTAssertEqual((error as? MergeStackError)?.code, .objectUnavailable)
        }
        let deleted = try items.stack.performBackgroundAndWait { context in
            try ObjectReference(ItemStack.insert("b", into: context))
        }
        try items.deleteInBackground("b")
        XCTAssertThrowsError(try deleted.resolve(in: items.main))
    }
}

final class InMemoryObjectReferenceTests: ObjectReferenceTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testAnObjectGoesToAnotherContext() throws {
        try super.testAnObjectGoesToAnotherContext()
    }
    override func testWhatIsNotInTheStoreThrows() throws {
        try super.testWhatIsNotInTheStoreThrows()
    }
}
