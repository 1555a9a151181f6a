import Dispatch
import Foundation

/// Time since it was made.
struct Clock: Sendable {
    private let start = DispatchTime.now().uptimeNanoseconds

    /// The seconds since then.
    var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }

    /// How long a block takes, in seconds.
    static func measure(_ body: () throws -> Void) rethrows -> Double {
        let clock = Clock()
        try body()
        return clock.seconds
    }

    /// The processor time that the main thread has had, in seconds.
    ///
    /// > Threading: Not on the main queue, which must be served by the main thread.
    static var mainThreadSeconds: Double {
        DispatchQueue.main.sync {
            // On the main queue, for the clock is that of the thread which reads it.
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }
}
