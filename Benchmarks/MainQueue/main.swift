// How long a block waits for the main queue while other threads want the processors, in a program that
// has nothing of Core Data: what the system's scheduler adds to any layer's figures.
//
// Arguments: how many threads are busy, for how many milliseconds a block of the main queue works, and
// after how many the next one comes. A block that works for 0 ms is not made.

import Dispatch
import Foundation

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(2)
}

let numbers = CommandLine.arguments.dropFirst().map { Double($0) ?? -1 }
guard numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }), numbers[0] < 1000, numbers[2] > 0 else {
    fail("Usage: main-queue BUSY_THREADS WORK_MS EVERY_MS, as in: main-queue 2 1 9")
}
let threadCount = Int(numbers[0]), work = numbers[1] / 1000, interval = numbers[2] / 1000
/// As long as an import of 100,000 rows takes, and as often as `mergectl bench` measures one.
let seconds = 0.9, roundCount = 7

@Sendable func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

/// What several threads look at.
final class Shared: @unchecked Sendable {
    // @unchecked: guarded by the lock.
    private let lock = NSLock()
    private var isEnded = false
    private var isLooking = false
    private var longest = 0.0

    func locked<Value>(_ body: (Shared) -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body(self)
    }
    var hasEnded: Bool { locked { $0.isEnded } }
    func end() { locked { $0.isEnded = true } }
    /// Whether no block waits already.
    func beginLook() -> Bool {
        locked { shared in
            defer { shared.isLooking = true }
            return !shared.isLooking
        }
    }
    func endLook(_ wait: Double) {
        locked { shared in
            shared.isLooking = false
            shared.longest = max(shared.longest, wait)
        }
    }
    var longestWait: Double { locked { $0.longest } }
}

/// Keeps a processor busy for some time.
@Sendable func spin(for seconds: Double) {
    let end = now() + seconds
    while now() < end {}
}

func longestWait() -> Double {
    let shared = Shared()
    let threads = DispatchGroup()
    for _ in 0..<threadCount {
        threads.enter()
        Thread.detachNewThread {
            while !shared.hasEnded { spin(for: 0.001) }
            threads.leave()
        }
    }
    let queue = DispatchQueue(label: "looks", qos: .userInteractive)
    func timer(every seconds: Double, _ handler: @escaping @Sendable () -> Void)
        -> any DispatchSourceTimer
    {
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        timer.schedule(deadline: .now(), repeating: seconds, leeway: .nanoseconds(0))
        timer.setEventHandler(handler: handler)
        timer.resume()
        return timer
    }
    let looks = timer(every: 0.001) {
        guard shared.beginLook() else { return }
        let posted = now()
        DispatchQueue.main.async { shared.endLook(now() - posted) }
    }
    let work = work
    let merges =
        work > 0
        ? timer(every: interval) { DispatchQueue.main.async { spin(for: work) } } : nil
    RunLoop.main.run(until: Date(timeIntervalSinceNow: seconds))
    looks.cancel()
    merges?.cancel()
    shared.end()
    threads.wait()
    return shared.longestWait
}

let waits = (0..<roundCount).map { _ in longestWait() * 1000 }.sorted()
let format =
    "Longest wait for the main queue: %.1f ms in the median of %d rounds, %.1f in the worst"
print(String(format: format, waits[roundCount / 2], roundCount, waits[roundCount - 1]))
