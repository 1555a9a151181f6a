/// An object without unsaved changes shows what the row cache or the store has, as far as its
/// context has merged the saves of others: all of it, once the context is settled.
struct FreshnessInvariant {
    private let judge: ConsistencyJudge
    init(_ judge: ConsistencyJudge) { self.judge = judge }

    func check(_ objects: [NSManagedObject]) -> [Inconsistency] {
        objects.flatMap { object -> [Inconsistency] in
            guard object.registry.store != nil, !object.flags.contains(.detached) else { return [] }
            return [wrongRow(object), wrongDeletion(object)].compactMap(\.self)
                + wrongToOnes(object)
        }
    }

    /// An object that shows an older row than the one that its context was told of, or another one
    /// of the same version.
    private func wrongRow(_ object: NSManagedObject) -> Inconsistency? {
        guard object.flags.isDisjoint(with: [.inserted, .updated, .deleted, .gone, .fault]),
            let row = object.row, let entry = judge.entry(object),
            judge.mustKnow(entry, of: object)
        else { return nil }
        switch entry.content {
        case .foreign: return nil
        // A row that is there all the same was inserted again, and the merge has left the object.
        case .deleted:
            guard judge.rowBelow(object) == nil, !judge.isChangedBelow(object) else { return nil }
            return Inconsistency(
                object,
                "shows version \(row.version) of a row, but a save that is merged has deleted it"
            )
        case .version(let version):
            // A child's save goes into its parent, whatever others have saved below it.
            let isOnTop = judge.context.source.isStoreLevel
            guard isOnTop || row.version < version && judge.isComparable(object, readAt: 0) else {
                return nil
            }
            // A later row than that was read ahead of its merge, which is no fault.
            guard row.version <= version, let now = judge.rowBelow(object),
                row.version < version || now.version == row.version,
                let slot = row.firstDifference(from: now, object.layout),
                !judge.isChangedBelow(object)
            else { return nil }
            return Inconsistency(
                object,
                "shows \(row.consistencyText(slot)) for \(slot.name) (version \(row.version)), but "
                    + "below it is \(now.consistencyText(slot)) (version \(now.version))"
            )
        }
    }

    /// An object that counts as deleted by others while the row is there.
    private func wrongDeletion(_ object: NSManagedObject) -> Inconsistency? {
        guard object.flags.contains(.gone), judge.context.source.isStoreLevel,
            let store = object.registry.store, let entry = judge.entry(object),
            judge.mustKnow(entry, of: object), case .version(let version) = entry.content,
            case .row = store.cachedRow(object.layout, object.primaryKey)
        else { return nil }
        return Inconsistency(
            object,
            "counts as deleted by a save that was merged, but its row is there (version \(version))"
        )
    }

    /// To-one relationships that were read, are not changed, and show another object than the row.
    private func wrongToOnes(_ object: NSManagedObject) -> [Inconsistency] {
        guard let overlay = object.overlay, let row = object.row,
            object.flags.isDisjoint(with: [.inserted, .deleted, .gone, .fault])
        else { return [] }
        return object.layout.toOneSlots.compactMap { slot in
            let (isRead, content) = overlay.box(slot)
            guard isRead, !overlay.changed.contains(slot) else { return nil }
            let shown = (content as? NSManagedObject).map(\.anyReference)
                .map(judge.context.current)
            let stored = row.reference(slot).map(judge.context.current)
            guard shown?.primaryKey != stored?.primaryKey else { return nil }
            let name = (content as? NSManagedObject)?.consistencyName ?? "nil"
            return Inconsistency(
                object,
                "shows \(name) for \(object.layout.slots[slot].name), but its row has "
                    + (stored.map { "p\($0.primaryKey)" } ?? "nil")
            )
        }
    }
}
