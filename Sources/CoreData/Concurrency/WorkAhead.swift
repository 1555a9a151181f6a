import Dispatch
import Synchronization

/// Work that another processor may do before its outcome is needed.
///
/// It never waits for a thread: who needs the outcome does the work itself where nobody has begun, so
/// that no queue's threads can run out under it.
///
/// > Threading: Any thread; `value()` is called once at most.
final class WorkAhead<Value: Sendable>: Sendable {
    private let work: @Sendable () -> Value
    private let isClaimed = Atomic(false)
    private let outcome = Locked<Value?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Value) {
        self.work = work
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            guard claim() else { return }
            let value = work()
            outcome.withLock { $0 = value }
            isDone.signal()
        }
    }

    /// - Returns: Whether the caller is to do the work.
    private func claim() -> Bool {
        isClaimed.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    }

    /// The outcome; waits for it if somebody is at work.
    func value() -> Value {
        if claim() { return work() }
        isDone.wait()
        guard let value = outcome.withLock({ $0.take() }) else {
            fatalError("The outcome of work ahead was asked for twice.")
        }
        return value
    }
}
