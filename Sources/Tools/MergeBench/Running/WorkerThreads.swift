import Dispatch
import MergeStack
import Threads

/// Threads that work at the same time, and the first error of one.
final class WorkerThreads: Sendable {
    private let group = DispatchGroup()
    private let failure = Guarded<(any Error)?>(nil)

    /// Starts a thread.
    func start(_ name: String, _ work: @escaping @Sendable () throws -> Void) {
        // Before the thread starts, or `join` could find nothing to wait for.
        group.enter()
        ContextThread.start(name: name) { [group, failure] in
            defer { group.leave() }
            do {
                try work()
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
    }

    /// Waits for all of them.
    ///
    /// - Throws: The first error of a thread.
    func join() throws {
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
