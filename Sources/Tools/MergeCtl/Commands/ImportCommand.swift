import CoreData
import MergeExchange
import MergeStack

/// `mergectl import`: imports files into a store.
enum ImportCommand: Command {
    enum DeliveryChoice: String, CaseIterable {
        case async, sync
    }

    static let syntax = CommandSyntax(
        name: "import",
        summary: "Import CSV and JSON files into a store.",
        operands: "FILE…",
        operandCount: 1...Int.max,
        options: [
            .value(
                "model",
                "FILE",
                "The model, a .xcdatamodeld, .xcdatamodel, .momd or .mom.",
                isRequired: true
            ),
            .value("store", "FILE", "The store; it is made if it is not there.", isRequired: true),
            .value("entity", "NAME", "What the records are.", isRequired: true),
            .value("batch", "N", "Records per save; 1000 if not given."),
            .value("workers", "N", "Background contexts at work at once; 1 if not given."),
            .value("delivery", "KIND", "async (default), or sync: a save waits for its merge."),
            .flag("confinement", "Use confinement contexts, each on a thread of its own."),
            .flag("strict", "Keep nothing of a file that has a bad record."),
        ],
        discussion: [
            "Files end in .csv, .tsv, .json, .jsonl or .ndjson. Where columns go is said in the",
            "user info of the model. Bad records are reported with file and line, and left out.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        var options = ImportOptions()
        options.batchSize = try arguments.integer("batch", default: 1000, in: 1...1_000_000)
        let workerCount = try arguments.integer("workers", default: 1, in: 1...64)
        let kind: BackgroundContextKind =
            arguments.has("confinement") ? .confinement : .privateQueue
        options.workers = Array(repeating: kind, count: workerCount)
        options.isStrict = arguments.has("strict")
        let delivery = try arguments.choice("delivery", default: DeliveryChoice.async)
        let entity = try arguments.required("entity")
        for file in arguments.operands where !FileManager.default.fileExists(atPath: file) {
            throw CommandError("There is no file \(file).")
        }
        let session = try ImportSession(
            model: StoreAccess.model(arguments.required("model")),
            store: arguments.required("store"),
            delivery: delivery == .sync ? .synchronous : .asynchronous
        )
        var total = ImportResult()
        for file in arguments.operands {
            total.add(try session.importFile(file, entity: entity, options: options))
        }
        session.printReport(total)
        try StoreAccess.close(session.stack)
    }
}
