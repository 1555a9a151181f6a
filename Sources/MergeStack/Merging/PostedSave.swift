import CoreData
import Dispatch
import Threads

/// A save, or another change of the store, that waits to be merged.
///
/// > Threading: Made on the saving thread, merged on the main queue, emptied on a background
/// > queue, one after the other.
final class PostedSave: @unchecked Sendable {
    // @unchecked: handed on from queue to queue, and used by one of them at a time; while it is in
    // line, behind the line's lock. `mergedSignal` is a semaphore, and the hand-over flag has its lock.
    // Of the objects in the notification only the IDs are read, as
    // `mergeChanges(fromContextDidSave:)` does itself.

    /// The notification, if all of it is to be merged. It also keeps what was saved at hand.
    private var notification: Notification?
    /// What else the notification has, if a part of it is to be merged.
    private var entries: [AnyHashable: Any] = [:]
    /// The saving context, if its rows are known to the main context's coordinator.
    private var source: NSManagedObjectContext?
    /// What is not merged yet.
    private(set) var remaining: ChangedObjectIDs
    private(set) var postedAt: TimeInterval
    var report: MergeReport
    /// Signalled when the save is merged or dropped, if somebody waits for it.
    let mergedSignal: DispatchSemaphore?
    private let handedOver = Guarded(false)
    /// The parts that were taken, which are kept until `release()`: the last references to their IDs
    /// would else go on the main queue.
    private var taken: [ChangedObjectIDs] = []
    /// Whether part of it is merged.
    private(set) var hasBegun = false
    /// Whether all that main has registered is to be read again: what changed is not known.
    let refreshesEverything: Bool

    /// A save with its notification.
    ///
    /// - Parameter changes: What of it is to be merged, if not all.
    init(
        _ notification: Notification,
        changes: ChangedObjectIDs,
        isWhole: Bool,
        report: MergeReport,
        isAwaited: Bool,
        postedAt: TimeInterval
    ) {
        if isWhole { self.notification = notification } else { entries = notification.otherEntries }
        source = notification.object as? NSManagedObjectContext
        remaining = changes
        self.report = report
        self.postedAt = postedAt
        mergedSignal = isAwaited ? DispatchSemaphore(value: 0) : nil
        refreshesEverything = false
    }

    /// Changes that are known by their IDs alone.
    init(
        _ changes: ChangedObjectIDs,
        report: MergeReport,
        postedAt: TimeInterval,
        refreshesEverything: Bool = false
    ) {
        remaining = changes
        self.report = report
        self.postedAt = postedAt
        mergedSignal = nil
        self.refreshesEverything = refreshesEverything
    }

    /// Whether the saving thread gave up waiting.
    var isHandedOver: Bool {
        get { handedOver.withLock { $0 } }
        set { handedOver.withLock { $0 = newValue } }
    }

    /// The number of the first save that this one has absorbed, or its own.
    private(set) var firstNumber = 0

    /// Takes a place in line.
    func take(number: Int) {
        report.sequenceNumber = number
        firstNumber = number
    }

    var isFinished: Bool { hasBegun && remaining.isEmpty }

    // MARK: Merging

    /// Takes the next part of what is to be merged.
    ///
    /// - Returns: The part, and the notification that merges it.
    func takePart(_ limit: Int) -> (ids: ChangedObjectIDs, notification: Notification) {
        // The original notification names all objects of the save. Once a slice is merged, it would
        // merge that part a second time.
        let isWhole = !hasBegun && remaining.count <= limit
        hasBegun = true
        let part = remaining.takeFirst(limit)
        taken.append(part)
        if isWhole, let notification { return (part, notification) }
        // With the framework's own entries: it may have the rows there, as this package's `CoreData`
        // does, and need not look them up by their IDs.
        var info = notification?.otherEntries ?? entries
        info[NSInsertedObjectIDsKey] = Set(part.inserted)
        info[NSUpdatedObjectIDsKey] = Set(part.updated)
        info[NSDeletedObjectIDsKey] = Set(part.deleted)
        let name = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
        return (part, Notification(name: name, object: source, userInfo: info))
    }

    /// Says what a save is about that refreshes everything.
    func expand(updated: [NSManagedObjectID]) { remaining.updated = updated }

    /// Whether a save that follows can be merged as one with this one.
    func canAbsorb(_ later: PostedSave) -> Bool {
        // Whoever waits for one of them is to be let go with that one. A refresh of everything has
        // no IDs to join before its turn comes.
        !hasBegun && mergedSignal == nil && later.mergedSignal == nil && !refreshesEverything
            && !later.refreshesEverything
    }

    /// Takes in a save that follows this one, as if both were one.
    ///
    /// Only IDs are left of both: the rows of all that is saved during a long import would have to
    /// be kept in memory.
    func absorb(_ later: PostedSave) {
        remaining = remaining.followed(by: later.remaining)
        report.absorb(later.report, changes: remaining)
        notification = nil
        entries = [:]
        // Rows of two contexts: only those of one coordinator are known to be current.
        if later.source?.persistentStoreCoordinator !== source?.persistentStoreCoordinator {
            source = nil
        }
    }

    /// Gives up the notification and the parts that were taken, and with them what may be the last
    /// references to objects and IDs.
    func release() {
        taken = []
        notification = nil
        entries = [:]
        source = nil
    }
}

extension Notification {
    /// What a did-save notification has beside Apple's sets of objects.
    fileprivate var otherEntries: [AnyHashable: Any] {
        let keys = [
            NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
            NSInvalidatedObjectsKey, NSInvalidatedAllObjectsKey,
        ]
        return (userInfo ?? [:]).filter { !keys.contains($0.key as? String ?? "") }
    }
}
