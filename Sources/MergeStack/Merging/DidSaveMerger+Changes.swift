import CoreData

/// Merging changes of the store that no did-save notification announces.
extension DidSaveMerger {
    /// Merges the changes that a batch request has made in the store.
    ///
    /// ```swift
    /// let request = NSBatchDeleteRequest(fetchRequest: old)
    /// request.resultType = .resultTypeObjectIDs
    /// try merger.merge(context.execute(request))
    /// ```
    ///
    /// - Parameter result: The result of a batch request, with object IDs.
    /// - Returns: A token, with which to wait for the merge or to follow its progress.
    /// - Throws: ``MergeStackError`` with code `noObjectIDs` for a result without object IDs.
    @discardableResult
    public func merge(_ result: NSPersistentStoreResult) throws -> SaveToken {
        var changes = ChangedObjectIDs()
        switch result {
        case let result as NSBatchInsertResult:
            changes.inserted = try Self.objectIDs(result.result)
        case let result as NSBatchUpdateResult:
            changes.updated = try Self.objectIDs(result.result)
        case let result as NSBatchDeleteResult:
            changes.deleted = try Self.objectIDs(result.result)
        default:
            throw MergeStackError(
                .noObjectIDs,
                "\(type(of: result)) is not the result of a batch request; merge the object IDs."
            )
        }
        return merge(changes)
    }

    /// Merges changes that are known only by their object IDs, whatever made them.
    ///
    /// - Returns: A token, with which to wait for the merge or to follow its progress.
    @discardableResult
    public func mergeChanges(
        inserted: [NSManagedObjectID] = [],
        updated: [NSManagedObjectID] = [],
        deleted: [NSManagedObjectID] = []
    ) -> SaveToken {
        merge(ChangedObjectIDs(inserted: inserted, updated: updated, deleted: deleted))
    }

    private func merge(_ changes: ChangedObjectIDs) -> SaveToken {
        guard !changes.isEmpty else { return token }
        let report = MergeReport(changes, origin: .objectIDs)
        queue.put(PostedSave(changes, report: report, postedAt: queue.clock.now()))
        return token
    }

    private static func objectIDs(_ result: Any?) throws -> [NSManagedObjectID] {
        guard let ids = result as? [NSManagedObjectID] else {
            throw MergeStackError(
                .noObjectIDs,
                "The batch request gave no object IDs; set its resultType to the one for object "
                    + "IDs before it is executed."
            )
        }
        return ids
    }

    // MARK: Other processes

    /// Reads the stores' persistent history now for transactions of others, and calls back on the
    /// main queue when the main context has merged them.
    ///
    /// Needed only where the system does not announce other processes' writes, as on network file
    /// systems; elsewhere they are merged unasked. Unless ``MergeOptions/remoteChanges`` are
    /// merged, it reads nothing and waits for the queued saves only.
    public func mergeRemoteChanges(
        completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        follow({ $0.catchUp($1) }, completion)
    }

    /// Reads the stores' persistent history now for transactions of others, and returns when the
    /// main context has merged them.
    ///
    /// - Throws: What reading the history throws.
    public func mergeRemoteChanges() async throws {
        try await withCheckedThrowingContinuation { continuation in
            mergeRemoteChanges { continuation.resume(with: $0) }
        }
    }

    /// Deletes the transactions of the stores' persistent history that were written before a date;
    /// those that are not merged yet are queued for the merge first.
    ///
    /// Another process that has not read them by then has to read its objects again.
    ///
    /// - Parameters:
    ///   - date: Transactions written before it are deleted.
    ///   - completion: Called on the main queue with the result, after the queued merges.
    public func trimHistory(
        before date: Date,
        completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        follow({ $0.trim(before: date, $1) }, completion)
    }

    /// Deletes the transactions of the stores' persistent history that were written before a date;
    /// those that are not merged yet are queued for the merge first.
    ///
    /// Another process that has not read them by then has to read its objects again.
    ///
    /// - Throws: What reading the history or deleting from it throws.
    public func trimHistory(before date: Date) async throws {
        try await withCheckedThrowingContinuation { continuation in
            trimHistory(before: date) { continuation.resume(with: $0) }
        }
    }

    private func follow(
        _ action: (HistoryFollower, @escaping @Sendable (Result<Void, any Error>) -> Void) -> Void,
        _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let queue = queue
        let finish: @Sendable (Result<Void, any Error>) -> Void = { result in
            // The number is asked for only now, after the follower has enqueued what it read: an
            // earlier one would end the wait before these transactions are merged.
            queue.settle(upTo: queue.lastNumber) { completion(result) }
        }
        if let follower { action(follower, finish) } else { finish(.success(())) }
    }
}
