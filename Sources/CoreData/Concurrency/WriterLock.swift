import Dispatch
import Foundation

/// A value behind a lock that is held for milliseconds: who acts for the main queue goes next.
///
/// A background thread that saves again and again takes a mutex back before the main thread has
/// woken up, which then waits for several transactions and not only for the one under way. Among
/// background threads who asks first gets it, awake or not, so that nobody waits for a thread to
/// be switched.
///
/// > Threading: Any thread. Not recursive.
final class WriterLock<Value: ~Copyable>: @unchecked Sendable {
    // @unchecked: `value` is touched by the lock's holder only.

    /// For how many nanoseconds the lock remembers that main has asked for it.
    static var memory: UInt64 { 1_000_000_000 }

    private let condition = NSCondition()
    private let now: @Sendable () -> UInt64
    private var mainAskedAt: UInt64?
    private var isHeld = false
    /// How many threads wait that act for the main queue.
    private var mainCount = 0
    private var value: Value

    /// - Parameter now: Nanoseconds since some moment.
    init(
        _ value: consuming Value,
        now: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    ) {
        self.value = value
        self.now = now
    }

    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        acquire()
        defer { release() }
        return try body(&value)
    }

    /// Whether a thread waits that acts for the main queue.
    var isAwaitedByMain: Bool {
        condition.lock()
        defer { condition.unlock() }
        return mainCount > 0
    }

    /// Whether a thread that acts for the main queue has lately asked for the lock, and may soon again.
    var isUsedByMain: Bool {
        condition.lock()
        defer { condition.unlock() }
        guard let mainAskedAt else { return false }
        return now() &- mainAskedAt < Self.memory
    }

    private func acquire() {
        let isForMain = ThreadPlaces.isInside(ThreadPlaces.main)
        condition.lock()
        defer { condition.unlock() }
        if isForMain {
            mainCount += 1
            mainAskedAt = now()
        }
        // In a loop, since waking up is no promise: others may have been faster, or main has come.
        while isHeld || (!isForMain && mainCount > 0) { condition.wait() }
        if isForMain { mainCount -= 1 }
        isHeld = true
    }

    private func release() {
        condition.lock()
        defer { condition.unlock() }
        isHeld = false
        // A signal might wake a thread that has to let main go first.
        if mainCount > 0 { condition.broadcast() } else { condition.signal() }
    }
}
