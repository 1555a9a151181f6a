/// The version of the row that an object shows never goes down.
struct VersionInvariant {
    private let judge: ConsistencyJudge
    init(_ judge: ConsistencyJudge) { self.judge = judge }

    func check(_ objects: [NSManagedObject]) -> [Inconsistency] {
        objects.compactMap { object in
            guard object.primaryKey > 0, let row = object.row,
                object.flags.isDisjoint(with: [.gone, .detached]),
                let ledger = object.registry.store?.coordinatorStore.ledger
            else { return nil }
            let key = object.layout.ledgerKey(object.primaryKey)
            let before = judge.state.shown(key, ledger)
            // Noted whatever is found, so that one step back is reported once.
            judge.state.show(key, ledger, row.version)
            guard let before, row.version < before, !hasBegunAnew(object, row),
                !mayFallBehind(object)
            else { return nil }
            return Inconsistency(
                object,
                "shows version \(row.version) of its row, but showed version \(before) before"
            )
        }
    }

    /// Whether the row was deleted and inserted again, as the overwriting policy does: versions
    /// begin anew then.
    private func hasBegunAnew(_ object: NSManagedObject, _ row: Row) -> Bool {
        guard let entry = judge.entry(object) else { return false }
        return entry.content == .version(row.version) || entry.content == .foreign
            || entry.number == .max
    }

    /// Whether an object is of a child that merges nothing. Its parent shows what it has read, while a
    /// fetch through the parent finds what is in the store: a predicate is to hold for what it finds.
    private func mayFallBehind(_ object: NSManagedObject) -> Bool {
        object.registry.isNested && !judge.context.automaticallyMergesChangesFromParent
    }
}
