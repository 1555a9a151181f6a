import Dispatch
import Foundation

/// Measures for how long the main queue is busy without a break.
///
/// A timer in the background puts a block on the main queue about every millisecond, one at a
/// time, and notes how late it runs: that long the queue was busy. ``note(busySeconds:)`` adds
/// stretches that were timed where they ran.
///
/// > Threading: Any thread.
public final class MainQueueMonitor: Sendable {
    private struct State {
        var timer: (any DispatchSourceTimer)?
        var isProbing = false
        var stretches: [Double] = []
    }

    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "MergeStack.MainQueueMonitor", qos: .userInteractive)

    /// A monitor that does not measure yet.
    public init() {}

    deinit { state.withLock { $0.timer?.cancel() } }

    /// Begins to measure, from nothing.
    ///
    /// A second call begins anew.
    public func start() {
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(1), leeway: .nanoseconds(0))
        timer.setEventHandler { [weak self] in self?.probe() }
        let previous = state.withLock { state in
            defer { state = State(timer: timer) }
            return state.timer
        }
        previous?.cancel()
        timer.resume()
    }

    /// Ends measuring and says what was seen.
    @discardableResult public func stop() -> MainQueueReport {
        let timer = state.withLock { state in
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
        return report
    }

    /// What was seen so far.
    public var report: MainQueueReport {
        MainQueueReport(stretches: state.withLock { $0.stretches })
    }

    /// Adds a stretch that was timed on the main queue itself.
    public func note(busySeconds: Double) {
        state.withLock { $0.stretches.append(busySeconds) }
    }

    private func probe() {
        let begins = state.withLock { state in
            guard state.timer != nil, !state.isProbing else { return false }
            state.isProbing = true
            return true
        }
        guard begins else { return }
        let posted = DispatchTime.now().uptimeNanoseconds
        DispatchQueue.main.async { [weak self] in
            let late = Double(DispatchTime.now().uptimeNanoseconds - posted) / 1e9
            self?.state.withLock { state in
                state.isProbing = false
                state.stretches.append(late)
            }
        }
    }
}

/// How long the main queue was busy without a break.
public struct MainQueueReport: Hashable, Sendable {
    /// How many stretches were seen, idle moments included as stretches of nearly nothing.
    public let count: Int
    /// The longest stretch; 0 if there was none.
    public let longestSeconds: Double
    /// The stretch that 99 in 100 do not exceed; 0 if there was none.
    public let p99Seconds: Double
    /// How many stretches were longer than a frame of 1/60 s.
    public let longerThanFrameCount: Int

    /// Sums up stretches in seconds.
    init(stretches: [Double]) {
        let sorted = stretches.sorted()
        count = sorted.count
        longestSeconds = sorted.last ?? 0
        let rank = Int((Double(sorted.count) * 0.99).rounded(.up))
        p99Seconds = sorted.isEmpty ? 0 : sorted[max(rank, 1) - 1]
        longerThanFrameCount = sorted.count { $0 > 1.0 / 60 }
    }
}
