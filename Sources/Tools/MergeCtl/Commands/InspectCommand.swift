import CoreData
import StoreInspection

/// `mergectl inspect`: says what is in a store.
enum InspectCommand: Command {
    static let syntax = CommandSyntax(
        name: "inspect",
        summary: "Print a store's entities, metadata, history and health.",
        operands: "STORE",
        operandCount: 1...1,
        options: [
            .value(
                "model",
                "FILE",
                "The model; the store is opened with it. Else the store's own is told."
            )
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
        let contents = try StoreContents(at: url, model: model)
        Terminal.print("Entities")
        printRows(contents.counts)
        for entity in (model ?? contents.model).map(ModelOutline.init)?.entities ?? [] {
            Terminal.print("\n" + ModelPrinter.title(entity))
            printRows(ModelPrinter.rows(entity))
        }
        if !contents.facts.isEmpty {
            Terminal.print("\nFile")
            printRows(contents.facts)
        }
        Terminal.print("\nMetadata")
        printRows(metadata.sorted { $0.key < $1.key }.map { ($0.key, text($0.value)) })
        Terminal.print("\nIntegrity")
        guard contents.problems.isEmpty else {
            contents.problems.forEach { Terminal.print("  " + $0) }
            throw CommandError("The store \(path) is damaged; restore it from a backup.")
        }
        Terminal.print("  " + (contents.isChecked ? "ok" : "not checked on this system"))
    }

    private static func printRows(_ rows: [(String, String)]) {
        HelpText.columns(rows).forEach(Terminal.print)
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let data as Data: "\(data.count) bytes"
        case let hashes as [String: Any]: "\(hashes.count) entries"
        case let list as [Any]: list.map { "\($0)" }.joined(separator: ", ")
        default: RowText.plain(value) ?? ""
        }
    }
}
