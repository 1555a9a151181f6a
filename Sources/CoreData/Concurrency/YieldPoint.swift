import Dispatch
import Foundation
import Threads

/// A point in a loop of some length at which a background thread lets the main thread have its processor,
/// if that waits for it.
///
/// A thread that computes without a break keeps its processor until the scheduler's next tick, which comes
/// every 4 ms on many systems, although main has woken up and wants it. A thread that yielded at each point
/// would fall behind the other processes of the machine, to which it gives up its turn; so this one asks
/// first whether main waits for it.
///
/// > Threading: Each belongs to one thread at a time. Passing it on the main queue does nothing.
struct YieldPoint {
    /// What is asked, and done, at a point.
    struct Scheduling: Sendable {
        /// Nanoseconds since some moment.
        let now: @Sendable () -> UInt64
        /// Whether main waits for the caller's processor, and the caller is not main itself.
        let isMainWaiting: @Sendable () -> Bool
        let yield: @Sendable () -> Void
        /// When the caller's thread has asked last.
        let lastQuestion: @Sendable () -> LastQuestion

        static let system = Scheduling(
            now: { DispatchTime.now().uptimeNanoseconds },
            isMainWaiting: { !MainQueue.isServed && MainThread.isWaitingForThisProcessor },
            yield: { _ = sched_yield() },
            lastQuestion: { lastQuestions.value }
        )
        private static let lastQuestions = ThreadLocal { LastQuestion() }
    }

    /// The moment of a question, by the clock of its scheduling.
    ///
    /// It is the thread's and not the point's: each fetch and each save has points of its own, and of many
    /// small ones each would ask.
    final class LastQuestion {
        fileprivate var time: UInt64 = 0
    }

    /// How many passes lie between two looks at the clock, which costs as much as some of them.
    static let stride = 32
    /// How many nanoseconds lie between two questions of a thread to the system, each of which takes some
    /// thousand.
    ///
    /// So much is left to this thread for each turn of the processor that main takes, also while main
    /// computes without an end.
    static let interval: UInt64 = 1_000_000

    private var passCount = 0
    private let scheduling: Scheduling

    /// What is asked by the points that are made within the current task, or call.
    @TaskLocal static var scheduling = Scheduling.system

    init(_ scheduling: Scheduling = Self.scheduling) { self.scheduling = scheduling }

    /// To be called in each round of the loop.
    @inline(__always) mutating func pass() {
        passCount &+= 1
        if passCount & (Self.stride - 1) == 0 { look() }
    }

    /// To be called once for some rounds of the loop.
    mutating func pass(count: Int) {
        let strides = passCount / Self.stride
        passCount &+= count
        if passCount / Self.stride != strides { look() }
    }

    @inline(never) private func look() {
        let now = scheduling.now()
        let last = scheduling.lastQuestion()
        guard now &- last.time >= Self.interval else { return }
        last.time = now
        if scheduling.isMainWaiting() { scheduling.yield() }
    }
}
