#if PostgreSQL
import Foundation

extension PostgreSQLStore {
    /// How often a save is repeated which others have got ahead of.
    private static let maximumAttempts = 10

    /// Writes a save into the replica and, before that commits, into the server.
    ///
    /// The replica finds what is wrong with a save, in all detail. What it can't know, since others
    /// have been faster, the server refuses; then the replica is brought up to date and has the
    /// word again.
    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        let open = try opened()
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        try settleEarlierSave(open)
        let metadata = takeChangedMetadata()
        do {
            try write(changes, metadata, open, beforeCommit)
        } catch {
            if metadata != nil { keepChangedMetadata() }
            throw error
        }
        // Numbers the save and tells the others.
        open.feed.wake()
    }

    private func write(
        _ changes: StoreChangeSet,
        _ metadata: StoreMetadata?,
        _ open: OpenPostgreSQLStore,
        _ beforeCommit: () throws -> Void
    ) throws {
        var attempts = 0
        var isUpToDate = false
        while true {
            attempts += 1
            let save = ServerSave(store: self, open: open, metadata: metadata)
            do {
                return try save.write(changes, beforeCommit: beforeCommit)
            } catch let error as PostgreSQLError {
                // Nothing is committed: neither here nor there.
                let mayPass = error.isCollision || error.isDisagreement || error.kind == .lost
                guard mayPass, attempts < Self.maximumAttempts else {
                    throw error.cocoaError(url)
                }
                if error.isDisagreement {
                    try catchUp(open)
                    isUpToDate = true
                }
            } catch  where Self.isAboutContent(error) && !isUpToDate {
                // Others may have taken away what is in the way.
                try catchUp(open)
                isUpToDate = true
            }
        }
    }

    /// Whether a replica's error may be another one when the replica is up to date.
    private static func isAboutContent(_ error: any Error) -> Bool {
        error is RowConflicts || error is UniquenessViolations || error is LateReferences
            || error is LostTargets
    }

    /// Finds out what became of a save whose outcome could not be known.
    private func settleEarlierSave(_ open: OpenPostgreSQLStore) throws {
        guard let save = open.unsettled.withLock({ $0 }) else { return }
        do {
            _ = try CommitOutcome(save: save, schema: open.schema).settle(open.session)
        } catch let error as PostgreSQLError {
            throw error.cocoaError(url)
        }
        open.unsettled.withLock { $0 = nil }
        // If it counts, the context that has made it is to know before it saves again.
        try catchUp(open)
    }
}
#endif
