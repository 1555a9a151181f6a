import CoreData
import Dispatch

/// A save that waits to be merged.
///
/// > Threading: Made on the saving thread, merged on the main queue, emptied on a background
/// > queue, one after the other.
final class PostedSave: @unchecked Sendable {
    // @unchecked: handed on from queue to queue, and used by one of them at a time; `isMerged` is
    // a semaphore, and the hand-over flag has its lock. Of the objects in the notification only
    // the IDs are read, as `mergeChanges(fromContextDidSave:)` does itself.
    private var notification: Notification?
    /// The updated objects, for the fault policy.
    let updatedIDs: [NSManagedObjectID]
    /// The deleted objects, for the report.
    let deletedIDs: [NSManagedObjectID]
    let postedAt = ContinuousClock.now
    var report: MergeReport
    /// Signalled when the save is merged or dropped, if somebody waits for it.
    let isDone: DispatchSemaphore?
    private let handedOver = Guarded(false)

    init(_ notification: Notification, report: MergeReport, isAwaited: Bool) {
        self.notification = notification
        self.report = report
        updatedIDs = notification.changedObjects(NSUpdatedObjectsKey).map(\.objectID)
        deletedIDs = notification.changedObjects(NSDeletedObjectsKey).map(\.objectID)
        isDone = isAwaited ? DispatchSemaphore(value: 0) : nil
    }

    /// Whether the saving thread gave up waiting.
    var isHandedOver: Bool {
        get { handedOver.withLock { $0 } }
        set { handedOver.withLock { $0 = newValue } }
    }

    /// Merges the notification into a context, on its queue.
    func merge(into context: NSManagedObjectContext) {
        if let notification { context.mergeChanges(fromContextDidSave: notification) }
    }

    /// Gives up the notification, and with it what may be the last references to its objects.
    func release() { notification = nil }
}

extension Notification {
    /// The objects under one of the keys of a did-save notification.
    func changedObjects(_ key: String) -> Set<NSManagedObject> {
        userInfo?[key] as? Set<NSManagedObject> ?? []
    }
}
