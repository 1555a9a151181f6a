import Foundation

extension MemoryRowStore {
    func rows(_ plan: FetchPlan) throws -> [Row] {
        // One copy of the tables for the whole request: key paths lead to rows of the same moment.
        let evaluation = MemoryEvaluation(try snapshot(for: plan.layout))
        let rows = try matching(plan, evaluation)
        return Array(Self.limited(rows[...], plan))
    }

    func references(_ plan: FetchPlan) throws -> [RowReference] {
        try rows(plan).map(\.reference)
    }

    func count(_ plan: FetchPlan) throws -> Int {
        var unordered = plan
        // The order makes no difference to the number, even under a limit.
        unordered.sortDescriptors = []
        return try rows(unordered).count
    }

    func row(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        try snapshot(for: layout).row(layout, primaryKey)
    }

    func cachedRow(_ layout: EntityLayout, _ primaryKey: Int64) -> RowCache.Entry {
        content.state.withLock { $0.tables?.entry(layout, primaryKey) } ?? .unknown
    }

    /// Does nothing: the rows are all there is.
    func invalidateRow(_ layout: EntityLayout, _ primaryKey: Int64) {}

    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [RowReference] {
        try snapshot(for: layout).related(slot, primaryKey)
    }

    /// The rows of a request in its order, before limit and offset.
    func matching(_ plan: FetchPlan, _ evaluation: MemoryEvaluation) throws -> [Row] {
        let rows = evaluation.tables.rows(
            plan.layout,
            includesSubentities: plan.includesSubentities,
            keys: plan.primaryKeys
        )
        guard plan.predicate != nil || !plan.sortDescriptors.isEmpty else { return rows }
        // An evaluator stops the process at a key that is not there.
        let validation = PredicateValidation(model: evaluation.tables.model, layout: plan.layout)
        if let predicate = plan.predicate { try validation.check(predicate) }
        try validation.check(plan.sortDescriptors)
        var sources = rows.map { MemoryRowSource($0, evaluation) }
        if let predicate = plan.predicate {
            let rows = try PredicateRewriting.forRows(predicate, in: self)
            let evaluator = PredicateEvaluator(rows)
            sources = sources.filter { evaluator.evaluate($0) }
        }
        if !plan.sortDescriptors.isEmpty {
            let comparator = SortKeyComparator(plan.sortDescriptors)
            let sorted = sources.map(SortSubject.init).sorted { left, right in
                switch comparator.compare(left, right) {
                case .orderedAscending: true
                case .orderedDescending: false
                // As in SQL, where the primary key is the last to sort by.
                case .orderedSame: left.source.row.primaryKey < right.source.row.primaryKey
                }
            }
            sources = sorted.map(\.source)
        }
        if let error = evaluation.keyError { throw error }
        return sources.map(\.row)
    }

    static func limited<Element>(
        _ elements: ArraySlice<Element>,
        _ plan: FetchPlan
    ) -> ArraySlice<Element> {
        let rest = elements.dropFirst(max(0, plan.offset))
        return plan.limit > 0 ? rest.prefix(plan.limit) : rest
    }
}
