import CoreData
import StoreInspection

/// `mergectl fetch`: prints objects.
enum FetchCommand: Command {
    static let syntax = CommandSyntax(
        name: "fetch",
        summary: "Print the objects of an entity.",
        operands: "ENTITY",
        operandCount: 1...1,
        options: [
            .value("model", "FILE", "The model; what the store keeps of it, if not given."),
            .value("store", "FILE", "The store to read.", isRequired: true),
            .value("where", "PREDICATE", "Which objects, for example 'elevation > 5000'."),
            .value("sort", "KEY,-KEY", "The order; a minus sign makes a key descending."),
            .value("limit", "N", "How many objects at most."),
            .value("format", "FORMAT", "table (default), csv or json."),
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        let format = try arguments.choice("format", default: RowFormat.table)
        let limit = try arguments.integer("limit", default: 0, in: 0...Int.max)
        let predicate = try arguments["where"].map { try StoreAccess.predicate($0) }
        let sortKeys = arguments["sort"]?.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let stack = try StoreAccess.stack(
            model: StoreAccess.model(
                arguments["model"],
                forStore: arguments.required("store")
            ),
            store: arguments.required("store"),
            mustExist: true,
            isReadOnly: true
        )
        let query = ObjectQuery(
            entityName: arguments.operands[0],
            predicate: predicate,
            sortKeys: sortKeys ?? [],
            limit: limit
        )
        let text = try stack.performBackgroundAndWait(saves: false) { context in
            let table = try query.table(in: context)
            return try RowPrinter(format: format, columns: table.columns).text(table.rows)
        }
        try StoreAccess.close(stack)
        Terminal.print(text)
    }
}
