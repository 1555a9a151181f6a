import CoreData
import StackSupport
import TestSupport
import Threads
import XCTest

@testable import MergeStack

/// The main thread waits for a worker in a way that Core Data knows nothing of: fine where
/// background contexts are no children of the main one.
final class BlockedMainTests: XCTestCase {
    private func withStacks(_ test: (any ContextStack, ItemFolder) throws -> Void) throws {
        for topology in [Topology.notificationMerge, .perThread] {
            for kind in [StoreKind.sqlite, .inMemory] {
                let folder = try ItemFolder()
                let stack = try topology.make(
                    model: ItemStack.makeModel(),
                    stores: [folder.description(kind)]
                )
                try test(stack, folder)
                try stack.tearDown()
            }
        }
    }

    func testASemaphoreThatTheSavingWorkerHolds() throws {
        try withStacks { stack, _ in
            for kind in BackgroundContextKind.allCases {
                let isSaved = DispatchSemaphore(value: 0)
                ContextThread.start(name: nil) {
                    do {
                        try stack.performBackgroundAndWait(kind) { context in
                            _ = ItemStack.insert("a", into: context)
                        }
                        isSaved.signal()
                    } catch {
                        XCTFail("\(error)")
                    }
                }
                XCTAssertEqual(isSaved.wait(timeout: .now() + 30), .success)
            }
            XCTAssertTrue(stack.waitUntilSettled())
            XCTAssertEqual(try stack.mainContext.items(), ["a|0", "a|0"])
        }
    }

    func testAnOperationQueue() throws {
        try withStacks { stack, _ in
            let queue = OperationQueue()
            for worker in 0..<4 {
                queue.addOperation {
                    do {
                        try stack.performBackgroundAndWait { context in
                            _ = ItemStack.insert("w\(worker)", into: context)
                        }
                    } catch {
                        XCTFail("\(error)")
                    }
                }
            }
            queue.waitUntilAllOperationsAreFinished()
            XCTAssertTrue(stack.waitUntilSettled())
            XCTAssertEqual(try stack.mainContext.items().count, 4)
        }
    }
}
