import Foundation

extension MemoryRowStore {
    func values(_ plan: FetchPlan, columns: ColumnPlan) throws -> [[Any?]] {
        let evaluation = MemoryEvaluation(try snapshot(for: plan.layout))
        let validation = PredicateValidation(model: evaluation.tables.model, layout: plan.layout)
        for expression in columns.groupBy { try validation.check(expression) }
        if let having = columns.having { try validation.check(having) }
        for column in columns.columns {
            switch column {
            case .keyPath(let path): try validation.check(NSExpression(forKeyPath: path))
            case .expression(let expression, _): try validation.check(expression)
            case .objectID: break
            }
        }
        let sources = try matching(plan, evaluation).map { MemoryRowSource($0, evaluation) }
        var results: [[Any?]] = []
        let rows = RowAggregation(model: evaluation.tables.model, layout: plan.layout)
        for group in Self.groups(sources, columns, rows) {
            let reader = GroupReader(rows: group)
            // As the SQLite store does, which writes HAVING behind GROUP BY only.
            if let having = columns.having, !columns.groupBy.isEmpty, !reader.holds(having) {
                continue
            }
            results.append(columns.columns.map { reader.value($0, plan.layout, evaluation) })
        }
        if let error = evaluation.keyError { throw error }
        // Before limit and offset, which count the results that are left, as in SQL.
        if columns.isDistinct {
            var seen: Set<[AnyHashable?]> = []
            results = results.filter { seen.insert($0.map(Self.resultKey)).inserted }
        }
        return Array(Self.limited(results[...], plan))
    }

    /// What a value of a result is known by.
    private static func resultKey(_ value: Any?) -> AnyHashable? {
        value.flatMap { HashableDecimalNumber.hashable($0) as? AnyHashable }
    }

    /// Rows with the same values; all rows, if there are aggregates and nothing to group by; else
    /// each row by itself.
    private static func groups(
        _ sources: [MemoryRowSource],
        _ columns: ColumnPlan,
        _ rows: RowAggregation
    ) -> [[MemoryRowSource]] {
        if !columns.groupBy.isEmpty {
            let values = columns.groupBy.map { PredicateCompiler.value($0) }
            // Groups keep the order of their first rows, which are sorted by now.
            var places: [[AnyHashable?]: Int] = [:]
            var groups: [[MemoryRowSource]] = []
            for source in sources {
                let key = values.map { compiled -> AnyHashable? in
                    let value = compiled(EvaluationScope(root: .object(source)))
                    return QueryComparison.identity(value) ?? resultKey(value.anyValue)
                }
                if let place = places[key] {
                    groups[place].append(source)
                } else {
                    places[key] = groups.count
                    groups.append([source])
                }
            }
            return groups
        }
        let hasAggregate = columns.columns.contains { column in
            guard case .expression(let expression, _) = column else { return false }
            return rows.containsAggregate(expression)
        }
        return hasAggregate ? [sources] : sources.map { [$0] }
    }
}

/// Computes the columns of a group of rows.
private struct GroupReader {
    let rows: [MemoryRowSource]

    func holds(_ predicate: NSPredicate) -> Bool {
        guard let first = rows.first else { return false }
        return PredicateEvaluator(aggregating.predicate(predicate)).evaluate(first)
    }

    func value(
        _ column: ColumnPlan.Column,
        _ layout: EntityLayout,
        _ evaluation: MemoryEvaluation
    ) -> Any? {
        switch column {
        case .objectID: return rows.first?.row.reference
        case .keyPath(let path):
            guard let first = rows.first else { return nil }
            // The first row stands for its group: in what it is grouped by all are the same, and of
            // other columns SQL takes those of some row, too.
            let kind = Self.kind(path, layout, evaluation.tables.model)
            return Self.result(KeyPathSteps(path).value(from: .object(first)), kind)
        case .expression(let expression, let type):
            let scope = EvaluationScope(root: rows.first.map { .object($0) } ?? .null)
            let value = PredicateCompiler.value(aggregating.expression(expression))(scope)
            return Self.result(value, StorageKind(type))
        }
    }

    /// Replaces aggregates over the rows of the group by their values.
    private var aggregating: PredicateRewriting {
        PredicateRewriting { expression, _ in
            guard case .function(let name, let arguments) = expression.node,
                let function = QueryFunction(rawValue: name), function.isAggregate,
                arguments.count == 1
            else { return nil }
            let compiled = PredicateCompiler.value(arguments[0])
            var values: [QueryValue] = []
            for row in rows {
                let value = compiled(EvaluationScope(root: .object(row)))
                // The aggregate of a to-many relationship is one of each row by itself.
                if case .collection = value { return nil }
                if !value.isNull { values.append(value) }
            }
            return NSExpression(.constant(function.call([.collection(values)]).anyValue))
        }
    }

    /// How the property that a path ends at is kept; nil if it ends at something computed.
    private static func kind(
        _ path: String,
        _ layout: EntityLayout,
        _ model: ModelLayout
    ) -> StorageKind? {
        var layout = layout
        var kind: StorageKind?
        for key in path.split(separator: ".") {
            guard let slot = layout.slot(named: String(key)) else { return nil }
            kind = slot.kind
            if slot.isRelationship { layout = model.entities[slot.destinationIndex] }
        }
        return kind
    }

    /// The value as an SQLite store gives it.
    private static func result(_ value: QueryValue, _ kind: StorageKind?) -> Any? {
        switch value {
        case .object(let source as DictionarySource): source.original
        case .object(let source): (source as? MemoryRowSource)?.row.reference
        default:
            if let kind = kind.flatMap(AttributeKinds.kind(of:)) {
                kind.result(value)
            } else {
                value.anyValue
            }
        }
    }
}
