import CoreData
import Dispatch

/// Observes the saves of all contexts, drops what does not concern the main context, and puts the
/// rest in line.
///
/// The notifications are observed with `object: nil` and filtered: a registration for one object
/// goes on firing for whatever comes to lie at its address later.
final class DidSaveObservation: Sendable {
    // Tokens are opaque objects that only go back to the notification center.
    private struct Tokens: @unchecked Sendable {
        var list: [any NSObjectProtocol] = []
    }

    /// Gives the reason to drop a context's save, if there is one.
    typealias Filter =
        @Sendable (_ saved: NSManagedObjectContext) -> MergeReport.DropReason?

    private let tokens: Guarded<Tokens>

    init(
        main: NSManagedObjectContext,
        coordinator: NSPersistentStoreCoordinator,
        delivery: MergeOptions.Delivery,
        filter: @escaping Filter,
        queue: MergeQueue
    ) {
        let main = WeakReference(main)
        let coordinator = WeakReference(coordinator)
        let center = NotificationCenter.default
        // No queue is named: the center would wait for it while it posts.
        let didSave = center.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: nil,
            queue: nil
        ) { notification in
            guard let context = notification.object as? NSManagedObjectContext else { return }
            if context === main.object {
                queue.drop(.ownSave, contextName: context.name)
                queue.mainDidSave()
            } else if let reason = Self.dropReason(notification, context, main, coordinator)
                ?? filter(context)
            {
                queue.drop(reason, contextName: context.name)
            } else {
                Self.deliver(notification, from: context, delivery, to: queue)
            }
        }
        let willSave = center.addObserver(
            forName: .NSManagedObjectContextWillSave,
            object: nil,
            queue: nil
        ) { notification in
            guard let saving = notification.object as? NSManagedObjectContext else { return }
            if saving === main.object { queue.mainWillSave() }
        }
        tokens = Guarded(Tokens(list: [didSave, willSave]))
    }

    /// Stops observing.
    ///
    /// A second call does nothing.
    func end() {
        let ended = tokens.withLock { tokens in
            defer { tokens.list = [] }
            return tokens
        }
        for token in ended.list { NotificationCenter.default.removeObserver(token) }
    }

    private static func dropReason(
        _ notification: Notification,
        _ context: NSManagedObjectContext,
        _ main: WeakReference<NSManagedObjectContext>,
        _ coordinator: WeakReference<NSPersistentStoreCoordinator>
    ) -> MergeReport.DropReason? {
        guard let main = main.object, let coordinator = coordinator.object else {
            return .mainContextGone
        }
        guard context.persistentStoreCoordinator === coordinator else {
            return .foreignCoordinator
        }
        var ancestor = context.parent
        while let current = ancestor {
            if current === main { return .descendant }
            ancestor = current.parent
        }
        // Its parent's save is merged, when that is in the store.
        guard context.parent == nil else { return .nested }
        let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey]
        return keys.allSatisfy { notification.changedObjects($0).isEmpty } ? .emptySave : nil
    }

    private static func deliver(
        _ notification: Notification,
        from context: NSManagedObjectContext,
        _ delivery: MergeOptions.Delivery,
        to queue: MergeQueue
    ) {
        var report = MergeReport(sequenceNumber: 0)
        report.contextName = context.name
        report.insertedCount = notification.changedObjects(NSInsertedObjectsKey).count
        report.updatedCount = notification.changedObjects(NSUpdatedObjectsKey).count
        report.deletedCount = notification.changedObjects(NSDeletedObjectsKey).count
        guard case .synchronous(let timeout) = delivery else {
            let save = PostedSave(notification, report: report, isAwaited: false)
            if queue.enqueue(save) { queue.scheduleTurn() }
            return
        }
        let isOnMain = MainQueue.isCurrent
        report.delivery = isOnMain ? .inline : .synchronous
        let save = PostedSave(notification, report: report, isAwaited: true)
        guard queue.enqueue(save) else { return }
        // Also on the main queue: a merge under way there, or a save of the main context, makes
        // this one wait for a later turn.
        queue.scheduleTurn()
        if isOnMain {
            queue.drain(.inline)
            if save.isDone?.wait(timeout: .now()) == .timedOut { save.isHandedOver = true }
        } else if save.isDone?.wait(timeout: .now() + timeout.seconds) == .timedOut {
            save.isHandedOver = true
        }
    }
}
