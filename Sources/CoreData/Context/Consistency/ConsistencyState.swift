/// What a context keeps to check itself.
///
/// > Threading: Confined to the context's queue.
final class ConsistencyState {
    /// What was told and shown of one store's rows. Holds the ledger, which names the store.
    private struct OfStore {
        let ledger: CommitLedger
        var told: [CommitLedger.Key: Told] = [:]
        /// The highest versions that objects have shown when they were checked.
        var shown: [CommitLedger.Key: Int32] = [:]
    }
    /// The commits of a row that the context has merged, or made itself.
    private struct Told {
        /// Those up to this one, by a merge of the row's ID.
        var upTo: UInt64 = 0
        /// And these ones: merges come in another order than commits.
        var others: Set<UInt64> = []
    }
    private var stores: [OfStore] = []
    /// Those that show objects of the context, see `ResultsInvariant`.
    private var witnesses: [WeakWitness] = []
    private struct WeakWitness {
        weak var witness: (any ConsistencyWitness)?
    }
    /// The number of the context's last commit.
    var lastCommit: UInt64 = 0
    /// How many objects may be looked at; see `takeCredit(for:)`.
    private var credit = 0
    /// Takes what is found; nil to stop the program.
    var onFinding: (([Inconsistency]) -> Void)?
    var isChecking = false

    // MARK: Commits

    /// Notes that the context has merged a commit of a row.
    func tell(_ key: CommitLedger.Key, _ ledger: CommitLedger, _ number: UInt64) {
        stores[index(ledger)].told[key, default: Told()].others.insert(number)
    }

    /// Notes that the context has merged all commits of a row up to one.
    func tell(_ key: CommitLedger.Key, _ ledger: CommitLedger, upTo number: UInt64) {
        let index = index(ledger)
        var told = stores[index].told[key] ?? Told()
        told.upTo = max(told.upTo, number)
        // A row that is merged again and again must not make the set grow.
        told.others = told.others.filter { $0 > told.upTo }
        stores[index].told[key] = told
    }

    /// Whether the context has merged a commit of a row.
    func isTold(
        _ key: CommitLedger.Key,
        _ ledger: CommitLedger,
        _ number: UInt64
    ) -> Bool {
        guard let told = stores.first(where: { $0.ledger === ledger })?.told[key] else {
            return false
        }
        return number <= told.upTo || told.others.contains(number)
    }

    func shown(_ key: CommitLedger.Key, _ ledger: CommitLedger) -> Int32? {
        stores.first { $0.ledger === ledger }?.shown[key]
    }

    func show(_ key: CommitLedger.Key, _ ledger: CommitLedger, _ version: Int32) {
        stores[index(ledger)].shown[key] = version
    }

    private func index(_ ledger: CommitLedger) -> Int {
        if let index = stores.firstIndex(where: { $0.ledger === ledger }) { return index }
        stores.append(OfStore(ledger: ledger))
        return stores.count - 1
    }

    // MARK: Relationships to deleted objects

    /// What was related to objects after they were deleted: a save says what is wrong with that.
    private var relatedToDeleted: Set<Relation> = []
    // By address, which another object may have later: that hides a finding and makes up none.
    private struct Relation: Hashable {
        let object: ObjectIdentifier
        let slot: Int
        let neighbour: ObjectIdentifier
    }

    /// Notes that an object was related to one that was deleted before.
    func relateToDeleted(_ object: NSManagedObject, _ slot: Int, _ neighbour: NSManagedObject) {
        relatedToDeleted.insert(relation(object, slot, neighbour))
    }

    func isRelatedToDeleted(
        _ object: NSManagedObject,
        _ slot: Int,
        _ neighbour: NSManagedObject
    ) -> Bool {
        relatedToDeleted.contains(relation(object, slot, neighbour))
    }

    private func relation(
        _ object: NSManagedObject,
        _ slot: Int,
        _ neighbour: NSManagedObject
    ) -> Relation {
        Relation(
            object: ObjectIdentifier(object),
            slot: slot,
            neighbour: ObjectIdentifier(neighbour)
        )
    }

    // MARK: Following

    /// What was committed before somebody began to merge all saves. Set on any thread.
    private let beginning = Locked<UInt64>(0)
    var followedSince: UInt64 { beginning.withLock { $0 } }

    func beginFollowing() {
        let now = CommitLedger.now
        beginning.withLock { $0 = now }
    }

    // MARK: Witnesses

    func add(_ witness: any ConsistencyWitness) {
        witnesses.removeAll { $0.witness == nil || $0.witness === witness }
        witnesses.append(WeakWitness(witness: witness))
    }

    var aliveWitnesses: [any ConsistencyWitness] { witnesses.compactMap(\.witness) }

    // MARK: Cost

    /// Whether a context with so many objects is looked at now. Each occasion pays for some hundred
    /// of them: a context of thousands is looked at every few merges, so that checking costs a
    /// merge about the same in all.
    func takeCredit(for count: Int) -> Bool {
        credit += 400
        guard count <= credit else { return false }
        credit = 0
        return true
    }
}

/// Something that shows objects of a context.
protocol ConsistencyWitness: AnyObject {
    /// What it shows and should not.
    func inconsistencies(_ judge: ConsistencyJudge) -> [Inconsistency]
}
