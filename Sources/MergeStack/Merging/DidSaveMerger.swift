import CoreData
import Dispatch

/// Merges the saves of all contexts on a coordinator into one main context.
///
/// It observes every did-save notification and drops those of the main context itself, those of
/// other coordinators and those that changed nothing. The rest is merged on the main queue, in
/// the order in which the saves were posted, never in the middle of the main context's own save.
///
/// ```swift
/// let merger = DidSaveMerger(into: mainContext)
/// // … contexts on the same coordinator save on any thread …
/// await merger.settled()  // The main context shows all of it.
/// ```
///
/// It holds the main context weakly, and stops with ``invalidate()`` or when it is released. It
/// never saves.
///
/// > Threading: Any thread, unless a member says otherwise.
public final class DidSaveMerger: Sendable {
    /// Posted on the main queue when a save was merged, with the merger as its object and the
    /// ``MergeReport`` under ``reportKey``.
    public static let didMergeNotification = Notification.Name("MergeStackDidMergeSave")
    /// The key of the report in ``didMergeNotification``.
    public static let reportKey = "report"

    private let queue: MergeQueue
    private let delivery: MergeOptions.Delivery
    private let observation: DidSaveObservation

    /// Starts merging.
    ///
    /// - Parameters:
    ///   - main: The context to bring up to date: one of the main queue, or a confined one that
    ///     only the main queue uses. It must have its coordinator already.
    ///   - options: When and how to merge.
    public convenience init(
        into main: NSManagedObjectContext,
        options: MergeOptions = MergeOptions()
    ) {
        self.init(into: main, options: options) { _ in nil }
    }

    /// Starts merging, with a filter beside the usual ones.
    ///
    /// - Parameter filter: Gets each context whose save no other filter dropped, on the thread that
    ///   saved; gives the reason to drop it, if there is one.
    init(
        into main: NSManagedObjectContext,
        options: MergeOptions,
        filter: @escaping DidSaveObservation.Filter
    ) {
        guard let coordinator = main.persistentStoreCoordinator else {
            preconditionFailure(
                "DidSaveMerger: the main context has no coordinator; set it before."
            )
        }
        let poster = DidMergePoster()
        let queue = MergeQueue(main: WeakReference(main), options: options) { poster.post($0) }
        self.queue = queue
        delivery = options.delivery
        observation = DidSaveObservation(
            main: main,
            coordinator: coordinator,
            delivery: options.delivery,
            filter: filter,
            queue: queue
        )
        poster.setSender(self)
    }

    deinit { invalidate() }

    /// Stops merging: saves in line are dropped, and whoever waits for them is let go.
    ///
    /// A second call does nothing.
    public func invalidate() {
        observation.end()
        queue.invalidate()
    }

    /// The sums over all saves so far.
    public var statistics: MergeStatistics { queue.statistics }

    // MARK: Barrier

    /// Calls back on the main queue when every save posted before now is merged.
    public func settled(completion: @escaping @Sendable () -> Void) {
        queue.settle(completion)
    }

    /// Returns when every save posted before now is merged.
    public func settled() async {
        await withCheckedContinuation { continuation in
            queue.settle { continuation.resume() }
        }
    }

    /// Waits until every save posted before now is merged.
    ///
    /// On the main queue it merges them itself, unless it is called from inside a merge or from
    /// inside the main context's save.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: Whether they are merged.
    @discardableResult public func waitUntilSettled(timeout: Duration = .seconds(60)) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        if MainQueue.isCurrent {
            queue.drain(.inline)
            return queue.isSettled
        }
        queue.settle { isDone.signal() }
        return isDone.wait(timeout: .now() + timeout.seconds) == .success
    }
}

/// Posts the did-merge notifications of a merger, as long as there is one.
private final class DidMergePoster: Sendable {
    private let sender = Guarded<WeakReference<DidSaveMerger>?>(nil)

    func setSender(_ merger: DidSaveMerger) {
        sender.withLock { $0 = WeakReference(merger) }
    }

    func post(_ report: MergeReport) {
        guard let merger = sender.withLock({ $0 })?.object else { return }
        NotificationCenter.default.post(
            name: DidSaveMerger.didMergeNotification,
            object: merger,
            userInfo: [DidSaveMerger.reportKey: report]
        )
    }
}
