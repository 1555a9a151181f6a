/// One `FROM` of a statement: the fetch itself, or a subquery over a to-many relationship.
final class SQLScope {
    /// The first table, with its alias.
    let from: String
    /// What ties a subquery to the row around it; empty for the fetch itself.
    let correlation: String
    private(set) var joins: [String] = []
    private var aliasesByKey: [String: String] = [:]

    init(from: String, correlation: String) {
        self.from = from
        self.correlation = correlation
    }

    func append(join: String) { joins.append(join) }

    /// The alias of a joined row, joined once for each key.
    func alias(for key: String, join: () -> (alias: String, sql: String)) -> String {
        if let known = aliasesByKey[key] { return known }
        let (alias, sql) = join()
        joins.append(sql)
        aliasesByKey[key] = alias
        return alias
    }

    var joinSQL: String { joins.map { " " + $0 }.joined() }
}

/// A row that key paths start from or lead through.
struct SQLObject {
    let scope: SQLScope
    let layout: EntityLayout
    /// SQL for the row's primary key.
    let primaryKey: String
    /// The alias of the row's table, if it is joined already.
    var alias: String?
    /// Whether a missing row ends the path (in a collection) or counts as nil.
    var isInner = false
}

/// The values that a path through a to-many relationship leads to.
struct SQLCollection {
    let scope: SQLScope
    /// SQL and type of one element, inside the scope.
    let element: SQLFragment
    let type: SQLType
    /// The element as a row, if it is one.
    let object: SQLObject?
    /// What elements must satisfy beside the scope's correlation.
    var conditions: [SQLFragment] = []

    /// A `SELECT` of something over the elements.
    func select(_ what: String, where condition: SQLFragment? = nil) -> SQLFragment {
        var parts = conditions
        if let condition { parts.append(condition) }
        var fragment = SQLFragment(
            "SELECT \(what) FROM \(scope.from)\(scope.joinSQL) WHERE \(scope.correlation)"
        )
        for part in parts { fragment = fragment + " AND (" + part.nested(12) + ")" }
        return fragment
    }

    /// A `SELECT` of an aggregate of the elements.
    func select(aggregate function: String) -> SQLFragment {
        var fragment =
            SQLFragment("SELECT \(function)(") + element
            + ") FROM \(scope.from)\(scope.joinSQL) WHERE \(scope.correlation)"
        for condition in conditions {
            fragment = fragment + " AND (" + condition.nested(14) + ")"
        }
        return fragment
    }
}
