import Foundation

/// Translates predicates, sort descriptors and expressions into SQL, with bound parameters only.
///
/// The rows that SQL finds are those that `PredicateEvaluator` finds: a fragment may be NULL where
/// the evaluator says false, and negation is pushed down to where that is told apart.
///
/// Use one translator for one statement: the condition, the order and the columns share joins.
/// Read ``joins`` last.
final class PredicateTranslator {
    let model: ModelLayout
    let naming: any ColumnNaming
    /// The store whose rows constants may identify.
    let store: NSPersistentStore?
    let root: SQLObject
    /// The rows that the variables of subqueries range over.
    var variables: [String: SQLObject] = [:]
    /// Whether `sum:` and its like may mean the rows of a group: in columns and `HAVING`.
    var allowsRowAggregates = false
    private var aliasCount = 0

    /// - Parameters:
    ///   - layout: The entity that is fetched; its table's alias is `t0`.
    init(
        model: ModelLayout,
        layout: EntityLayout,
        naming: any ColumnNaming,
        store: NSPersistentStore? = nil
    ) {
        self.model = model
        self.naming = naming
        self.store = store
        let table = SQLName.quoted(naming.table(rootIndex: layout.rootIndex))
        let scope = SQLScope(from: "\(table) t0", correlation: "")
        root = SQLObject(scope: scope, layout: layout, primaryKey: "t0.Z_PK", alias: "t0")
    }

    /// What goes behind `FROM table t0`; begins with a blank if there is any.
    var joins: String { root.scope.joinSQL }

    func nextAlias() -> String {
        aliasCount += 1
        return "t\(aliasCount)"
    }

    // MARK: Predicates

    /// What goes behind `WHERE`.
    ///
    /// - Throws: `QueryError` for keys that the entity lacks and for what SQL can't do.
    func condition(_ predicate: NSPredicate) throws -> SQLFragment {
        let fragment = try condition(predicate, negated: false)
        // SQLite itself would report a stack overflow of its parser, which tells the client
        // nothing.
        guard fragment.depth <= SQLFragment.maximumDepth else {
            throw QueryError.unsupported(
                "The predicate nests AND, OR and subqueries too deeply for SQLite; write it flatter."
            )
        }
        return fragment
    }

    func condition(_ predicate: NSPredicate, negated: Bool) throws -> SQLFragment {
        switch PredicateShape(predicate) {
        case .constant(let value): return value != negated ? .true : .false
        case .not(let part): return try condition(part, negated: !negated)
        case .and(let parts): return try compound(parts, isAnd: true, negated: negated)
        case .or(let parts): return try compound(parts, isAnd: false, negated: negated)
        case .comparison(let comparison): return try leaf(comparison, negated: negated)
        case .opaque(let predicate):
            throw QueryError.unsupported(
                "Problem with subpredicate \(PredicatePrinter.string(predicate)): unsupported "
                    + "predicate in a SQLite fetch; filter the fetched objects with it instead."
            )
        }
    }

    private func compound(
        _ parts: [NSPredicate],
        isAnd: Bool,
        negated: Bool
    ) throws -> SQLFragment {
        guard !parts.isEmpty else { return isAnd != negated ? .true : .false }
        // De Morgan: the parts are negated, and the word is exchanged.
        let fragments = try parts.map { try condition($0, negated: negated) }
        return SQLFragment.joined(fragments, isAnd != negated ? "AND" : "OR")
    }

    private func leaf(_ comparison: NSComparisonPredicate, negated: Bool) throws -> SQLFragment {
        var operation = comparison.predicateOperatorType
        var isNegated = negated
        // Of the other operators none has an opposite: with a nil both `<` and `>=` are false. ANY
        // and ALL compare elements, where the opposite of "one is equal" is not "one differs".
        if negated, comparison.comparisonPredicateModifier == .direct {
            // `a IS NOT b` rather than `(a = b) IS NOT TRUE`.
            if operation == .equalTo {
                operation = .notEqualTo
                isNegated = false
            } else if operation == .notEqualTo {
                operation = .equalTo
                isNegated = false
            }
        }
        let fragment: SQLFragment
        switch comparison.comparisonPredicateModifier {
        case .direct: fragment = try direct(comparison, operation)
        case .any, .all: fragment = try quantified(comparison)
        }
        return isNegated ? Self.negated(fragment) : fragment
    }

    static func negated(_ fragment: SQLFragment) -> SQLFragment {
        if fragment == .true { return .false }
        if fragment == .false { return .true }
        // Not `NOT`, which leaves NULL as it is: there the evaluator says false, and so true here.
        return "((" + fragment.nested(2) + ") IS NOT TRUE)"
    }

    private func direct(
        _ comparison: NSComparisonPredicate,
        _ operation: NSComparisonPredicate.Operator
    ) throws -> SQLFragment {
        let left = comparison.leftExpression, right = comparison.rightExpression
        let options = comparison.options
        switch operation {
        case .in: return try membership(left, in: right, options)
        case .contains: return try membership(right, in: left, options)
        case .between: return try between(try operand(left), right, options)
        default:
            if let count = try countComparison(left, operation, right) { return count }
            return try compare(operation, options, try operand(left), try operand(right))
        }
    }

    private func between(
        _ value: SQLOperand,
        _ bounds: NSExpression,
        _ options: NSComparisonPredicate.Options
    ) throws -> SQLFragment {
        // Bounds that depend on the row stand in an aggregate expression; constant ones may come as
        // a list.
        let low: SQLOperand, high: SQLOperand
        if case .aggregate(let parts) = bounds.node, parts.count == 2 {
            low = try operand(parts[0])
            high = try operand(parts[1])
        } else if case .collection(let values)? = PredicateCompiler.constant(bounds),
            values.count == 2
        {
            low = .constant(values[0])
            high = .constant(values[1])
        } else {
            throw unsupported(bounds, "BETWEEN needs two bounds, as in {1, 10}")
        }
        let atLeast = try compare(.greaterThanOrEqualTo, options, value, low)
        let atMost = try compare(.lessThanOrEqualTo, options, value, high)
        return SQLFragment.joined([atLeast, atMost], "AND")
    }

    func unsupported(_ expression: NSExpression, _ reason: String) -> QueryError {
        .unsupported("unsupported expression \(PredicatePrinter.string(expression)): \(reason).")
    }
}
