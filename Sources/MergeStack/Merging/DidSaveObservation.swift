import CoreData
import Dispatch
import Threads

/// Observes the saves of all contexts, drops those that do not concern the main context, and
/// enqueues the rest.
///
/// The notifications are observed with `object: nil` and filtered: a registration for one object
/// goes on firing for whatever comes to lie at its address later.
final class DidSaveObservation: Sendable {
    private let filter: MergeFilter
    private let echoes = EchoFilter()
    private let delivery: MergeOptions.Delivery
    private let queue: MergeQueue
    /// The author that saves without one are given; nil to leave them.
    private let author: String?
    private let tokens = Guarded<[ObservationToken]>([])

    init(
        filter: MergeFilter,
        delivery: MergeOptions.Delivery,
        queue: MergeQueue,
        author: String?
    ) {
        self.filter = filter
        self.delivery = delivery
        self.queue = queue
        self.author = author
        observe(.NSManagedObjectContextWillSave) { $0.willSave($1) }
        observe(.NSManagedObjectContextDidSave) { $0.didSave($1) }
        observe(Self.didFailToSave) { $0.didFailToSave($1) }
        // Only what main pushes into a parent can come back as an echo; without a parent there is
        // no need to hear of every change in the process.
        guard filter.mainContext?.parent != nil else { return }
        observe(.NSManagedObjectContextObjectsDidChange) { $0.didChange($1) }
    }

    /// Stops observing.
    ///
    /// A second call does nothing.
    func end() {
        let ended = tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
        for token in ended { token.end() }
    }

    private func observe(
        _ name: Notification.Name,
        _ handler: @escaping @Sendable (DidSaveObservation, Notification) -> Void
    ) {
        let token = ObservationToken(name) { [weak self] notification in
            guard let self else { return }
            handler(self, notification)
        }
        tokens.withLock { $0.append(token) }
    }

    // MARK: What is observed

    private func willSave(_ notification: Notification) {
        guard let context = notification.object as? NSManagedObjectContext else { return }
        if context === filter.mainContext {
            // The thread is noted before the queue's flag is up. In the other order, a thread that
            // saved main earlier and changes the parent at this moment would be taken for the one
            // that saves now.
            echoes.mainWillSave()
            queue.mainWillSave()
        }
        // History takes the author down in the save's own transaction, so it must be set by now.
        guard let author, context.transactionAuthor == nil, context.parent == nil,
            filter.hasMainCoordinator(context)
        else { return }
        context.transactionAuthor = author
    }

    private func didSave(_ notification: Notification) {
        guard let context = notification.object as? NSManagedObjectContext else { return }
        // Given for the time of the save only. Taken back before the report is made, which is to
        // name no author that the client has not set.
        if let author, context.transactionAuthor == author { context.transactionAuthor = nil }
        if context === filter.mainContext {
            queue.drop(.ownSave, contextName: context.name)
            queue.mainDidSave()
            return
        }
        // Whatever becomes of this save: the changes are written, and no later save brings them
        // back.
        let pushed = echoes.takePushed(into: context)
        let sets = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey].map {
            notification.changedObjects($0)
        }
        if let reason = filter.dropReason(for: context) {
            queue.drop(reason, contextName: context.name)
        } else if sets.allSatisfy(\.isEmpty) {
            queue.drop(.emptySave, contextName: context.name)
        } else if !pushed.isEmpty, sets.allSatisfy(pushed.isSuperset) {
            queue.drop(.echo, contextName: context.name)
        } else {
            let isWhole = sets.allSatisfy(pushed.isDisjoint)
            // The saving thread is on the context's queue here, where its objects may be asked for
            // their IDs. Nothing but these is read of them later.
            let foreign = isWhole ? sets : sets.map { $0.subtracting(pushed) }
            let ids = foreign.map { $0.map(\.objectID) }
            deliver(
                notification,
                ChangedObjectIDs(inserted: ids[0], updated: ids[1], deleted: ids[2]),
                isWhole: isWhole
            )
        }
    }

    /// Posted by this package's `CoreData` when a save has thrown. With Apple's framework the end of
    /// the main queue's turn tells as much.
    private static let didFailToSave = Notification.Name("MergeStackContextDidFailToSave")

    private func didFailToSave(_ notification: Notification) {
        guard let context = notification.object as? NSManagedObjectContext else { return }
        if let author, context.transactionAuthor == author { context.transactionAuthor = nil }
        if context === filter.mainContext { queue.mainDidSave() }
    }

    private func didChange(_ notification: Notification) {
        guard let context = notification.object as? NSManagedObjectContext,
            let main = filter.mainContext, context.isAncestor(of: main)
        else { return }
        // Either alone would not do: while main saves, other threads may change the parent between
        // the steps of that save, and the thread that saved main last may change it by itself
        // later.
        let isOfMain = queue.isMainSaving && echoes.isOnSavingThread
        echoes.contextDidChange(notification, by: isOfMain ? main : nil)
    }

    // MARK: Delivery

    private func deliver(_ notification: Notification, _ changes: ChangedObjectIDs, isWhole: Bool) {
        guard let context = notification.object as? NSManagedObjectContext else { return }
        let isNear = filter.hasMainCoordinator(context)
        let changes = isNear ? changes : changes.translated(to: filter.mainCoordinator)
        var report = MergeReport(changes, origin: isNear ? .save : .otherCoordinator)
        report.contextName = context.name
        report.author = context.transactionAuthor
        guard isNear else {
            // The rows in the notification are of a row cache that the main context's coordinator
            // does not share, so that only the IDs are handed on.
            queue.put(PostedSave(changes, report: report, postedAt: queue.clock.now()))
            return
        }
        let isOnMain = MainQueue.isCurrent
        // While merging is paused nobody can wait for it.
        var timeout: TimeInterval?
        if case .synchronous(let limit) = delivery {
            report.delivery = isOnMain ? .inline : .synchronous
            if !queue.isPaused { timeout = limit }
        }
        let save = PostedSave(
            notification,
            changes: changes,
            isWhole: isWhole,
            report: report,
            isAwaited: timeout != nil,
            postedAt: queue.clock.now()
        )
        if report.delivery != .asynchronous, timeout == nil { save.isHandedOver = true }
        // Also on the main queue: a merge under way there, or a save of the main context, makes
        // this one wait for a later turn.
        guard queue.put(save), let timeout else { return }
        // Waiting for a signal here would keep the main queue from the merge that gives it.
        if isOnMain {
            queue.drain(.inline)
            if save.mergedSignal?.wait(timeout: .now()) == .timedOut { save.isHandedOver = true }
        } else if save.mergedSignal?.wait(timeout: .now() + timeout) == .timedOut {
            save.isHandedOver = true
        }
    }
}

extension ChangedObjectIDs {
    /// The IDs of the same rows at another coordinator that has the same stores; rows that it does
    /// not have are left out.
    func translated(to coordinator: NSPersistentStoreCoordinator?) -> ChangedObjectIDs {
        func translate(_ ids: [NSManagedObjectID]) -> [NSManagedObjectID] {
            ids.compactMap {
                coordinator?.managedObjectID(forURIRepresentation: $0.uriRepresentation())
            }
        }
        return ChangedObjectIDs(
            inserted: translate(inserted),
            updated: translate(updated),
            deleted: translate(deleted)
        )
    }
}
