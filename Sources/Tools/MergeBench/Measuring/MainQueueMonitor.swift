import Dispatch
import Foundation
import MergeStack
import Threads

/// Measures for how long the main queue is busy without a break.
///
/// A timer in the background puts a block on the main queue about every millisecond, one at a
/// time, and notes how late it runs: that long the queue was busy. ``note(busySeconds:)`` adds
/// stretches that were timed where they ran. Where other processes need the processor, blocks are
/// late for that too: what is seen is what a user would feel, not what the queue's work costs.
///
/// > Threading: Any thread.
public final class MainQueueMonitor: Sendable {
    private struct State {
        var timer: (any DispatchSourceTimer)?
        var start: UInt64 = 0
        var isProbing = false
        var lookCount = 0
        var busyLookCount = 0
        var end: UInt64?
        var stretches: [MainQueueReport.Stretch] = []
    }

    /// An idle queue runs a block within this time, in seconds (some 0.02 ms at the median).
    private static let idleSeconds = 0.0001

    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "MergeStack.MainQueueMonitor", qos: .userInteractive)

    /// A monitor that does not measure yet.
    public init() {}

    deinit { state.withLock { $0.timer?.cancel() } }

    /// Begins to measure, from nothing.
    ///
    /// A second call begins anew.
    public func start() {
        // Strict and without leeway: the system may put off other timers to save power, and a stall
        // between two looks would be seen as shorter than it is.
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(1), leeway: .nanoseconds(0))
        timer.setEventHandler { [weak self] in self?.probe() }
        let previous = state.withLock { state in
            defer { state = State(timer: timer, start: DispatchTime.now().uptimeNanoseconds) }
            return state.timer
        }
        previous?.cancel()
        timer.resume()
    }

    /// Ends measuring and says what was seen.
    @discardableResult public func stop() -> MainQueueReport {
        let timer = state.withLock { state in
            defer { state.timer = nil }
            // A second call must not count the time since the first.
            if state.timer != nil { state.end = DispatchTime.now().uptimeNanoseconds }
            return state.timer
        }
        timer?.cancel()
        return report
    }

    /// What was seen so far.
    public var report: MainQueueReport {
        // Copied: the looks wait for the lock, and the report sorts all that was seen.
        let seen = state.withLock { $0 }
        let end = seen.end ?? DispatchTime.now().uptimeNanoseconds
        return MainQueueReport(
            stretches: seen.stretches,
            elapsedSeconds: seen.start == 0 ? 0 : Double(end - seen.start) / 1e9,
            busyShare: Double(seen.busyLookCount) / Double(max(seen.lookCount, 1))
        )
    }

    /// Adds a stretch that was timed on the main queue itself.
    public func note(busySeconds: Double) {
        state.withLock { $0.stretches.append(.init(seconds: busySeconds)) }
    }

    private func probe() {
        let start = state.withLock { state -> UInt64? in
            guard state.timer != nil else { return nil }
            state.lookCount += 1
            // A block that still waits says that the queue is busy.
            guard !state.isProbing else {
                state.busyLookCount += 1
                return nil
            }
            // One block at a time: those that waited behind it would count the same stall again.
            state.isProbing = true
            return state.start
        }
        guard let start else { return }
        // Taken behind the lock, for which this may have waited without the main queue being busy.
        let posted = DispatchTime.now().uptimeNanoseconds
        DispatchQueue.main.async { [weak self] in
            let late = Double(DispatchTime.now().uptimeNanoseconds - posted) / 1e9
            self?.state.withLock { state in
                // A monitor that was started anew meanwhile counts from then.
                guard state.start == start else { return }
                state.isProbing = false
                if late > Self.idleSeconds { state.busyLookCount += 1 }
                let beginning = Double(posted - start) / 1e9
                state.stretches.append(.init(beginning: beginning, seconds: late))
            }
        }
    }
}
