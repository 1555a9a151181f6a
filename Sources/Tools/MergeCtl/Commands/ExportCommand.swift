import CoreData
import MergeExchange

/// `mergectl export`: writes an entity's objects to a file.
enum ExportCommand: Command {
    static let syntax = CommandSyntax(
        name: "export",
        summary: "Export the objects of an entity to a CSV or JSON file.",
        operands: "FILE",
        operandCount: 1...1,
        options: [
            .value("store", "STORE", "The store to read.", isRequired: true),
            .value("entity", "NAME", "What to export, subentities included.", isRequired: true),
            .value("model", "FILE", "The model; what the store keeps of it, if not given."),
            .value("where", "PREDICATE", "Which objects, for example 'elevation > 5000'."),
        ] + CommandSyntax.Option.ofServer,
        discussion: [
            "The file ends in .csv, .tsv, .json, .jsonl or .ndjson, and takes the place of an older",
            "one when it is complete. Columns are named as an import with the same model expects",
            "them. What has no place in a file is named.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        var options = ExportOptions()
        options.predicate = try arguments["where"].map { try StoreAccess.predicate($0) }
        let store = try StoreName(arguments.required("store"), arguments)
        let entity = try arguments.required("entity")
        let path = arguments.operands[0]
        try TargetPlace.check(path)
        let stack = try StoreAccess.stack(
            model: StoreAccess.model(arguments["model"], forStore: store),
            store: store,
            mustExist: true,
            isReadOnly: true
        )
        let result: ExportResult
        do {
            result = try UnknownKey.explained(in: stack.coordinator.managedObjectModel) {
                try Exporter(stack: stack, options: options).exportFileAndWait(
                    to: URL(fileURLWithPath: path),
                    entityName: entity
                )
            }
        } catch {
            throw TargetPlace.failure(error, path)
        }
        try StoreAccess.close(stack)
        Terminal.print("\(result.rowCount) rows, \(result.byteCount) bytes.")
        if !result.leftOut.isEmpty {
            Terminal.print("Not in the file: \(result.leftOut.joined(separator: ", ")).")
        }
    }
}
