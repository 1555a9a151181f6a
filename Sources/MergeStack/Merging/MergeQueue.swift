import CoreData
import Dispatch

/// The one line in which saves wait for the main context, and its working off on the main queue.
///
/// > Threading: `enqueue`, `settle` and `invalidate` on any thread; `drain` on the main queue.
final class MergeQueue: Sendable {
    /// Why a drain runs.
    enum Occasion {
        /// A turn of the main queue of its own: it ends when the budget is used up.
        case turn
        /// Somebody on the main queue needs all saves merged now.
        case inline
    }

    private struct State {
        var waiting = Deque<PostedSave>()
        var lastNumber = 0
        var isInvalidated = false
        /// Whether a merge is under way on the main queue.
        var isMerging = false
        /// Whether the main context is in the middle of its own save.
        var isMainSaving = false
        var isTurnScheduled = false
        var statistics = MergeStatistics()
        /// What is to be called on the main queue when all saves up to a number are merged.
        var barriers: [(number: Int, completion: @Sendable () -> Void)] = []
    }

    /// Releases the notifications, whose objects would else be freed on the main queue.
    private static let releaseQueue = DispatchQueue(label: "MergeStack.release", qos: .utility)

    private let state = Guarded(State())
    private let main: WeakReference<NSManagedObjectContext>
    private let options: MergeOptions
    private let didMerge: @Sendable (MergeReport) -> Void

    init(
        main: WeakReference<NSManagedObjectContext>,
        options: MergeOptions,
        didMerge: @escaping @Sendable (MergeReport) -> Void
    ) {
        self.main = main
        self.options = options
        self.didMerge = didMerge
    }

    var statistics: MergeStatistics { state.withLock { $0.statistics } }

    // MARK: Putting in line

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

    /// Puts a save in line; its number is its place.
    ///
    /// Nothing happens after `invalidate()`.
    ///
    /// - Returns: Whether the save is in line.
    func enqueue(_ save: PostedSave) -> Bool {
        state.withLock { state in
            guard !state.isInvalidated else { return false }
            state.lastNumber += 1
            save.report.sequenceNumber = state.lastNumber
            state.waiting.append(save)
            return true
        }
    }

    /// Sees to it that a turn of the main queue works off the line.
    func scheduleTurn() {
        let isNew = state.withLock { state in
            defer { state.isTurnScheduled = true }
            return !state.isTurnScheduled
        }
        guard isNew else { return }
        DispatchQueue.main.async { [self] in
            state.withLock { $0.isTurnScheduled = false }
            drain(.turn)
        }
    }

    // MARK: The main context's own saves

    /// To be called when the main context is about to save: merges wait until it has.
    func mainWillSave() {
        state.withLock { $0.isMainSaving = true }
        // A save that fails posts no did-save notification. This block runs after it all the
        // same, since the save does not return to the main queue before it ends.
        DispatchQueue.main.async { [self] in mainDidSave() }
    }

    /// To be called when the main context has saved.
    func mainDidSave() {
        let hasWork = state.withLock { state in
            state.isMainSaving = false
            return !state.waiting.isEmpty
        }
        if hasWork { scheduleTurn() }
    }

    // MARK: Working off

    /// Merges the saves in line, in order.
    ///
    /// Does nothing while a merge is under way, which takes the rest of the line with it, or while
    /// the main context saves, after which a turn is scheduled.
    func drain(_ occasion: Occasion) {
        let start = ContinuousClock.now
        while let save = beginNext() {
            if occasion == .inline, save.report.delivery == .asynchronous {
                save.report.delivery = .inline
            }
            merge(save)
            endMerge(save)
            if occasion == .turn, ContinuousClock.now - start >= options.turnBudget {
                if state.withLock({ !$0.waiting.isEmpty }) { scheduleTurn() }
                break
            }
        }
        callBarriers()
    }

    private func beginNext() -> PostedSave? {
        state.withLock { state in
            guard !state.isMerging, !state.isMainSaving else { return nil }
            let next = state.waiting.popFirst()
            state.isMerging = next != nil
            return next
        }
    }

    private func merge(_ save: PostedSave) {
        let start = ContinuousClock.now
        save.report.waitingTime = start - save.postedAt
        guard let main = main.object else {
            save.report.dropReason = .mainContextGone
            return
        }
        // What main itself changed is told first, by itself.
        main.processPendingChanges()
        let fired = fireFaults(save, in: main)
        save.merge(into: main)
        // Results controllers and observers learn of it before anybody hears of the merge.
        main.processPendingChanges()
        withExtendedLifetime(fired) {}
        save.report.mainQueueTime = ContinuousClock.now - start
    }

    /// Reads the updated objects that the policy names, and counts what is registered.
    ///
    /// - Returns: The objects read, to be kept until the merge is done.
    private func fireFaults(
        _ save: PostedSave,
        in main: NSManagedObjectContext
    ) -> [NSManagedObject] {
        var fired: [NSManagedObject] = []
        for id in save.updatedIDs {
            let registered = main.registeredObject(for: id)
            if registered != nil { save.report.registeredCount += 1 }
            switch options.faultPolicy {
            case .none: continue
            case .registered: if registered?.isFault != true { continue }
            case .all: if registered?.isFault == false { continue }
            }
            do {
                fired.append(try main.existingObject(with: id))
                save.report.firedFaultCount += 1
            } catch {
                // Another save deleted the row; its own merge tells the main context.
                save.report.goneCount += 1
            }
        }
        for id in save.deletedIDs where main.registeredObject(for: id) != nil {
            save.report.registeredCount += 1
        }
        return fired
    }

    private func endMerge(_ save: PostedSave) {
        save.report.isHandedOver = save.isHandedOver
        let report = save.report
        state.withLock { state in
            state.isMerging = false
            state.statistics.add(report)
        }
        save.isDone?.signal()
        Self.releaseQueue.async { save.release() }
        options.onReport?(report)
        if report.dropReason == nil { didMerge(report) }
    }

    // MARK: Barriers

    /// Calls back on the main queue when all saves in line now are merged.
    func settle(_ completion: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state in
            guard state.isMerging || !state.waiting.isEmpty else { return true }
            state.barriers.append((state.lastNumber, completion))
            return false
        }
        if isSettled {
            DispatchQueue.main.async(execute: completion)
        } else {
            scheduleTurn()
        }
    }

    /// Whether nothing is in line or under way.
    var isSettled: Bool { state.withLock { !$0.isMerging && $0.waiting.isEmpty } }

    private func callBarriers() {
        let reached = state.withLock { state in
            guard !state.isMerging else { return [@Sendable () -> Void]() }
            let next = state.waiting.first?.report.sequenceNumber ?? .max
            let reached = state.barriers.filter { $0.number < next }
            state.barriers.removeAll { $0.number < next }
            return reached.map(\.completion)
        }
        for completion in reached { completion() }
    }

    /// Drops what is in line and lets go everybody who waits.
    func invalidate() {
        let (saves, barriers) = state.withLock { state in
            state.isInvalidated = true
            defer {
                state.waiting = Deque()
                state.barriers = []
            }
            return (state.waiting, state.barriers)
        }
        for save in saves {
            save.report.dropReason = .invalidated
            save.isDone?.signal()
            state.withLock { $0.statistics.add(save.report) }
            options.onReport?(save.report)
        }
        for barrier in barriers { DispatchQueue.main.async(execute: barrier.completion) }
    }
}
