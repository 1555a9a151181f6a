import Dispatch
import Foundation
import Testing

@testable import CoreData

@Suite struct WriterLockTests {
    @Test func whoActsForTheMainQueueGoesBeforeThoseWhoCameEarlier() async {
        let lock = WriterLock<[String]>([])
        let isHeld = DispatchSemaphore(value: 0)
        let all = DispatchGroup()
        // The holder lets go by itself: while main waits, nothing may depend on the test's task,
        // whose thread another test may keep waiting for main.
        Self.start(all) {
            lock.withLock { _ in
                isHeld.signal()
                while !lock.isAwaitedByMain { Thread.sleep(forTimeInterval: 0.001) }
            }
        }
        await Self.waitFor(isHeld)
        for _ in 0..<3 { Self.start(all) { lock.withLock { $0.append("background") } } }
        all.enter()
        DispatchQueue.main.async {
            lock.withLock { $0.append("main") }
            all.leave()
        }
        await withCheckedContinuation { done in all.notify(queue: .global()) { done.resume() } }
        let order = lock.withLock { $0 }
        #expect(order == ["main", "background", "background", "background"])
    }

    @Test func onlyOneThreadIsInsideAtATime() async {
        let lock = WriterLock<Int>(0)
        let all = DispatchGroup()
        for _ in 0..<8 {
            Self.start(all) { for _ in 0..<2_000 { lock.withLock { $0 += 1 } } }
        }
        await withCheckedContinuation { done in all.notify(queue: .global()) { done.resume() } }
        #expect(lock.withLock { $0 } == 16_000)
    }

    private static func start(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }

    private static func waitFor(_ semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                semaphore.wait()
                done.resume()
            }
        }
    }
}
