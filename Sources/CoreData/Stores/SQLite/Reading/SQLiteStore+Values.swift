import CSQLite
import Foundation

extension SQLiteStore {
    func values(_ plan: FetchPlan, columns: ColumnPlan) throws -> [[Any?]] {
        let open = try opened()
        let rowPlan = try open.plan(plan.layout, includesSubentities: plan.includesSubentities)
        guard plan.primaryKeys?.isEmpty != true else { return [] }
        let translator = PredicateTranslator(
            model: open.schema.model,
            layout: plan.layout,
            naming: open.schema,
            store: self
        )
        translator.allowsRowAggregates = true
        // Before the statement is made: columns add to the translator's joins.
        let readers = try columns.columns.map {
            try ValueColumn($0, plan, translator, open.schema)
        }
        var list = SQLFragment("")
        for selection in readers.compactMap(\.selection) {
            list = (list.sql.isEmpty ? list : list + ", ") + selection
        }
        // Constants need no column, but a row has to come for each result.
        if list.sql.isEmpty { list = SQLFragment("1") }
        let fetch = try FetchStatement(
            plan,
            rowPlan,
            columns: columns,
            selecting: list,
            translator
        )
        return try translatingErrors {
            try open.readers.withConnection { connection in
                let statement = try fetch.prepare(connection)
                defer { statement.clear() }
                var result: [[Any?]] = []
                while try statement.step() {
                    var index: Int32 = 0
                    result.append(
                        try readers.map {
                            try $0.value(statement, &index, open.schema, open.file)
                        }
                    )
                }
                return result
            }
        }
    }
}
