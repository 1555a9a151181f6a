import Dispatch
import Foundation

/// Tells whether code runs on the main queue.
package enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the code is the main queue's, or the main thread's.
    ///
    /// The queue counts, not only the thread: under an `async` main on Linux the main queue runs
    /// on worker threads. The main thread counts as well: inside another queue's `sync` that the
    /// main thread called, the current queue is that other one, yet the main queue waits. A
    /// process whose main queue left the main thread has no code running on that thread.
    package static var isServed: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }

    /// Whether nothing else can run on the main queue while the caller does: it is the main queue's
    /// code, or what that waits for.
    package static var isCurrent: Bool { isServed || inquiry.withLock { $0 }.isMainWaiting() }

    /// Tells where the main queue waits for the code on this thread and Dispatch says nothing of it:
    /// inside another queue's `sync` that it has called from a worker thread.
    ///
    /// For who keeps account of that: a runtime with contexts.
    package static func setWaiting(_ isWaiting: @escaping @Sendable () -> Bool) {
        inquiry.withLock { $0.isMainWaiting = isWaiting }
    }

    private static let inquiry = Guarded(Inquiry { false })

    private struct Inquiry {
        var isMainWaiting: @Sendable () -> Bool
    }
}
