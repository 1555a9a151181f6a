import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite struct WorkAheadTests {
    @Test func theOutcomeIsThatOfTheWorkWhichIsDoneOnce() async throws {
        let count = Locked(0)
        for number in 0..<200 {
            let work = WorkAhead {
                count.withLock { $0 += 1 }
                return number
            }
            // Some are asked for at once, others when somebody has long been at work.
            if number % 2 == 0 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(work.value() == number)
        }
        #expect(count.withLock { $0 } == 200)
    }

    @Test func anotherThreadDoesItBeforeItIsNeeded() async throws {
        let isMain = try await completion { done in
            let thread = pthread_self()
            let work = WorkAhead {
                done(pthread_equal(thread, pthread_self()) != 0)
                return 1
            }
            // Nobody asks for it until it is done.
            _ = work
        }
        #expect(!isMain)
    }

    private final class Held: Sendable {}

    /// No thread is there to do the work ahead: who needs it must not wait for one, and what it needed is
    /// let go of.
    @Test func theOutcomeIsThereAlthoughAllThreadsAreTaken() async throws {
        let gate = DispatchSemaphore(value: 0), taken = 300
        for _ in 0..<taken { DispatchQueue.global(qos: .userInitiated).async { gate.wait() } }
        var values: [Int] = []
        weak var held: Held?
        for number in 0..<50 {
            let holding = Held()
            held = holding
            values.append(WorkAhead { withExtendedLifetime(holding) { number } }.value())
        }
        #expect(held == nil)
        for _ in 0..<taken { gate.signal() }
        #expect(values == Array(0..<50))
    }
}
