import Foundation
import LegacyFoundation
import Testing

@Suite struct LockTests {
    private final class Counter: @unchecked Sendable {
        // @unchecked: counted under the lock that the test is about.
        var value = 0
        var lock = os_unfair_lock()
    }

    @Test func objectsAreLocked() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 1000) { _ in
            objc_sync_enter(counter)
            objc_sync_enter(counter)
            counter.value += 1
            objc_sync_exit(counter)
            objc_sync_exit(counter)
        }
        #expect(counter.value == 1000)
        #expect(Int(objc_sync_exit(counter)) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    }

    @Test func aThreadThatDoesNotHoldALockCannotGiveItBack() {
        let counter = Counter()
        let isHeld = DispatchSemaphore(value: 0), isRefused = DispatchSemaphore(value: 0)
        let isGivenBack = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            objc_sync_enter(counter)
            isHeld.signal()
            isRefused.wait()
            #expect(Int(objc_sync_exit(counter)) == OBJC_SYNC_SUCCESS)
            isGivenBack.signal()
        }
        isHeld.wait()
        for _ in 1...2 {
            #expect(Int(objc_sync_exit(counter)) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
        }
        isRefused.signal()
        isGivenBack.wait()
        #expect(Int(objc_sync_enter(counter)) == OBJC_SYNC_SUCCESS)
        #expect(Int(objc_sync_exit(counter)) == OBJC_SYNC_SUCCESS)
        #expect(Int(objc_sync_exit(counter)) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    }

    @Test func unfairLocksExclude() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 1000) { _ in
            os_unfair_lock_lock(&counter.lock)
            counter.value += 1
            os_unfair_lock_unlock(&counter.lock)
        }
        #expect(counter.value == 1000)
        #expect(os_unfair_lock_trylock(&counter.lock))
        #expect(!os_unfair_lock_trylock(&counter.lock))
    }

    @Test func stateIsGuarded() {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        DispatchQueue.concurrentPerform(iterations: 1000) { _ in lock.withLock { $0 += 1 } }
        #expect(lock.withLock { $0 } == 1000)
    }

    @Test func poolsReturnWhatTheirBlockDoes() throws {
        #expect(autoreleasepool { 5 } == 5)
        #expect(throws: CocoaError.self) {
            try autoreleasepool { throw CocoaError(.fileNoSuchFile) }
        }
    }
}
