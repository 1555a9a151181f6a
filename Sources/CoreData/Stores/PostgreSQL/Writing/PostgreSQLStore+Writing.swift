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
        let open = try openedForWriting()
        if changes.isCopy { try takeOver(changes, open) }
        try open.groups.run(changes) {
            try pendingMetadata.write { metadata in
                try attempt(open, metadata) { save in
                    try checkValues(of: changes.updates, open)
                    try raiseVersions(of: changes.returning, open)
                    try save.write([changes], beforeCommit: beforeCommit)
                }
            }
        } together: { group in
            // No other stores take part, for which there would be something to do before the commit.
            try pendingMetadata.write { metadata in
                let save = ServerSave(store: self, open: open, metadata: metadata)
                for changes in group { try checkValues(of: changes.updates, open) }
                try save.write(group)
                open.feed.wake()
            }
        }
    }

    /// What the store has, when it is known what became of earlier saves.
    func openedForWriting() throws -> OpenPostgreSQLStore {
        let open = try opened()
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        try settleEarlierSaves(open)
        return open
    }

    /// Attempts a save until others are not in its way any more.
    ///
    /// - Parameter isUpToDate: Whether the replica has all that others had saved before.
    func attempt<Result>(
        _ open: OpenPostgreSQLStore,
        _ metadata: StoreMetadata? = nil,
        isUpToDate: Bool = false,
        _ body: (ServerSave) throws -> Result
    ) throws -> Result {
        var attempts = 0
        var isUpToDate = isUpToDate
        while true {
            attempts += 1
            do {
                let result = try body(ServerSave(store: self, open: open, metadata: metadata))
                // Numbers the save and tells the others.
                open.feed.wake()
                return result
            } catch let error as PostgreSQLError {
                // Nothing is committed: neither here nor there.
                let mayPass = error.isCollision || error.isDisagreement || error.kind == .lost
                guard mayPass else { throw error.cocoaError(url) }
                guard attempts < Self.maximumAttempts else {
                    throw error.isOutcomeUnknown
                        ? error.cocoaError(url)
                        : CocoaError.saveIsOvertaken(url, attempts: attempts, underlying: error)
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

    /// Compares rows as a whole once the server has lost some: what a context has read before that may
    /// have a version that the server has given again since, to other values.
    ///
    /// - Throws: `RowConflicts`.
    private func checkValues(
        of updates: [StoreChangeSet.Update],
        _ open: OpenPostgreSQLStore
    ) throws {
        guard open.follower.losses.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let conflicts = try updates.compactMap { update -> RowConflicts.Conflict? in
            let layout = open.schema.store.model.entities[update.row.entityIndex]
            guard let stored = try open.replica.row(layout, update.row.primaryKey),
                stored.version == update.old.version
            else { return nil }
            // Derived values follow from other rows and change without a version.
            let isSame = layout.slots.allSatisfy { slot in
                slot.derivation != nil
                    || stored.value(slot.index, slot.kind)
                        .isSame(as: update.old.value(slot.index, slot.kind))
            }
            return isSame
                ? nil
                : RowConflicts.Conflict(
                    reference: update.row.reference,
                    expectedVersion: update.old.version,
                    stored: stored
                )
        }
        guard conflicts.isEmpty else { throw RowConflicts(conflicts: conflicts) }
    }

    /// Has the server give no keys that the rows of another store bring along.
    private func takeOver(_ changes: StoreChangeSet, _ open: OpenPostgreSQLStore) throws {
        guard isNew else { throw CocoaError.serverStoreIsNotNew(url) }
        var highest: [Int: Int64] = [:]
        for row in changes.inserts {
            let root = open.schema.store.model.entities[row.entityIndex].rootIndex
            highest[root] = max(highest[root] ?? 0, row.primaryKey)
        }
        for (root, key) in highest { try open.keys.pass(key, rootIndex: root) }
    }

    /// Finds out what became of saves whose outcome could not be known.
    private func settleEarlierSaves(_ open: OpenPostgreSQLStore) throws {
        let saves = open.unsettled.withLock { $0 }
        guard !saves.isEmpty else { return }
        try open.session.translatingErrors {
            for save in saves {
                _ = try CommitOutcome(save: save, schema: open.schema).settle(open.session)
                open.unsettled.withLock { $0.removeAll { $0 == save } }
            }
        }
        // What counts of them, the context that has made it is to know before it saves again.
        try catchUp(open)
    }
}
#endif
