import CoreData
import MergeStack
import TestSupport
import Threads
import XCTest

/// Runs a block on a thread of its own.
package func onThread<Value: Sendable>(
    _ block: @escaping @Sendable () throws -> Value
) async -> Result<Value, any Error> {
    await withCheckedContinuation { continuation in
        ContextThread.start(name: "test") {
            continuation.resume(returning: Result(catching: block))
        }
    }
}

extension XCTestCase {
    /// Lets the main queue run until the stack's saves are merged.
    package func settle(_ stack: ItemStack) {
        let settled = expectation(description: "settled")
        stack.stack.merger.settled { settled.fulfill() }
        wait(for: [settled], timeout: patience)
    }

    /// Lets the main queue run what is on it now.
    package func turnMainQueue() {
        let turned = expectation(description: "turned")
        DispatchQueue.main.async { turned.fulfill() }
        wait(for: [turned], timeout: patience)
    }

    /// Runs a block on a thread of its own.
    package func background(_ block: @escaping @Sendable () throws -> Void) -> XCTestExpectation {
        let done = expectation(description: "background")
        let thread = Thread {
            do {
                try block()
            } catch {
                XCTFail("\(error)")
            }
            done.fulfill()
        }
        thread.stackSize = 4 << 20
        thread.start()
        return done
    }
}
