/// A results controller lists what a fetch of its request gives, in that order, with the sections
/// that the objects have.
///
/// The order and the sections are checked by what is in memory; that nothing is missing, by asking
/// the stores, once the context is settled and has no changes. As on Apple's platforms a controller
/// hears nothing of related objects that its key paths lead to; what such a change would move is
/// left alone.
extension ResultsTracker: ConsistencyWitness {
    func inconsistencies(_ judge: ConsistencyJudge) -> [Inconsistency] {
        guard onChange != nil, let list else { return [] }
        let wrong = wrongObjects(list) + wrongSections(list)
        guard wrong.isEmpty, !isBehindRelated else { return wrong }
        let order = wrongOrder(list, judge)
        guard order.isEmpty, judge.isSettled else { return order }
        return wrongContent(list, judge)
    }

    private func wrongObjects(_ list: ResultsList) -> [Inconsistency] {
        var seen = Set<ObjectIdentifier>()
        return list.objects.compactMap { object in
            if !seen.insert(ObjectIdentifier(object)).inserted {
                return Inconsistency(object, "is listed twice by a results controller")
            }
            if object.flags.contains(.detached) || object.registry.context !== context {
                return Inconsistency(
                    object,
                    "is listed by a results controller, but has left the context"
                )
            }
            if object.flags.contains(.deleted) {
                return Inconsistency(object, "is listed by a results controller, but is deleted")
            }
            return nil
        }
    }

    private func wrongSections(_ list: ResultsList) -> [Inconsistency] {
        guard let first = list.objects.first, list.isSectioned else { return [] }
        var names = Set<String>()
        for section in list.sections where !names.insert(section.name).inserted {
            return [
                Inconsistency(
                    list.objects[section.start],
                    "begins a second section \"\(section.name)\" of a results controller"
                )
            ]
        }
        let count = list.sections.reduce(0) { $0 + $1.count }
        guard count != list.objects.count else { return [] }
        return [
            Inconsistency(
                first,
                "is listed with \(list.objects.count) objects, but the sections have \(count)"
            )
        ]
    }

    /// Objects that stand behind others that they belong before, or in another's section.
    private func wrongOrder(_ list: ResultsList, _ judge: ConsistencyJudge) -> [Inconsistency] {
        let layout = list.objects.first?.layout
        let keys = (request.sortDescriptors ?? []).map { $0.key ?? "" }
        let isPlain = keys.allSatisfy { key in
            layout?.slot(named: key).map { $0.kind.isInRow && !$0.isRelationship } ?? false
        }
        let hasPlainSections =
            sectionNameKeyPath.flatMap { layout?.slot(named: $0) }
            .map { $0.kind.isInRow && !$0.isRelationship } ?? false
        var found: [Inconsistency] = []
        var last: NSManagedObject?
        let order = ObjectOrder(request.sortDescriptors ?? [])
        for (index, object) in list.objects.enumerated() {
            // A fault has no values to judge by, and one that was fired later may show what is not
            // merged yet.
            guard !object.flags.contains(.fault), object.primaryKey > 0,
                object.flags.contains(.updated) || judge.isComparable(object, readAt: listedAt)
            else { continue }
            if isPlain, let last, order.isAscending(object, last) {
                found.append(
                    Inconsistency(
                        object,
                        "(\(text(object, keys))) is listed behind \(last.consistencyName) "
                            + "(\(text(last, keys))) by a results controller"
                    )
                )
            }
            last = object
            let section = list.sections[list.section(of: index)].name
            if hasPlainSections, section != sectionName(object) {
                found.append(
                    Inconsistency(
                        object,
                        "is of section \"\(sectionName(object))\", but listed in "
                            + "\"\(section)\" by a results controller"
                    )
                )
            }
        }
        return found
    }

    private func text(_ object: NSManagedObject, _ keys: [String]) -> String {
        keys.map {
            "\($0) \(object.layout.slot(named: $0).map { "\(object.slotValue($0.index))" } ?? "")"
        }
        .joined(separator: ", ")
    }

