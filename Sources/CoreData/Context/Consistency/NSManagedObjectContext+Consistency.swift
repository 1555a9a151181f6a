/// When a context checks itself.
extension NSManagedObjectContext {
    /// Stops the program if the context shows something that can't be.
    ///
    /// Does nothing unless consistency is checked, and while changes wait to be processed.
    ///
    /// > Threading: On the context's queue.
    ///
    /// - Parameter isSettled: Whether the context has merged all that others have saved. Asked when
    ///   nobody saves, so that the answer is about all saves that have ended.
    func checkConsistency(isSettled: () -> Bool) {
        guard let consistency, pending.isEmpty, !isSaving else { return }
        let ledgers = storeRegistries.compactMap(\.store.coordinatorStore.ledger)
        let quiet = ledgers.map(\.quietCount)
        // Asked after the counts were taken: a save that begins from here on changes them.
        guard !quiet.contains(nil), isSettled() else {
            check(consistency, isSettled: false)
            return
        }
        let found = inconsistencies(consistency, isSettled: true)
        // What was saved meanwhile is what the context can't know.
        guard !found.isEmpty, ledgers.map(\.quietCount) == quiet else { return }
        report(found, consistency)
    }

    /// What the context shows and should not, for tests.
    func inconsistencies(isSettled: Bool) -> [Inconsistency] {
        guard let consistency else { return [] }
        return inconsistencies(consistency, isSettled: isSettled)
    }

    private func check(_ consistency: ConsistencyState, isSettled: Bool) {
        let found = inconsistencies(consistency, isSettled: isSettled)
        if !found.isEmpty { report(found, consistency) }
    }

    private func report(_ found: [Inconsistency], _ consistency: ConsistencyState) {
        if let onFinding = consistency.onFinding {
            onFinding(found)
        } else {
            ConsistencyCheck.stop(found, in: self)
        }
    }

    private func inconsistencies(
        _ consistency: ConsistencyState,
        isSettled: Bool
    ) -> [Inconsistency] {
        guard !consistency.isChecking else { return [] }
        consistency.isChecking = true
        defer { consistency.isChecking = false }
        let judge = ConsistencyJudge(context: self, state: consistency, isSettled: isSettled)
        let maps = storeRegistries.flatMap { $0.identityMaps.compactMap(\.self) }
        let entries = maps.flatMap { map in map.entries.map { ($0, $1, map) } }
        guard isSettled || consistency.takeCredit(for: entries.count) else { return [] }
        let objects = entries.map(\.1) + changed(insertedList, .inserted)
        return IdentityInvariant(judge).check(entries) + FreshnessInvariant(judge).check(objects)
            + VersionInvariant(judge).check(objects) + RelationshipInvariant(judge).check(objects)
            + consistency.aliveWitnesses.flatMap { $0.inconsistencies(judge) }
    }

    // MARK: Merges

    /// Checks the context after it has merged rows.
    func checkMerged(_ changes: SavedChanges) {
        guard let consistency else { return }
        tell(changes, consistency)
        if !isSaving, pending.isEmpty { check(consistency, isSettled: false) }
    }

    private func tell(_ changes: SavedChanges, _ consistency: ConsistencyState) {
        let number = changes.commitNumber
        for part in changes.stores {
            guard let ledger = part.store.coordinatorStore.ledger else { continue }
            let references =
                part.inserted.map(\.reference) + part.updated.map(\.reference) + part.deleted
            for key in references.compactMap(ledgerKey) { consistency.tell(key, ledger, number) }
            // Whose members have moved may have a new row as well, in a part to be merged later.
            for var key in (references + part.touched).compactMap(ledgerKey) {
                key.isOfToMany = true
                consistency.tell(key, ledger, number)
            }
        }
    }

    /// nil for a row that only contexts have.
    private func ledgerKey(_ reference: RowReference) -> CommitLedger.Key? {
        let reference = current(reference)
        guard reference.primaryKey > 0 else { return nil }
        return coordinator.modelLayout.entities[reference.entityIndex]
            .ledgerKey(reference.primaryKey)
    }

