import Dispatch
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

@Suite struct WriterLockTests {
    @Test func whoActsForTheMainQueueGoesBeforeThoseWhoCameEarlier() async throws {
        let lock = WriterLock<[String]>([])
        let all = DispatchGroup()
        // The holder lets go by itself: while main waits, nothing may depend on the test's task,
        // whose thread another test may keep waiting for main.
        let limit = Date(timeIntervalSinceNow: patience)
        try await completion { isHeld in
            Self.start(all) {
                lock.withLock { _ in
                    isHeld(())
                    while !lock.isAwaitedByMain, limit.timeIntervalSinceNow > 0 {
                        Thread.sleep(forTimeInterval: 0.001)
                    }
                }
            }
        }
        for _ in 0..<3 { Self.start(all) { lock.withLock { $0.append("background") } } }
        all.enter()
        DispatchQueue.main.async {
            lock.withLock { $0.append("main") }
            all.leave()
        }
        try await completion { done in all.notify(queue: .global()) { done(()) } }
        let order = lock.withLock { $0 }
        #expect(order == ["main", "background", "background", "background"])
    }

    @Test func itRemembersForAWhileThatMainHasAskedForIt() async throws {
        let time = Guarded<UInt64>(5)
        let lock = WriterLock<Int>(0, now: { time.withLock { $0 } })
        let all = DispatchGroup()
        Self.start(all) { lock.withLock { $0 += 1 } }
        try await completion { done in all.notify(queue: .global()) { done(()) } }
        #expect(!lock.isUsedByMain)
        try await completion { done in
            DispatchQueue.main.async {
                lock.withLock { $0 += 1 }
                done(())
            }
        }
        time.withLock { $0 += WriterLock<Int>.memory - 1 }
        #expect(lock.isUsedByMain)
        time.withLock { $0 += 1 }
        #expect(!lock.isUsedByMain)
    }

    @Test func onlyOneThreadIsInsideAtATime() async throws {
        let lock = WriterLock<Int>(0)
        let all = DispatchGroup()
        for _ in 0..<8 {
            Self.start(all) { for _ in 0..<2_000 { lock.withLock { $0 += 1 } } }
        }
        try await completion { done in all.notify(queue: .global()) { done(()) } }
        #expect(lock.withLock { $0 } == 16_000)
    }

    private static func start(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }
}