    /// Objects that a fetch gives and the list lacks, or the other way.
    private func wrongContent(_ list: ResultsList, _ judge: ConsistencyJudge) -> [Inconsistency] {
        // The list shows the context's own changes, and a parent's, which the store has not.
        guard !context.hasChanges, context.source.isStoreLevel else { return [] }
        do {
            let plan = try context.plan(request), stores = context.stores(plan, request)
            // One statement gives the order of one store only.
            guard stores.count == 1 else { return [] }
            let fetched = try CurrentContext.inside(context) { try stores[0].references(plan) }
            let listed = list.objects.map(\.anyReference)
            guard listed != fetched,
                let object = list.objects.first ?? anyObject(fetched, in: stores[0]),
                try isKnown(plan, list, in: stores[0], judge)
            else { return [] }
            return [
                Inconsistency(
                    object,
                    "is of a results controller that lists \(listed.map(\.primaryKey)), but a "
                        + "fetch gives \(fetched.map(\.primaryKey))"
                )
            ]
        } catch {
            // A store that can't be read says nothing against the list.
            return []
        }
    }

    /// A registered object of a list's, to name it by.
    private func anyObject(_ fetched: [RowReference], in store: any RowStore) -> NSManagedObject? {
        fetched.lazy.compactMap { reference in
            self.context.registry(reference.entityIndex, in: store)
                .identityMap.object(reference.primaryKey)
        }
        .first
    }

    /// Whether all that a fetch and the list are about is as this process has saved it: what others
    /// do to a store is known when it is merged, and no earlier.
    private func isKnown(
        _ plan: FetchPlan,
        _ list: ResultsList,
        in store: any RowStore,
        _ judge: ConsistencyJudge
    ) throws -> Bool {
        guard let ledger = store.coordinatorStore.ledger else { return false }
        var keys = Set<CommitLedger.Key>()
        for row in try CurrentContext.inside(context, { try store.rows(plan) }) {
            let key = context.coordinator.modelLayout.entities[row.entityIndex]
                .ledgerKey(row.primaryKey)
            keys.insert(key)
            // As on Apple's platforms, objects that the context does not know may begin to match
            // unnoticed.
            let registry = context.registry(row.entityIndex, in: store)
            guard registry.identityMap.object(row.primaryKey) != nil else { return false }
            guard let entry = ledger.entry(key) else { return false }
            switch entry.content {
            case .version(let version): guard version == row.version else { return false }
            case .foreign: guard judge.state.isTold(key, ledger, entry.number) else { return false }
            case .deleted: return false
            }
        }
        for object in list.objects
        where !keys.contains(object.layout.ledgerKey(object.primaryKey)) {
            guard let entry = judge.entry(object) else { return false }
            let row = try store.row(object.layout, object.primaryKey)
            switch entry.content {
            case .version(let version): guard version == row?.version else { return false }
            case .foreign:
                let key = object.layout.ledgerKey(object.primaryKey)
                guard judge.state.isTold(key, ledger, entry.number) else { return false }
            case .deleted: guard row == nil else { return false }
            }
        }
        return true
    }

    // MARK: Related objects

    /// Whether the request's key paths lead to related objects.
    func asksForRelated(_ layout: EntityLayout) -> Bool {
        let format = request.predicate.map(PredicatePrinter.string) ?? ""
        let keys = (request.sortDescriptors ?? []).map { $0.key ?? "" } + [sectionNameKeyPath ?? ""]
        let relationships = layout.entity.relationshipsByName.keys
        return relationships.contains { name in
            format.contains(name) || keys.contains { $0.hasPrefix(name) }
        }
    }

    /// Notes that related objects have changed, of which a controller hears nothing.
    func noteRelated(_ info: [AnyHashable: Any], _ layout: EntityLayout) {
        guard !isBehindRelated, asksForRelated(layout) else { return }
        let keys = [
            NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey,
            NSInvalidatedObjectsKey,
        ]
        isBehindRelated = keys.contains { key in
            (info[key] as? Set<NSManagedObject>)?.contains { !layout.contains($0.layout.index) }
                ?? false
        }
    }
}
