/// Tells what a context must know by now, for one check of it.
///
/// > Threading: Confined to the context's queue.
struct ConsistencyJudge {
    let context: NSManagedObjectContext
    let state: ConsistencyState
    /// Whether the context has merged all that was saved: it can be compared with the stores.
    let isSettled: Bool

    /// What was committed last of an object's row; nil if this process has not changed it.
    func entry(_ object: NSManagedObject) -> CommitLedger.Entry? {
        guard object.primaryKey > 0, let ledger = object.registry.store?.coordinatorStore.ledger
        else {
            return nil
        }
        return ledger.entry(object.layout.ledgerKey(object.primaryKey))
    }

    private func isTold(_ object: NSManagedObject, _ entry: CommitLedger.Entry) -> Bool {
        guard let ledger = object.registry.store?.coordinatorStore.ledger else { return false }
        return state.isTold(object.layout.ledgerKey(object.primaryKey), ledger, entry.number)
    }

    private func isAfterBeginning(_ number: UInt64) -> Bool {
        // Whoever merges all saves has not heard of those before it began.
        isSettled && number > state.followedSince
    }

    /// Whether the context must know of all commits of a row that came after some time. One that it
    /// knows may lie on top of one that is not merged yet.
    private func knowsAll(
        _ entry: CommitLedger.Entry,
        _ key: CommitLedger.Key,
        _ ledger: CommitLedger,
        since readAt: UInt64
    ) -> Bool {
        entry.commits.allSatisfy { commit in
            let number = commit.number
            // While a commit is under way, what is read may show either state.
            return number != .max
                && (number <= readAt || !commit.isForeign && isAfterBeginning(number)
                    || state.isTold(key, ledger, number))
        }
    }

    /// Whether the context must know of a commit of an object's row.
    func mustKnow(_ entry: CommitLedger.Entry, of object: NSManagedObject) -> Bool {
        // That all saves are merged says nothing of what batch requests and other processes have
        // done: only a merge of the IDs does.
        entry.number != .max
            && (isTold(object, entry)
                || entry.content != .foreign && isAfterBeginning(entry.number))
    }

    /// Whether what was read of an object at some time can be compared with what others show of it
    /// now: nothing was committed since, or the context must know of it.
    func isComparable(_ object: NSManagedObject, readAt: UInt64) -> Bool {
        guard object.primaryKey > 0 else { return true }
        guard let entry = entry(object), entry.number != .max,
            let ledger = object.registry.store?.coordinatorStore.ledger
        else { return false }
        if entry.content == .foreign { return isTold(object, entry) }
        let key = object.layout.ledgerKey(object.primaryKey)
        return knowsAll(entry, key, ledger, since: readAt)
    }

    /// The same for the to-many relationships of an object.
    func areToManyComparable(_ object: NSManagedObject, readAt: UInt64) -> Bool {
        guard object.primaryKey > 0 else { return true }
        guard isComparable(object, readAt: readAt),
            let ledger = object.registry.store?.coordinatorStore.ledger
        else { return false }
        var key = object.layout.ledgerKey(object.primaryKey)
        key.isOfToMany = true
        guard let entry = ledger.entry(key) else { return true }
        return knowsAll(entry, key, ledger, since: readAt)
    }

    /// Whether the context must know of what was committed last of the to-many relationships of an
    /// object.
    func areToManyKnown(_ object: NSManagedObject) -> Bool {
        guard object.primaryKey > 0, let ledger = object.registry.store?.coordinatorStore.ledger
        else {
            return true
        }
        var key = object.layout.ledgerKey(object.primaryKey)
        key.isOfToMany = true
        guard let entry = ledger.entry(key) else { return true }
        return knowsAll(entry, key, ledger, since: 0)
    }

    /// Whether an object's row is the one that was committed last.
    func hasLatestRow(_ object: NSManagedObject) -> Bool {
        guard object.primaryKey > 0 else { return true }
        guard let entry = entry(object), entry.number != .max, let row = object.row else {
            return false
        }
        switch entry.content {
        case .version(let version): return row.version == version
        case .deleted: return false
        case .foreign: return isTold(object, entry)
        }
    }

    /// Whether an ancestor of the context has unsaved changes of an object's row: what it shows
    /// need not be known here.
    func isChangedBelow(_ object: NSManagedObject) -> Bool {
        guard let store = object.registry.store else { return false }
        return Self.isChanged(object.layout, object.primaryKey, in: store)
    }

    private static func isChanged(
        _ layout: EntityLayout,
        _ primaryKey: Int64,
        in store: any RowStore
    ) -> Bool {
        guard let below = store as? ParentStore else { return false }
        let look = { () -> Bool in
            let registry = below.context.registry(layout.index, in: below.underlying)
            let object = registry.identityMap.object(primaryKey)
            return object?.hasChanges == true
                || isChanged(layout, primaryKey, in: below.underlying)
        }
        // A context waits for its ancestors only, so that no two can wait for each other.
        guard let queue = below.context.queue else { return look() }
        return ThreadPlaces.sync(on: queue, look)
    }

    /// The row as the level below shows it: nothing is fired or registered there.
    ///
    /// - Returns: nil if there is no row, or nothing is known of it.
    func rowBelow(_ object: NSManagedObject) -> Row? {
        guard let store = object.registry.store else { return nil }
        return Self.row(object.layout, object.primaryKey, in: store)
    }

    private static func row(
        _ layout: EntityLayout,
        _ primaryKey: Int64,
        in store: any RowStore
    ) -> Row? {
        guard let below = store as? ParentStore else {
            switch store.cachedRow(layout, primaryKey) {
            case .row(let row): return row
            case .deleted: return nil
            case .unknown: break
            }
            do {
                return try store.row(layout, primaryKey)
            } catch {
                // A store that can't be read says nothing against what was read before.
                return nil
            }
        }
        let show = { () -> Row? in
            let registry = below.context.registry(layout.index, in: below.underlying)
            // A fault is passed over, for firing it would change what is checked.
            guard let object = registry.identityMap.object(primaryKey), object.row != nil,
                !object.flags.contains(.fault)
            else { return row(layout, primaryKey, in: below.underlying) }
            guard object.flags.isDisjoint(with: [.deleted, .detached]) else { return nil }
            do {
                return try object.currentRow()
            } catch {
                // A value that can't be archived can't be compared either.
                return nil
            }
        }
        guard let queue = below.context.queue else { return show() }
        return ThreadPlaces.sync(on: queue, show)
    }
}
