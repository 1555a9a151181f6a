import CoreData
import Dispatch
import Threads

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
/// never saves. Nothing that it merges is registered with the main context's undo manager.
///
/// > Threading: Any thread, unless a member says otherwise.
public final class DidSaveMerger: Sendable {
    /// Posted on the main queue when a save was merged, with the merger as its object and the
    /// ``MergeReport`` under ``reportKey``.
    public static let didMergeNotification = Notification.Name("MergeStackDidMergeSave")
    /// The key of the report in ``didMergeNotification``.
    public static let reportKey = "report"

    let queue: MergeQueue
    let filter: MergeFilter
    let follower: HistoryFollower?
    let delivery: MergeOptions.Delivery
    private let observation: DidSaveObservation

    /// Starts merging.
    ///
    /// - Parameters:
    ///   - main: The context to bring up to date: one of the main queue, or a confined one that
    ///     only the main queue uses. It must have its coordinator or parent already.
    ///   - options: When and how to merge.
    public init(into main: NSManagedObjectContext, options: MergeOptions = MergeOptions()) {
        guard let coordinator = main.persistentStoreCoordinator else {
            fatalError(
                "DidSaveMerger: the main context has no coordinator; set it before."
            )
        }
        ConsistencyRequest.begin(main)
        let poster = DidMergePoster()
        let queue = MergeQueue(
            merging: MainContextMerging(main, tellsOfFaults: options.mergeTellsOfFaults),
            options: options
        ) { poster.post($0) }
        let filter = MergeFilter(main: main, coordinator: coordinator)
        var author: String?
        if case .merged(let ownAuthors) = options.remoteChanges {
            let given = CoordinatorAuthor.author(of: coordinator)
            author = given
            follower = HistoryFollower(
                coordinator,
                queue: queue,
                ownAuthors: ownAuthors.union([given])
            )
        } else {
            follower = nil
        }
        self.queue = queue
        self.filter = filter
        delivery = options.delivery
        observation = DidSaveObservation(
            filter: filter,
            delivery: options.delivery,
            queue: queue,
            author: author
        )
        // Set late, since the queue, and with it the poster, is made before the merger is complete.
        poster.setSender(self)
    }

    deinit { invalidate() }

    /// Stops merging: queued saves are dropped, and every wait for them ends.
    ///
    /// A second call does nothing.
    public func invalidate() {
        observation.end()
        follower?.end()
        queue.invalidate()
    }

    /// Totals over all saves that the merger has seen so far.
    public var statistics: MergeStatistics { queue.statistics }

    // MARK: What is merged

    /// Leaves out the saves of a context from now on; the context is held weakly.
    ///
    /// The main context then sees its changes only where it reads from the store again.
    public func exclude(_ context: NSManagedObjectContext) { filter.exclude(context) }

    /// Merges the saves of an excluded context again, from its next one on.
    public func include(_ context: NSManagedObjectContext) { filter.include(context) }

    /// Also merges the saves of contexts on another coordinator, one that shares a store with the
    /// main context's coordinator.
    ///
    /// Object IDs are translated by their URIs; those of stores that the main context's coordinator
    /// does not have are left out. The coordinator is held weakly.
    public func add(_ coordinator: NSPersistentStoreCoordinator) { filter.add(coordinator) }

    /// Registers a results controller: under ``MergeOptions/FaultPolicy/matchingResults`` a merge
    /// reads the updated objects that the controller may list, so that it misses no update.
    ///
    /// The controller is held weakly. Its fetch request is looked at anew by each merge, so that it
    /// may be changed.
    ///
    /// > Threading: On the main queue.
    public func follow<Result: NSFetchRequestResult>(
        _ controller: NSFetchedResultsController<Result>
    ) {
        queue.merging.results.follow(controller)
    }

    // MARK: Pausing

    /// Suspends merging until ``resume()`` has been called as often as this.
    ///
    /// Saves that are posted meanwhile are coalesced in the queue into one merge by object IDs.
    /// A wait for them lasts until merging is resumed; the saving threads do not wait.
    public func pause() { queue.pause() }

    /// Ends one ``pause()``. After the last one, what was saved meanwhile is merged.
    public func resume() { queue.resume() }

    // MARK: Barrier

    /// Saves a context, and returns a token with which to wait until the save is merged.
    ///
    /// > Threading: On the context's queue.
    ///
    /// - Throws: What `save()` throws.
    public func save(_ context: NSManagedObjectContext) throws -> SaveToken {
        // Observers run on this thread before the save returns, so that the save has its number
        // when the token is made, and the token covers it.
        try context.save()
        return token
    }

    /// A barrier: a token for all saves that were posted before now.
    public var token: SaveToken { SaveToken(number: queue.lastNumber, queue: queue) }

    /// Calls back on the main queue when every save posted before now is merged.
    public func settled(completion: @escaping @Sendable () -> Void) {
        token.merged(completion: completion)
    }

    /// Returns when every save posted before now is merged.
    public func settled() async { await token.merged() }

    /// Waits until every save posted before now is merged.
    ///
    /// On the main queue it merges them itself, unless it is called from inside a merge or from
    /// inside the main context's save, or merging is paused.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: Whether they are merged.
    @discardableResult public func waitUntilSettled(timeout: TimeInterval = 60) -> Bool {
        token.wait(timeout: timeout)
    }
}

/// Posts the did-merge notifications of a merger, as long as there is one.
private final class DidMergePoster: Sendable {
    // Weak, for the queue holds the poster: a strong reference would keep alive a merger that its
    // client has let go of, and only the merger's release ends the merging.
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