    /// Checks the context after it has merged rows that are known by their IDs.
    ///
    /// - Parameter number: The last commit before the merge.
    func checkMerged(
        _ changes: ChangeSet<NSManagedObjectID>,
        isForeign: Bool,
        since number: UInt64
    ) {
        guard let consistency else { return }
        for id in changes.inserted + changes.updated + changes.deleted {
            guard id.primaryKey > 0, let ledger = rowStore(of: id)?.coordinatorStore.ledger else {
                continue
            }
            var key = coordinator.modelLayout.entities[localIndex(of: id)]
                .ledgerKey(id.primaryKey)
            let entry = ledger.entry(key)
            var last = number
            if isForeign {
                if entry?.content != .deleted { ledger.commit([key: .foreign], number: number) }
            } else if let entry, entry.content == .foreign, entry.number > 0 {
                // What another coordinator has written is not in the row cache.
                last = min(number, entry.number - 1)
            }
            consistency.tell(key, ledger, upTo: last)
            key.isOfToMany = true
            consistency.tell(key, ledger, upTo: last)
        }
        if !isSaving, pending.isEmpty { check(consistency, isSettled: false) }
    }

    // MARK: Saves

    /// Writes a save, and notes it.
    func noting(_ plan: SavePlan, _ write: () throws -> Void) throws {
        guard let consistency, source.isStoreLevel else { return try write() }
        let model = coordinator.modelLayout
        let parts = plan.parts.compactMap { part in
            part.store.ledger.map {
                ($0, part.changes.ledgerContents(touched: part.touched, model))
            }
        }
        // Noted as under way before anybody can read the rows: until the number is known,
        // nobody is judged by them.
        let old = parts.map { ledger, contents in (ledger, ledger.begin(contents)) }
        do {
            try write()
        } catch {
            for (ledger, entries) in old { ledger.cancel(entries) }
            throw error
        }
        consistency.lastCommit = CommitLedger.next()
        for (ledger, contents) in parts {
            ledger.commitSave(contents, number: consistency.lastCommit)
        }
    }

    /// Notes what a batch request has changed: contexts know of it when its IDs are merged.
    func note(_ references: [RowReference], _ ledger: CommitLedger) {
        let entities = coordinator.modelLayout.entities
        let keys = references.map { entities[$0.entityIndex].ledgerKey($0.primaryKey) }
        ledger.commit(
            Dictionary(keys.map { ($0, .foreign) }, uniquingKeysWith: { $1 }),
            number: CommitLedger.next()
        )
    }

    /// Checks the context after its save. Contexts that merge by themselves check themselves, too,
    /// after the merge that is waiting on their queue.
    func checkSaved(_ plan: SavePlan, _ changes: SavedChanges) {
        guard let consistency else { return }
        if source.isStoreLevel {
            // The save is announced by now to all who are told of it.
            for part in plan.parts { part.store.ledger?.end() }
            tell(changes, consistency)
        }
        var found = RequiredValueInvariant.check(plan)
        if pending.isEmpty { found += inconsistencies(consistency, isSettled: false) }
        if !found.isEmpty { report(found, consistency) }
        let below = asParent.withLock { $0.parent }?.contexts.alive ?? []
        for context in source.contexts.alive + below
        where context !== self && context.automaticallyMergesChangesFromParent {
            context.checkFollowed(changes)
        }
    }

    private func checkFollowed(_ changes: SavedChanges) {
        guard let queue else { return }
        queue.async { [weak self] in
            ThreadPlaces.inside(queue) { self?.checkMerged(changes) }
        }
    }

    /// Checks the context after other changes of all that it shows.
    func checkConsistency() {
        guard let consistency, pending.isEmpty, !isSaving else { return }
        check(consistency, isSettled: false)
    }
}
