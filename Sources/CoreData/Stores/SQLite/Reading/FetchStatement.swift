import CSQLite
import Foundation

/// The SQL of a request, with what it binds.
struct FetchStatement {
    private var sql = ""
    private var bindings: [SQLBinding] = []

    /// A statement that selects columns of the requested rows.
    init(
        _ plan: FetchPlan,
        _ rowPlan: RowPlan,
        _ schema: StoreSchema,
        store: NSPersistentStore,
        selecting list: String
    ) throws {
        guard plan.predicate != nil || !plan.sortDescriptors.isEmpty else {
            sql = "SELECT \(list) \(rowPlan.fromClause)"
            add(Self.condition(plan, rowPlan, nil))
            addLimit(plan)
            return
        }
        // One for the condition and the order: a key path that both follow is joined once.
        let translator = PredicateTranslator(
            model: schema.model,
            layout: plan.layout,
            naming: schema,
            store: store
        )
        let condition = try plan.predicate.map { try translator.condition($0) }
        let order =
            plan.sortDescriptors.isEmpty
            ? nil : try translator.order(plan.sortDescriptors)
        // After both parts, each of which may add to the joins.
        sql = "SELECT \(list) \(rowPlan.fromClause)\(translator.joins)"
        add(Self.condition(plan, rowPlan, condition))
        if let order { add(" ORDER BY " + order) }
        addLimit(plan)
    }

    /// Counts the rows of a request, its limit and offset applied.
    init(
        counting plan: FetchPlan,
        _ rowPlan: RowPlan,
        _ schema: StoreSchema,
        store: NSPersistentStore
    ) throws {
        // An order costs a sort and changes no count.
        var unordered = plan
        unordered.sortDescriptors = []
        let isLimited = plan.limit > 0 || plan.offset > 0
        try self.init(
            unordered,
            rowPlan,
            schema,
            store: store,
            selecting: isLimited ? "1" : "COUNT(*)"
        )
        // A limit applies to the rows of a result, of which COUNT gives one: it has to stand
        // inside.
        if isLimited { sql = "SELECT COUNT(*) FROM (\(sql))" }
    }

    /// A statement that selects values.
    init(
        _ plan: FetchPlan,
        _ rowPlan: RowPlan,
        columns: ColumnPlan,
        selecting list: SQLFragment,
        _ translator: PredicateTranslator
    ) throws {
        // SQL allows aggregates in columns and behind HAVING, but not behind WHERE.
        let condition = try plan.predicate.map { predicate in
            translator.allowsRowAggregates = false
            defer { translator.allowsRowAggregates = true }
            return try translator.condition(predicate)
        }
        let groups = try columns.groupBy.map { try translator.column($0) }
        let having = try columns.having.map { try translator.condition($0) }
        // All parts are translated before `joins` is read below, since each may add to it.
        let order =
            plan.sortDescriptors.isEmpty
            ? nil : try translator.order(plan.sortDescriptors)
        add((columns.isDistinct ? "SELECT DISTINCT " : "SELECT ") + list)
        sql += " \(rowPlan.fromClause)\(translator.joins)"
        add(Self.condition(plan, rowPlan, condition))
        for (index, group) in groups.enumerated() {
            add((index == 0 ? " GROUP BY " : ", ") + group)
        }
        if let having, !groups.isEmpty { add(" HAVING " + having) }
        if let order { add(" ORDER BY " + order) }
        addLimit(plan)
    }

    func prepare(_ connection: SQLiteConnection) throws(SQLiteError) -> SQLiteStatement {
        // The text has question marks for all values, so that the same request with others finds
        // its statement prepared.
        let statement = try connection.statement(sql)
        statement.bind(bindings)
        return statement
    }

    /// The whole statement, to stand inside another one.
    var fragment: SQLFragment { SQLFragment(sql, bindings) }

    // MARK: Parts

    private static func condition(
        _ plan: FetchPlan,
        _ rowPlan: RowPlan,
        _ predicate: SQLFragment?
    ) -> SQLFragment {
        var parts: [SQLFragment] = []
        if let entity = rowPlan.entityCondition { parts.append(SQLFragment(entity)) }
        if let keys = plan.primaryKeys {
            parts.append(keyCondition(keys))
        }
        if let predicate { parts.append("(" + predicate + ")") }
        guard !parts.isEmpty else { return SQLFragment("") }
        return " WHERE " + SQLFragment.joined(parts, "AND")
    }

    /// One text for any number of keys, which is prepared once.
    private static func keyCondition(_ keys: [Int64]) -> SQLFragment {
        if keys.count == 1 { return SQLFragment("\(RowPlan.alias).Z_PK = ?", [.integer(keys[0])]) }
        // In one parameter: SQLite limits their number.
        let json = "[\(keys.map(String.init).joined(separator: ","))]"
        return SQLFragment(
            "\(RowPlan.alias).Z_PK IN (SELECT value FROM json_each(?))",
            [.text(json)]
        )
    }

    private mutating func add(_ fragment: SQLFragment) {
        sql += fragment.sql
        bindings += fragment.bindings
    }

    private mutating func addLimit(_ plan: FetchPlan) {
        guard plan.limit > 0 || plan.offset > 0 else { return }
        sql += " LIMIT ? OFFSET ?"
        // OFFSET needs a LIMIT before it; -1 is none.
        bindings.append(.integer(plan.limit > 0 ? Int64(plan.limit) : -1))
        bindings.append(.integer(Int64(max(0, plan.offset))))
    }
}

extension SQLiteStatement {
    /// The value of a column, to be bound again as it is.
    func binding(_ column: Int32) -> SQLBinding {
        switch type(column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(bytes(column))
        default: .null
        }
    }

    /// Binds values from the first question mark on.
    func bind(_ bindings: [SQLBinding]) {
        var index: Int32 = 1
        for value in bindings {
            bind(index, value)
            index += 1
        }
    }

    func bind(_ index: Int32, _ value: SQLBinding) {
        switch value {
        case .null: bindNull(index)
        case .integer(let integer): bind(index, integer)
        case .real(let real): bind(index, real)
        case .text(let text): bind(index, text)
        case .blob(let data): bind(index, data)
        }
    }
}
