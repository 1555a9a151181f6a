import CoreData
import MergeStack
import StoreInspection

/// `mergectl fetch`: prints objects, how many there are, or groups of them.
enum FetchCommand: Command {
    static let syntax = CommandSyntax(
        name: "fetch",
        summary: "Print the objects of an entity, their number, or groups of them.",
        operands: "ENTITY",
        operandCount: 1...1,
        options: [
            .value("model", "FILE", "The model; what the store keeps of it, if not given."),
            .value("store", "STORE", "The store to read.", isRequired: true),
            .value("where", "PREDICATE", "Which objects, for example 'elevation > 5000'."),
            .value("columns", "KEY,KEY", "What to print of each, for example 'name,country.name'."),
            .value("sort", "KEY,-KEY", "The order; a minus sign makes a key descending."),
            .value(
                "limit",
                "N",
                "How many rows at most, 0 for all; 50 on a terminal if not given."
            ),
            .flag("count", "Print how many objects there are."),
            .value("group-by", "KEY,KEY", "Print groups of objects that have these values."),
        ]
            + GroupQuery.Function.allCases.map {
                .value($0.rawValue, "KEY,KEY", help(of: $0))
            } + [.choice("format", RowFormat.self, "How rows are printed; table if not given.")]
            + CommandSyntax.Option.ofServer,
        discussion: [
            "Objects are printed while they are read, whatever their number. Keys may lead over",
            "relationships to one. Groups have a column \"count\" and one for each aggregate, such",
            "as \"max elevation\", which --sort takes, too; without --group-by all objects are one.",
            "A terminal gets the first columns that have room in a line.",
        ]
    )

    /// How many rows a terminal gets unless more are asked for.
    private static let shortLimit = 50

    private static func help(of function: GroupQuery.Function) -> String {
        switch function {
        case .sum: "Print the sum of these values in each group."
        case .avg: "Print their average."
        case .min: "Print the least of them."
        case .max: "Print the greatest of them."
        }
    }

    static func run(_ arguments: ParsedArguments) throws {
        let format = try arguments.choice("format", default: RowFormat.table)
        let standard = Terminal.isInteractive ? shortLimit : 0
        let limit = try arguments.integer("limit", default: standard, in: 0...Int.max)
        let sortKeys = keys("sort", arguments)
        var query = ObjectQuery(
            entityName: arguments.operands[0],
            predicate: try arguments["where"].map { try StoreAccess.predicate($0) },
            sortKeys: sortKeys,
            limit: limit,
            columns: keys("columns", arguments)
        )
        let groups = try groupQuery(query, arguments)
        if groups != nil { query.sortKeys = [] }
        let store = try StoreName(arguments.required("store"), arguments)
        let stack = try StoreAccess.stack(
            model: StoreAccess.model(arguments["model"], forStore: store),
            store: store,
            mustExist: true,
            isReadOnly: true
        )
        try UnknownKey.explained(in: stack.coordinator.managedObjectModel) {
            try stack.performBackgroundAndWait(saves: false) { context in
                if arguments.has("count") {
                    Terminal.print("\(try query.count(in: context))")
                } else if let groups {
                    try printGroups(groups, limit, format, in: context)
                } else {
                    try printObjects(query, format, in: context)
                }
            }
        }
        try StoreAccess.close(stack)
    }

    // MARK: Objects

    private static func printObjects(
        _ query: ObjectQuery,
        _ format: RowFormat,
        in context: NSManagedObjectContext
    ) throws {
        let printer = makePrinter(format)
        let pipeline = PagePipeline(printer)
        do {
            try query.forEachPage(in: context, pipeline.print)
        } catch {
            // What was read before the error belongs in front of its message.
            try pipeline.finish()
            throw error
        }
        try pipeline.finish()
        printer.end()
        tellColumns(printer.columnsLeftOut, "--columns chooses")
        guard query.limit > 0, printer.rowCount == query.limit else { return }
        let count = try query.count(in: context)
        if count > query.limit { tellLimit(query.limit, of: count, "objects") }
    }

    private static func makePrinter(_ format: RowFormat) -> RowPrinter {
        RowPrinter(
            format: format,
            lineWidth: Terminal.isInteractive ? Terminal.columnCount : nil
        ) { Terminal.write($0) }
    }

    private static func tellColumns(_ leftOut: [String], _ remedy: String) {
        guard !leftOut.isEmpty else { return }
        let names = leftOut.joined(separator: ", ")
        Terminal.printError("Not shown, for want of room: \(names); \(remedy).")
    }

    /// Not among the rows, which other programs may read.
    private static func tellLimit(_ limit: Int, of count: Int, _ what: String) {
        Terminal.printError("\(limit) of \(count) \(what); --limit 0 prints all of them.")
    }

    // MARK: Groups

    private static func printGroups(
        _ query: GroupQuery,
        _ limit: Int,
        _ format: RowFormat,
        in context: NSManagedObjectContext
    ) throws {
        let table = try query.table(in: context)
        let printer = makePrinter(format)
        let isCut = limit > 0 && table.rows.count > limit
        try printer.print(
            isCut ? Array(table.rows.prefix(limit)) : table.rows,
            table.columns
        )
        printer.end()
        tellColumns(printer.columnsLeftOut, "--format csv prints all of them")
        if isCut { tellLimit(limit, of: table.rows.count, "groups") }
    }

    private static func groupQuery(
        _ query: ObjectQuery,
        _ arguments: ParsedArguments
    ) throws -> GroupQuery? {
        let aggregates = GroupQuery.Function.allCases.flatMap { function in
            keys(function.rawValue, arguments).map { GroupQuery.Aggregate(function, of: $0) }
        }
        let groups = keys("group-by", arguments)
        guard !groups.isEmpty || !aggregates.isEmpty else { return nil }
        for option in ["count", "columns"] where arguments.has(option) || arguments[option] != nil {
            throw arguments.usageError(
                "--\(option) is about objects, and --group-by and aggregates about groups of them; "
                    + "leave one out."
            )
        }
        return GroupQuery(query, by: groups, aggregates, sortKeys: query.sortKeys)
    }

    private static func keys(_ option: String, _ arguments: ParsedArguments) -> [String] {
        (arguments[option] ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
