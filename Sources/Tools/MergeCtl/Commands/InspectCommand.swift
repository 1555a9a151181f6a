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
            ),
            .format,
        ] + CommandSyntax.Option.ofServer,
        discussion: [
            "Nothing is written. Of a damaged store all is printed that can be read, and the tool",
            "ends with 1.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        let store = try StoreName(arguments.operands[0], arguments)
        let path = store.text
        let format = try arguments.choice("format", default: ReportFormat.text)
        let contents = try contents(of: store, arguments["model"])
        switch format {
        case .text: printText(contents)
        case .json: try Terminal.print(JSONReport.text(InspectionReport(path, contents)))
        }
        guard contents.problems.isEmpty else {
            throw CommandError("The store \(path) is damaged; restore it from a backup.")
        }
    }

    private static func contents(
        of store: StoreName,
        _ modelPath: String?
    ) throws -> StoreContents {
        guard !store.isOnServer else {
            let model = try StoreAccess.model(modelPath, forStore: store)
            return try StoreContents(onServer: store, model: model)
        }
        // No more: what is damaged is to be told.
        try StorePlace.checkIsFile(store.text)
        let model = try modelPath.map { try StoreAccess.model($0) }
        return try StorePlace.explained(store.text) {
            try StoreContents(at: URL(fileURLWithPath: store.text), model: model)
        }
    }

    // MARK: Text

    private static func printText(_ contents: StoreContents) {
        Terminal.print("Entities")
        printRows(contents.counts.map { ($0.name, "\($0.count)") })
        for entity in contents.model.map(ModelOutline.init)?.entities ?? [] {
            Terminal.print("\n" + ModelPrinter.title(entity))
            printRows(ModelPrinter.rows(entity))
        }
        if let file = contents.file {
            Terminal.print("\nFile")
            printRows(rows(file))
        }
        if let server = contents.server {
            Terminal.print("\nServer")
            printRows(server.rows)
        }
        Terminal.print("\nMetadata")
        printRows(contents.metadata.sorted { $0.key < $1.key }.map { ($0.key, text($0.value)) })
        Terminal.print("\nIntegrity")
        contents.problems.forEach { Terminal.print("  " + $0) }
        guard contents.problems.isEmpty else { return }
        let unchecked = contents.server == nil ? "not checked on this system" : "the server's own"
        Terminal.print("  " + (contents.isChecked ? "ok" : unchecked))
    }

    private static func rows(_ file: StoreContents.FileFacts) -> [(String, String)] {
        var rows: [(String, String)] = []
        if let history = file.history {
            let counts =
                "\(history.transactionCount) transactions, \(history.changeCount) changes"
            rows.append(("History", counts))
            if let first = history.first, let last = history.last {
                rows += [("From", first), ("To", last)]
            }
            let authors = history.authors.joined(separator: ", ")
            rows.append(("Authors", authors.isEmpty ? "not named" : authors))
        } else {
            rows.append(("History", "none"))
        }
        rows.append(("Values in files", "\(file.externalFileCount)"))
        rows.append(("Own model", file.ownModelProblem ?? "yes"))
        return rows
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
