import CoreData
import MergeStack

/// `mergectl inspect`: says what is in a store.
enum InspectCommand: Command {
    static let syntax = CommandSyntax(
        name: "inspect",
        summary: "Print a store's entities, metadata and health.",
        operands: "STORE",
        operandCount: 1...1,
        options: [
            .value("model", "FILE", "The model; with it the store is opened and counted by entity.")
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        let path = arguments.operands[0]
        try StoreAccess.checkExists(path)
        let url = URL(fileURLWithPath: path)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType,
            at: url,
            options: nil
        )
        let model = try arguments["model"].map { try StoreAccess.model($0) }
        Terminal.print("Entities")
        if let model {
            let stack = try StoreAccess.stack(model: model, store: path, mustExist: true)
            printRows(try EntityCounts.counts(in: stack).map { ($0.entity, "\($0.count)") })
        } else {
            let hashes = metadata["NSStoreModelVersionHashes"] as? [String: Any] ?? [:]
            printRows(hashes.keys.sorted().map { ($0, "(give --model to count)") })
        }
        Terminal.print("\nMetadata")
        printRows(
            metadata.sorted { $0.key < $1.key }.map { ($0.key, text($0.value)) }
        )
    }

    private static func printRows(_ rows: [(String, String)]) {
        HelpText.columns(rows).forEach(Terminal.print)
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let data as Data: "\(data.count) bytes"
        case let hashes as [String: Any]: "\(hashes.count) entries"
        case let list as [Any]: list.map { "\($0)" }.joined(separator: ", ")
        default: RowPrinter.plain(value) ?? ""
        }
    }
}
