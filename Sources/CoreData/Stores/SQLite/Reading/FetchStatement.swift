import CSQLite
import Foundation

/// The SQL of a request, with what it binds.
struct FetchStatement {
    private var sql: String
    private var bindings: [SQLValue] = []

    /// What a statement binds.
    enum SQLValue {
        case integer(Int64)
        case text(String)
    }

    init(_ plan: FetchPlan, _ rowPlan: RowPlan, _ schema: StoreSchema, selecting list: String) throws {
        sql = "SELECT \(list) FROM \(SQLName.quoted(rowPlan.tableName)) AS \(RowPlan.alias)"
        try addConditions(plan, rowPlan)
        addLimit(plan)
    }

    /// Counts the rows of a request, its limit and offset applied.
    init(counting plan: FetchPlan, _ rowPlan: RowPlan, _ schema: StoreSchema) throws {
        var unlimited = plan
        unlimited.sortDescriptors = []
        let isLimited = plan.limit > 0 || plan.offset > 0
        let list = isLimited ? "1" : "COUNT(*)"
        sql = "SELECT \(list) FROM \(SQLName.quoted(rowPlan.tableName)) AS \(RowPlan.alias)"
        try addConditions(unlimited, rowPlan)
        if isLimited {
            addLimit(plan)
            sql = "SELECT COUNT(*) FROM (\(sql))"
        }
    }

    func prepare(_ connection: SQLiteConnection) throws -> SQLiteStatement {
        let statement = try connection.statement(sql)
        for (index, value) in bindings.enumerated() {
            switch value {
            case .integer(let integer): statement.bind(Int32(index + 1), integer)
            case .text(let text): statement.bind(Int32(index + 1), text)
            }
        }
        return statement
    }

    private mutating func addConditions(_ plan: FetchPlan, _ rowPlan: RowPlan) throws {
        var conditions = [rowPlan.entityCondition].compactMap(\.self)
        if let keys = plan.primaryKeys {
            // One statement for any number of keys, which is prepared once.
            conditions.append("\(RowPlan.alias).Z_PK IN (SELECT value FROM json_each(?))")
            bindings.append(.text("[\(keys.map(String.init).joined(separator: ","))]"))
        }
        if !conditions.isEmpty { sql += " WHERE \(conditions.joined(separator: " AND "))" }
    }

    private mutating func addLimit(_ plan: FetchPlan) {
        guard plan.limit > 0 || plan.offset > 0 else { return }
        sql += " LIMIT ? OFFSET ?"
        bindings.append(.integer(plan.limit > 0 ? Int64(plan.limit) : -1))
        bindings.append(.integer(Int64(max(0, plan.offset))))
    }
}
