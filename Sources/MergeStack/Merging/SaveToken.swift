import CoreData
import Dispatch
import Threads

/// A barrier for a save: tells when the main context has merged it and all saves before it.
///
/// ```swift
/// let token = try merger.save(context)  // on the context's queue
/// await token.merged()                  // anywhere: the main context shows it
/// ```
///
/// A save that the merger drops, such as one of a foreign coordinator, counts as merged, and so
/// does every save once the merger is invalidated.
///
/// > Threading: Any thread.
public struct SaveToken: Sendable {
    let number: Int
    let queue: MergeQueue

    /// Whether the main context has merged the save, and all before it.
    public var isMerged: Bool { queue.isSettled(upTo: number) }

    /// The progress of merging the save and all before it: a unit for each object that they
    /// changed and that was not merged when this was called.
    ///
    /// Cancelling it or pausing it has no effect.
    ///
    /// > Threading: Any thread; it advances on the main queue.
    public func progress() -> Progress { queue.progress(upTo: number) }

    /// Calls back on the main queue when the save is merged.
    public func merged(completion: @escaping @Sendable () -> Void) {
        queue.settle(upTo: number, completion)
    }

    /// Returns when the save is merged.
    public func merged() async {
        await withCheckedContinuation { continuation in
            queue.settle(upTo: number) { continuation.resume() }
        }
    }

    /// Waits until the save is merged.
    ///
    /// On the main queue it merges what is queued itself, unless it is called from inside a merge
    /// or from inside the main context's save, or merging is paused.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: Whether it is merged.
    @discardableResult public func wait(timeout: TimeInterval = 60) -> Bool {
        if MainQueue.isCurrent {
            // A semaphore would keep the main queue from the very turn that is waited for.
            queue.drain(.inline)
            return isMerged
        }
        let mergedSignal = DispatchSemaphore(value: 0)
        queue.settle(upTo: number) { mergedSignal.signal() }
        return mergedSignal.wait(timeout: .now() + timeout) == .success
    }
}
