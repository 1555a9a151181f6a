import CoreData
import XCTest

/// What clients of old give to `perform` and `performAndWait`: blocks that capture what is not
/// Sendable. In the language of Swift 5 the compiler says nothing of it, as with Apple's headers;
/// this target takes such a warning for an error.
class PerformTests: LibraryTestCase {
    private func makeContext() throws -> NSManagedObjectContext {
        let url = folder.appendingPathComponent("Perform.sqlite")
        return try HandRolledStack(storeURL: url).mainContext
    }

    func testBlocksCaptureObjectsAndNotifications() throws {
        let context = try makeContext()
        let notification = Notification(
            name: .NSManagedObjectContextDidSave,
            object: nil,
            userInfo: [NSUpdatedObjectsKey: Set<NSManagedObject>()]
        )
        let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
        let done = expectation(description: "done")
        context.perform {
            context.mergeChanges(fromContextDidSave: notification)
            context.delete(shelf)
            done.fulfill()
        }
        wait(for: [done], timeout: 30)
        XCTAssertTrue(shelf.isDeleted || shelf.managedObjectContext == nil)
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    func testBlocksChangeWhatIsAroundThem() throws {
        let context = try makeContext()
        var names: [String] = []
        context.performAndWait { names.append("once") }
        let count = context.performAndWait { () -> Int in
            names.append("again")
            return names.count
        }
        XCTAssertEqual(names, ["once", "again"])
        XCTAssertEqual(count, 2)
    }

    /// A wrapper of before 2021, when `performAndWait` had no result and threw nothing.
    func testAWrapperOfPerformAndWait() throws {
        struct Failure: Error {}
        let context = try makeContext()
        XCTAssertEqual(context.result { 3 }, 3)
        XCTAssertThrowsError(try context.result { throw Failure() })
    }
}

extension NSManagedObjectContext {
    fileprivate func result<T>(_ block: () throws -> T) rethrows -> T {
        func run(
            _ perform: (() -> Void) -> Void,
            _ work: () throws -> T,
            _ rescue: (Error) throws -> T
        ) rethrows -> T {
            var result: T?
            var failure: Error?
            withoutActuallyEscaping(work) { work in
                perform {
                    do { result = try work() } catch { failure = error }
                }
            }
            if let failure = failure { return try rescue(failure) }
            return result!
        }
        return try run(performAndWait, block, { throw $0 })
    }
}
