import CSQLite
import Foundation

/// A statement that changes all rows of a request, and says which ones those are.
struct BatchStatement {
    private let sql: SQLFragment
    /// Selects the keys of the rows.
    private let keys: SQLFragment
    private let tableName: String
    /// The columns of external values that are replaced or deleted.
    private let externalColumns: [String]

    /// Deletes the rows of a plan.
    init(deleting plan: FetchPlan, _ open: OpenSQLiteStore, store: SQLiteStore) throws {
        let rowPlan = try open.plan(plan.layout, includesSubentities: plan.includesSubentities)
        keys = try Self.keys(plan, rowPlan, open, store)
        tableName = rowPlan.tableName
        let family = open.schema.model.entities[plan.layout.index...plan.layout.lastDescendantIndex]
        let columns = family.flatMap { entity in
            entity.slots.filter(\.allowsExternalStorage)
                .compactMap { open.schema.columns(entity, $0.index).value }
        }
        // Inherited columns come again with each sub-entity; sorted, the same request runs the same
        // statements.
        externalColumns = Set(columns).sorted()
        // By keys: a predicate may need joins, and a request have a limit, neither of which SQL
        // has here.
        sql =
            "DELETE FROM \(SQLName.quoted(rowPlan.tableName)) WHERE Z_PK IN (" + keys
            + ") RETURNING Z_PK, Z_ENT, Z_OPT"
    }

    /// Updates the rows of a plan.
    init(updating batch: BatchUpdate, _ open: OpenSQLiteStore, store: SQLiteStore) throws {
        let plan = batch.plan
        let rowPlan = try open.plan(plan.layout, includesSubentities: plan.includesSubentities)
        keys = try Self.keys(plan, rowPlan, open, store)
        tableName = rowPlan.tableName
        externalColumns = batch.values.filter { $0.slot.allowsExternalStorage }
            .compactMap { open.schema.columns(plan.layout, $0.slot.index).value }
        let translator = PredicateTranslator(
            model: open.schema.model,
            layout: plan.layout,
            naming: open.schema,
            store: store
        )
        // The version rises, so that a context that has the old row finds out when it saves.
        var assignments = SQLFragment("Z_OPT = IFNULL(Z_OPT, 0) + 1")
        for (slot, value) in batch.values {
            let columns = open.schema.columns(plan.layout, slot.index)
            guard let column = columns.value else {
                throw CocoaError.storeOperation(
                    open.file.url,
                    "\(plan.layout.name).\(slot.name) is not in the store's table and can't be "
                        + "updated by a batch"
                )
            }
            let content: SQLFragment
            switch value {
            case .constant(let constant):
                content = SQLFragment("?", [SQLBinding(constant, slot)])
                if let entityColumn = columns.destinationEntity {
                    // Both columns of a to-one change together: the number says of which entity the
                    // new key is.
                    var number = SQLBinding.null
                    if case .reference(let reference) = constant {
                        number = .integer(Int64(open.schema.numbers[reference.entityIndex]))
                    }
                    assignments =
                        assignments + ", \(SQLName.quoted(entityColumn)) = "
                        + SQLFragment("?", [number])
                }
            case .expression(let expression):
                content = try Self.content(expression, slot, translator)
            }
            assignments = assignments + ", \(SQLName.quoted(column)) = " + content
            // The place was one in the old owner's collection.
            if let order = columns.order {
                assignments = assignments + ", \(SQLName.quoted(order)) = NULL"
            }
        }
        sql =
            "UPDATE \(SQLName.quoted(rowPlan.tableName)) AS \(RowPlan.alias) SET " + assignments
            + " WHERE \(RowPlan.alias).Z_PK IN (" + keys
            + ") RETURNING Z_PK, Z_ENT, Z_OPT"
    }

    /// Which rows the statement changes, as a condition on their table.
    var condition: SQLFragment { "Z_PK IN (" + keys + ")" }

    /// Runs the statement; the rows that it changed.
    func run(_ writer: StoreWriter, _ rowPlan: RowPlan) throws -> [VersionedReference] {
        // Before the statement runs: afterwards nothing names the files any more.
        try writer.willRemoveExternalValues(
            externalColumns,
            table: tableName,
            condition: condition
        )
        let statement = try writer.connection.statement(sql.sql)
        defer { statement.clear() }
        statement.bind(sql.bindings)
        var rows: [VersionedReference] = []
        // SQLite has made all changes before it returns the first row
        // (sqlite.org/lang_returning.html): an error in between undoes them with the transaction.
        while try statement.step() {
            rows.append(
                VersionedReference(
                    reference: try rowPlan.reference(statement),
                    version: Int32(truncatingIfNeeded: statement.integer(2))
                )
            )
        }
        return rows
    }

    // MARK: Parts

    private static func keys(
        _ plan: FetchPlan,
        _ rowPlan: RowPlan,
        _ open: OpenSQLiteStore,
        _ store: SQLiteStore
    ) throws -> SQLFragment {
        try FetchStatement(
            plan,
            rowPlan,
            open.schema,
            store: store,
            selecting: "\(RowPlan.alias).Z_PK"
        ).fragment
    }

    private static func content(
        _ expression: NSExpression,
        _ slot: PropertySlot,
        _ translator: PredicateTranslator
    ) throws -> SQLFragment {
        guard case .sql(let sql, let type) = try translator.operand(expression) else {
            throw QueryError.unsupported(
                "The new value of \(slot.name) is a constant in an expression that is none: use "
                    + "the value itself."
            )
        }
        // The translator's joins belong behind the FROM of a query, and the statement has none.
        guard translator.joins.isEmpty else {
            throw QueryError.unsupported(
                "The new value of \(slot.name) follows a relationship: a batch update takes the "
                    + "attributes of the row itself only."
            )
        }
        guard SQLType(slot, rootIndex: slot.destinationIndex).compares(with: type) else {
            throw QueryError.unsupported(
                "The new value of \(slot.name) is of another type than the attribute."
            )
        }
        switch slot.kind.form {
        // Arithmetic may give a real number, which a reader would refuse in a column of whole
        // numbers.
        case .integer, .boolean: return type == .integer ? sql : "CAST(" + sql + " AS INTEGER)"
        default: return sql
        }
    }
}
