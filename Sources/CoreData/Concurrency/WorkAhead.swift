import Dispatch

/// Work that another processor may do before its outcome is needed.
///
/// It never waits for a thread: who needs the outcome does the work itself where nobody has begun, so
/// that no queue's threads can run out under it.
///
/// > Threading: Any thread; `value()` is called once at most.
final class WorkAhead<Value: Sendable>: Sendable {
    /// nil once somebody has begun. Who comes later has nothing of what it holds: with all threads taken,
    /// that may be long after.
    private let work: Locked<(@Sendable () -> Value)?>
    private let outcome = Locked<Value?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Value) {
        self.work = Locked(work)
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            guard let work = takeWork() else { return }
            let value = work()
            outcome.withLock { $0 = value }
            isDone.signal()
        }
    }

    private func takeWork() -> (@Sendable () -> Value)? { work.withLock { $0.take() } }

    /// The outcome; waits for it if somebody is at work.
    func value() -> Value {
        if let work = takeWork() { return work() }
        isDone.wait()
        guard let value = outcome.withLock({ $0.take() }) else {
            fatalError("The outcome of work ahead was asked for twice.")
        }
        return value
    }
}
