import Dispatch
import Foundation

/// Tells whether code runs on the main queue.
package enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether nothing else can run on the main queue while the caller does.
    ///
    /// The queue counts, not only the thread: under an `async` main on Linux the main queue runs
    /// on worker threads. The main thread counts as well: inside another queue's `sync` that the
    /// main thread called, the current queue is that other one, yet the main queue waits. A
    /// process whose main queue left the main thread has no code running on that thread.
    package static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread
    }
}
