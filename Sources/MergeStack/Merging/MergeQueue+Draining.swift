import CoreData
import Dispatch

/// Draining the queue of saves, on the main queue.
extension MergeQueue {
    /// Why a drain runs.
    enum Occasion {
        /// A turn of the main queue of its own: it ends when the budget is used up.
        case turn
        /// Somebody on the main queue needs all saves merged now.
        case inline
    }

    /// A slice of a save that is being merged.
    private struct Slice {
        let save: PostedSave
        let ids: ChangedObjectIDs
        let notification: Notification
    }

    /// Releases the notifications, whose objects would else be freed on the main queue.
    private static let releaseQueue = DispatchQueue(label: "MergeStack.release", qos: .utility)

    /// Merges the queued saves in order.
    ///
    /// Does nothing while a merge is in flight, which goes on to drain the rest, while merging is
    /// paused, or while the main context saves, after which a turn is scheduled.
    func drain(_ occasion: Occasion) {
        let start = clock.now()
        var current: PostedSave?
        var ended: [PostedSave] = []
        while let limit = sliceLimit(occasion, start, after: current),
            let slice = beginNext(limit)
        {
            // A save whose merge has begun absorbs no other one, so that from here on its report
            // belongs to the main queue and needs no lock.
            if slice.save !== current { slice.save.report.turnCount += 1 }
            current = slice.save
            if occasion == .inline, slice.save.report.delivery == .asynchronous {
                slice.save.report.delivery = .inline
            }
            merge(slice)
            if end(slice) { ended.append(slice.save) }
        }
        // Only now: a slice has references of its own to what its save gives up.
        if !ended.isEmpty {
            Self.releaseQueue.async { [ended] in for save in ended { save.release() } }
        }
        if current != nil, occasion == .turn {
            let time = clock.now() - start
            state.withLock { $0.statistics.addTurn(time) }
        }
        if !isSettled(upTo: .max) { scheduleTurn() }
        checkConsistency()
        callBarriers()
    }

    /// In which share of a turn's budget another save is begun.
    ///
    /// A save is merged in one go if the budget allows. To merge several so would keep whatever else
    /// waits for the main queue for as long again, and for longer where others want the processor.
    private static let beginningShare = 0.25

    /// How many objects may be merged next; nil if the turn is over.
    ///
    /// - Parameter current: The save that the turn has merged last.
    private func sliceLimit(
        _ occasion: Occasion,
        _ start: TimeInterval,
        after current: PostedSave?
    ) -> Int? {
        guard occasion == .turn else { return .max }
        let spent = clock.now() - start
        if let current, current.isFinished, spent >= options.turnBudget * Self.beginningShare {
            return nil
        }
        let remaining = options.turnBudget - spent
        return sizer.withLock { $0.next(remaining: remaining, isFirst: current == nil) }
    }

    private func beginNext(_ limit: Int) -> Slice? {
        // Before the lock is taken, for the context is asked for its objects, and what may be the
        // last references to some of them are released.
        expandFirst()
        return state.withLock { state in
            guard !state.isMerging, !state.isMainSaving, state.pauseCount == 0,
                let next = state.waiting.first
            else { return nil }
            state.isMerging = true
            let (ids, notification) = next.takePart(limit)
            return Slice(save: next, ids: ids, notification: notification)
        }
    }

    /// Names the objects of a save that refreshes everything the main context has registered.
    private func expandFirst() {
        guard let first = state.withLock({ $0.isMerging ? nil : $0.waiting.first }),
            first.refreshesEverything, !first.hasBegun
        else { return }
        let ids = merging.registeredIDs
        state.withLock { _ in first.expand(updated: ids) }
    }

    private func merge(_ slice: Slice) {
        let start = clock.now()
        let save = slice.save
        if save.report.sliceCount == 0 { save.report.waitingTime = start - save.postedAt }
        save.report.sliceCount += 1
        let isMerged = merging.merge(
            slice.ids,
            slice.notification,
            policy: options.faultPolicy,
            report: &save.report
        )
        guard isMerged else {
            save.report.dropReason = .mainContextGone
            return
        }
        let time = clock.now() - start
        save.report.mainQueueTime += time
        save.report.longestSliceTime = max(save.report.longestSliceTime, time)
        sizer.withLock { $0.note(count: slice.ids.count, duration: time) }
    }

    /// Takes the save of a merged slice out of the queue and tells of it, if it was the last one.
    ///
    /// - Returns: Whether it was.
    private func end(_ slice: Slice) -> Bool {
        let save = slice.save
        // After the save has left the queue, which is what ends a progress.
        defer { reportProgress(of: save, count: slice.ids.count) }
        let report: MergeReport? = state.withLock { state in
            state.isMerging = false
            if state.isInvalidated, !save.isFinished, save.report.dropReason == nil {
                save.report.dropReason = .invalidated
            }
            guard save.isFinished || save.report.dropReason != nil else { return nil }
            // Still this save: while it was in flight nothing else was taken from the front, and
            // `invalidate()` leaves it there.
            _ = state.waiting.popFirst()
            save.report.isHandedOver = save.isHandedOver
            state.statistics.add(save.report)
            return save.report
        }
        guard let report else { return false }
        // The saving thread goes on before anybody is told: an observer of the merge may ask the
        // queue of the context that saves, which this thread holds while it waits.
        save.mergedSignal?.signal()
        options.onReport?(report)
        if report.dropReason == nil { didMerge(report) }
        return true
    }
}
