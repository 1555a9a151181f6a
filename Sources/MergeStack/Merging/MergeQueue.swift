import CoreData
import Dispatch
import Threads

/// The one queue in which saves wait to be merged into the main context.
///
/// > Threading: Any thread; `drain` on the main queue.
final class MergeQueue: Sendable {
    struct State {
        /// The first one may be merged in part.
        var waiting = Deque<PostedSave>()
        var lastNumber = 0
        var isInvalidated = false
        /// How often `pause()` was called without a `resume()`.
        var pauseCount = 0
        /// Whether a merge is under way on the main queue.
        var isMerging = false
        /// Whether the main context is in the middle of its own save.
        var isMainSaving = false
        var isTurnScheduled = false
        var statistics = MergeStatistics()
        /// What is to be called on the main queue when all saves up to a number are merged.
        var barriers: [(number: Int, completion: @Sendable () -> Void)] = []
        /// The progress objects that somebody has asked for, until their saves are merged.
        var followed: [FollowedMerges] = []
    }

    let state = Guarded(State())
    let options: MergeOptions
    let merging: MainContextMerging
    let didMerge: @Sendable (MergeReport) -> Void
    let sizer = Guarded(SliceSizer())
    var clock: MergeClock { options.clock }

    init(
        merging: MainContextMerging,
        options: MergeOptions,
        didMerge: @escaping @Sendable (MergeReport) -> Void
    ) {
        self.merging = merging
        self.options = options
        self.didMerge = didMerge
    }

    var statistics: MergeStatistics { state.withLock { $0.statistics } }
    var isPaused: Bool { state.withLock { $0.pauseCount > 0 } }
    var isMainSaving: Bool { state.withLock { $0.isMainSaving } }

    // MARK: Enqueuing

    /// Counts a save that a filter dropped.
    func drop(_ reason: MergeReport.DropReason, contextName: String?) {
        let report: MergeReport? = state.withLock { state in
            guard !state.isInvalidated else { return nil }
            state.lastNumber += 1
            var report = MergeReport(sequenceNumber: state.lastNumber)
            report.contextName = contextName
            report.dropReason = reason
            state.statistics.add(report)
            return report
        }
        if let report { options.onReport?(report) }
    }

    /// Enqueues a save, and sees to it that it is merged; its number is its place in the order of
    /// posting.
    /// While merging is paused it becomes part of the one before. Nothing happens after
    /// `invalidate()`.
    ///
    /// - Returns: Whether the save was enqueued or absorbed.
    @discardableResult func put(_ save: PostedSave) -> Bool {
        let (isIn, isAbsorbed) = state.withLock { state in
            guard !state.isInvalidated else { return (false, false) }
            // Number and place are given under one lock: barriers rely on the queue's being in
            // order.
            state.lastNumber += 1
            save.take(number: state.lastNumber)
            if state.pauseCount > 0, let last = state.waiting.last, last.canAbsorb(save) {
                last.absorb(save)
                return (true, true)
            }
            state.waiting.append(save)
            return (true, false)
        }
        if isAbsorbed { save.release() }
        if isIn { scheduleTurn() }
        return isIn
    }

    /// Schedules a turn of the main queue that merges what is queued, unless one is scheduled.
    func scheduleTurn() {
        let isNew = state.withLock { state in
            guard state.pauseCount == 0 else { return false }
            defer { state.isTurnScheduled = true }
            return !state.isTurnScheduled
        }
        guard isNew else { return }
        DispatchQueue.main.async { [self] in
            // Cleared before the drain, not after it: a save that is put just after the drain has
            // looked for the last time has to be able to schedule the next turn.
            state.withLock { $0.isTurnScheduled = false }
            drain(.turn)
        }
    }

    // MARK: Pausing

    /// Stops merging until `resume()` was called as often.
    func pause() { state.withLock { $0.pauseCount += 1 } }

    func resume() {
        let hasWork = state.withLock { state in
            guard state.pauseCount > 0 else {
                fatalError("DidSaveMerger.resume() was called more often than pause().")
            }
            state.pauseCount -= 1
            return state.pauseCount == 0 && !state.waiting.isEmpty
        }
        if hasWork { scheduleTurn() }
    }

    // MARK: The main context's own saves

    /// To be called when the main context is about to save: merges wait until it has.
    func mainWillSave() {
        state.withLock { $0.isMainSaving = true }
        // A save that fails posts no did-save notification, and not everywhere one of its failure.
        // This block runs after it all the same, since the save does not return to the main queue
        // before it ends.
        DispatchQueue.main.async { [self] in mainDidSave() }
    }

    /// To be called when the main context has saved, or failed to. As long as saves wait, a turn is
    /// scheduled.
    func mainDidSave() { state.withLock { $0.isMainSaving = false } }

    // MARK: Barriers

    /// The number of the last save that was enqueued or dropped.
    var lastNumber: Int { state.withLock { $0.lastNumber } }

    /// Whether everything up to a number is merged or dropped.
    func isSettled(upTo number: Int) -> Bool { state.withLock { $0.isSettled(upTo: number) } }

    /// Calls back on the main queue when all saves up to a number are merged.
    func settle(upTo number: Int, _ completion: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state in
            guard !state.isSettled(upTo: number) else { return true }
            // Asked and registered under one lock: a merge that ended in between would have called
            // the barriers without this one, and nothing would call it later.
            state.barriers.append((number, completion))
            return false
        }
        if isSettled {
            DispatchQueue.main.async { [self] in
                checkConsistency()
                completion()
            }
        } else {
            scheduleTurn()
        }
    }

    func callBarriers() {
        let reached = state.withLock { state in
            let end = state.settledEnd
            let reached = state.barriers.filter { $0.number < end }
            state.barriers.removeAll { $0.number < end }
            return reached.map(\.completion)
        }
        // Taken off the list before they are called, since a completion may drain the queue again.
        for completion in reached { completion() }
    }

    /// Drops the queued saves, and ends every wait for them.
    func invalidate() {
        let (saves, barriers, followed) = state.withLock { state in
            state.isInvalidated = true
            var dropped = state.waiting
            state.waiting = Deque()
            // What is being merged at this moment is the merge's own to report.
            if state.isMerging, let current = dropped.popFirst() { state.waiting.append(current) }
            defer {
                state.barriers = []
                state.followed = []
            }
            return (dropped, state.barriers, state.followed)
        }
        for merges in followed { merges.end() }
        for save in saves {
            save.report.dropReason = .invalidated
            save.mergedSignal?.signal()
            state.withLock { $0.statistics.add(save.report) }
            options.onReport?(save.report)
        }
        // Dispatched, not called: this may be any thread, that of a deinit among them, and barriers
        // are promised the main queue.
        for barrier in barriers { DispatchQueue.main.async(execute: barrier.completion) }
    }
}

extension MergeQueue.State {
    /// The lowest number of a save that is not merged yet.
    var settledEnd: Int { waiting.first?.firstNumber ?? .max }

    func isSettled(upTo number: Int) -> Bool { waiting.isEmpty || number < settledEnd }
}
