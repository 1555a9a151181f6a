import CoreData
import StackSupport
import TestSupport
import XCTest

@testable import MergeStack

class NotificationMergeStackTests: StoreTestCase {
    func testContextsShareTheCoordinatorAndHaveTheirPolicy() throws {
        let items = try makeItems()
        defer { items.remove() }
        let stack = items.stack
        let types = BackgroundContextKind.allCases.map {
            stack.makeBackgroundContext($0, name: "x").concurrencyType.rawValue
        }
        XCTAssertEqual(types, [1, 0])
        let context = stack.makeBackgroundContext()
        XCTAssertTrue(context.persistentStoreCoordinator === stack.coordinator)
        for context in [context, stack.mainContext] {
            let policy = context.mergePolicy as? NSMergePolicy
            XCTAssertEqual(policy?.mergeType, .mergeByPropertyObjectTrumpMergePolicyType)
        }
    }

    func testThrownErrorsSaveNothing() throws {
        let items = try makeItems()
        defer { items.remove() }
        for kind in BackgroundContextKind.allCases {
            XCTAssertThrowsError(
                try items.stack.performBackgroundAndWait(kind) { context in
                    ItemStack.insert("a", into: context)
                    throw CocoaError(.userCancelled)
                }
            )
        }
        try items.stack.performBackgroundAndWait(saves: false) { context in
            ItemStack.insert("b", into: context)
        }
        XCTAssertEqual(try items.stack.coordinator.items(), [])
    }

    func testCompletionRunsWhenMainShowsTheChange() throws {
        let items = try makeItems()
        defer { items.remove() }
        let merged = Log<Int>()
        for kind in BackgroundContextKind.allCases {
            let done = expectation(description: "\(kind)")
            items.stack.performBackground(kind) { context in
                ItemStack.insert("a", into: context)
                return 7
            } completion: { result in
                XCTAssertEqual(try? result.get(), 7)
                XCTAssertTrue(Thread.isMainThread)
                merged.append(items.stack.merger.statistics.mergeCount)
                done.fulfill()
            }
            wait(for: [done], timeout: patience)
        }
        XCTAssertEqual(merged.all, [1, 2])
    }

    func testInvalidatedStacksRefuseWork() throws {
        let items = try makeItems()
        defer { items.remove() }
        items.stack.invalidate()
        XCTAssertThrowsError(try items.insertInBackground("a")) { error in
            XCTAssertEqual((error as? MergeStackError)?.code, .invalidated)
        }
        let done = expectation(description: "completion")
        items.stack.performBackground { _ in
            true
        } completion: { result in
            XCTAssertNil(try? result.get())
            done.fulfill()
        }
        wait(for: [done], timeout: patience)
    }

    func testAContainersViewContextIsTheMainContext() throws {
        let items = try makeItems()
        defer { items.remove() }
        let model = ItemStack.makeModel()
        let container = NSPersistentContainer(name: "Items", managedObjectModel: model)
        let description = NSPersistentStoreDescription(
            url: items.directory.appendingPathComponent("container.sqlite")
        )
        description.type = storeType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { XCTAssertNil($1) }
        let stack = NotificationMergeStack(container: container)
        XCTAssertTrue(stack.mainContext === container.viewContext)
        try stack.performBackgroundAndWait { context in
            ItemStack.insert("a", into: context)
        }
        XCTAssertTrue(stack.merger.waitUntilSettled())
        XCTAssertEqual(stack.merger.statistics.mergeCount, 1)
        XCTAssertEqual(items.stack.merger.statistics.mergeCount, 0)
        try stack.tearDown()
    }
}

final class InMemoryNotificationMergeStackTests: NotificationMergeStackTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testContextsShareTheCoordinatorAndHaveTheirPolicy() throws {
        try super.testContextsShareTheCoordinatorAndHaveTheirPolicy()
    }
    override func testThrownErrorsSaveNothing() throws { try super.testThrownErrorsSaveNothing() }
    override func testCompletionRunsWhenMainShowsTheChange() throws {
        try super.testCompletionRunsWhenMainShowsTheChange()
    }
    override func testInvalidatedStacksRefuseWork() throws {
        try super.testInvalidatedStacksRefuseWork()
    }
    override func testAContainersViewContextIsTheMainContext() throws {
        try super.testAContainersViewContextIsTheMainContext()
    }
}
