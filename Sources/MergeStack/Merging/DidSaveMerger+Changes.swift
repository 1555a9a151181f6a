import CoreData

/// Changes of the store that no did-save notification tells of.
extension DidSaveMerger {
    /// Merges what a batch request has changed.
    ///
    /// ```swift
    /// let request = NSBatchDeleteRequest(fetchRequest: old)
    /// request.resultType = .resultTypeObjectIDs
    /// try merger.merge(context.execute(request))
    /// ```
    ///
    /// - Parameter result: The result of a batch request, with object IDs.
    /// - Returns: Stands for the merge.
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

    /// Merges changes that are known by their object IDs, from whatever source.
    ///
    /// - Returns: Stands for the merge.
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

    /// Looks for transactions of others in the stores' history now, and calls back on the main
    /// queue when the main context has merged them.
    ///
    /// Needed only where the system tells nothing of other processes' writes, as on network file
    /// systems; otherwise it happens by itself. Without ``MergeOptions/remoteChanges`` it waits
    /// for the saves in line.
    public func mergeRemoteChanges(
        completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        follow({ $0.catchUp($1) }, completion)
    }

    /// Looks for transactions of others in the stores' history now, and returns when the main
    /// context has merged them.
    ///
    /// - Throws: What reading the history throws.
    public func mergeRemoteChanges() async throws {
        try await withCheckedThrowingContinuation { continuation in
            mergeRemoteChanges { continuation.resume(with: $0) }
        }
    }

    /// Deletes the transactions from the stores' history that were written before a date; those
    /// that are not merged yet are put in line before.
    ///
    /// Another process that has not read them by then has to read everything again.
    ///
    /// - Parameters:
    ///   - date: What was written before it goes.
    ///   - completion: Called on the main queue.
    public func trimHistory(
        before date: Date,
        completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        follow({ $0.trim(before: date, $1) }, completion)
    }

    /// Deletes the transactions from the stores' history that were written before a date; those
    /// that are not merged yet are put in line before.
    ///
    /// Another process that has not read them by then has to read everything again.
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
            queue.settle(upTo: queue.lastNumber) { completion(result) }
        }
        if let follower { action(follower, finish) } else { finish(.success(())) }
    }
}
