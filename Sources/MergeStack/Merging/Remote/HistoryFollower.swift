import CoreData
import Dispatch
import Threads

/// Reads the transactions that others have written to the stores of a coordinator, and enqueues
/// them for the main context.
///
/// > Threading: Any thread.
final class HistoryFollower: Sendable {
    private struct State {
        /// The place in each store's history up to which everything is enqueued, by the store's
        /// UUID.
        var tokens: [String: NSPersistentHistoryToken]
        var isScheduled = false
        var isEnded = false
        var observation: ObservationToken?
    }
    private let context: NSManagedObjectContext
    private let coordinator: WeakReference<NSPersistentStoreCoordinator>
    private let queue: MergeQueue
    private let ownAuthors: Set<String>
    private let state: Guarded<State>

    /// Begins to follow, from the end of the history as it is now.
    init(
        _ coordinator: NSPersistentStoreCoordinator,
        queue: MergeQueue,
        ownAuthors: Set<String>
    ) {
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.name = "MergeStack.history"
        self.coordinator = WeakReference(coordinator)
        self.queue = queue
        self.ownAuthors = ownAuthors
        state = Guarded(State(tokens: [:]))
        // Noted now, so that whatever others write from here on is read.
        for store in coordinator.persistentStores { _ = token(of: store, coordinator) }
        let observation = ObservationToken(.NSPersistentStoreRemoteChange) {
            [weak self] notification in
            guard let self,
                notification.object as? NSPersistentStoreCoordinator === self.coordinator.object
            else { return }
            schedule()
        }
        state.withLock { $0.observation = observation }
    }

    /// Stops following.
    func end() {
        let observation = state.withLock { state in
            state.isEnded = true
            defer { state.observation = nil }
            return state.observation
        }
        observation?.end()
    }

    /// Enqueues what is new in the history, and calls back on the follower's own queue.
    func catchUp(_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        context.perform { [self] in completion(Result { try read() }) }
    }

    /// Deletes the transactions that were written before a date, after enqueuing the new ones.
    func trim(
        before date: Date,
        _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        context.perform { [self] in
            completion(
                Result {
                    try read()
                    _ = try context.execute(
                        NSPersistentHistoryChangeRequest.deleteHistory(before: date)
                    )
                }
            )
        }
    }

    // MARK: Reading

    /// Reads soon; many notifications become one reading.
    private func schedule() {
        let isNew = state.withLock { state in
            guard !state.isEnded else { return false }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isNew else { return }
        context.perform { [self] in
            // Before it reads: a notification that comes meanwhile asks for another reading.
            state.withLock { $0.isScheduled = false }
            do {
                try read()
            } catch {
                // A store that can't be read now is read with the next notification.
            }
        }
    }

    /// Enqueues what follows the tokens. On the context's queue.
    private func read() throws {
        guard !state.withLock({ $0.isEnded }), let coordinator = coordinator.object else { return }
        for store in coordinator.persistentStores {
            guard let token = token(of: store, coordinator) else { continue }
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            request.resultType = .transactionsAndChanges
            request.affectedStores = [store]
            do {
                let result = try context.execute(request) as? NSPersistentHistoryResult
                put(result?.result as? [NSPersistentHistoryTransaction] ?? [], of: store)
            } catch let error as NSError where error.isExpiredToken {
                startOver(store, coordinator)
            }
        }
    }

    /// Where to go on in a store's history: for a store seen for the first time, its end. nil for
    /// a store that keeps no history.
    private func token(
        of store: NSPersistentStore,
        _ coordinator: NSPersistentStoreCoordinator
    ) -> NSPersistentHistoryToken? {
        let identifier = store.identifier ?? ""
        if let token = state.withLock({ $0.tokens[identifier] }) { return token }
        let token = coordinator.currentPersistentHistoryToken(fromStores: [store])
        state.withLock { $0.tokens[identifier] = token }
        return token
    }

    /// Goes on from the end of a history whose part after the token was deleted.
    private func startOver(_ store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator)
    {
        // The new place is taken before the refresh is queued. What others write in between is then
        // read twice; in the other order the refresh could come before it and the place after it,
        // and nobody would read it.
        state.withLock { $0.tokens[store.identifier ?? ""] = nil }
        _ = token(of: store, coordinator)
        queue.put(
            PostedSave(
                ChangedObjectIDs(),
                report: MergeReport(ChangedObjectIDs(), origin: .expiredHistory),
                postedAt: queue.clock.now(),
                refreshesEverything: true
            )
        )
    }

    private func put(
        _ transactions: [NSPersistentHistoryTransaction],
        of store: NSPersistentStore
    ) {
        // Each transaction is queued as a save of its own, in the history's order: each has a
        // report that names its author, and main sees no state that the store never had.
        for transaction in transactions where !isOwn(transaction) { put(transaction) }
        guard let last = transactions.last else { return }
        state.withLock { $0.tokens[store.identifier ?? ""] = last.token }
    }

    private func isOwn(_ transaction: NSPersistentHistoryTransaction) -> Bool {
        transaction.author.map(ownAuthors.contains) ?? false
    }

    private func put(_ transaction: NSPersistentHistoryTransaction) {
        var changes = ChangedObjectIDs()
        for change in transaction.changes ?? [] {
            switch change.changeType {
            case .insert: changes.inserted.append(change.changedObjectID)
            case .update: changes.updated.append(change.changedObjectID)
            case .delete: changes.deleted.append(change.changedObjectID)
            @unknown default: continue
            }
        }
        // A row may be updated and deleted by one transaction.
        changes = ChangedObjectIDs().followed(by: changes)
        guard !changes.isEmpty else { return }
        var report = MergeReport(changes, origin: .history)
        report.contextName = transaction.contextName
        report.author = transaction.author
        report.processName = transaction.processID
        report.savedAt = transaction.timestamp
        queue.put(PostedSave(changes, report: report, postedAt: queue.clock.now()))
    }
}

extension NSError {
    /// Whether what follows a history token is gone in part.
    fileprivate var isExpiredToken: Bool {
        domain == NSCocoaErrorDomain && code == NSPersistentHistoryTokenExpiredError
    }
}
