import CoreData
import StoreInspection

/// `mergectl model`: shows, compares and compiles models.
enum ModelCommand: Command {
    private enum Action: String, CaseIterable {
        case show, diff, hashes, compile

        /// What stands behind it, as the discussion has it.
        var names: [String] {
            switch self {
            case .show, .hashes: ["MODEL"]
            case .diff: ["OLD", "NEW"]
            case .compile: ["SOURCE", "TARGET"]
            }
        }
    }

    static let syntax = CommandSyntax(
        name: "model",
        summary: "Show, compare or compile models.",
        operands: "show|diff|hashes|compile MODEL [OTHER]",
        operandCount: 2...3,
        options: [
            .value("module", "NAME", "The module of classes whose name begins with a dot."),
            .format,
        ],
        discussion: [
            "show MODEL             what the model says",
            "diff OLD NEW           what differs, and whether stores have to be migrated",
            "hashes MODEL           the version hash of each entity",
            "compile SOURCE TARGET  write a .momd (all versions) or a .mom (the current one);",
            "                       of a .xcmappingmodel, a .cdm",
            "",
            "A model is a .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that keeps its",
            "own; compile takes no store.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        let operands = arguments.operands
        guard let action = Action(rawValue: operands[0]) else {
            let meant = Spelling.nearest(to: operands[0], among: Action.allCases.map(\.rawValue))
            throw arguments.usageError(
                "There is no action \(operands[0])."
                    + (meant.map { " Did you mean \($0)?" } ?? "")
            )
        }
        guard operands.count == action.names.count + 1 else {
            throw arguments.usageError(
                "The action \(action.rawValue) takes \(action.names.joined(separator: " and "))."
            )
        }
        let format = try arguments.choice("format", default: ReportFormat.text)
        switch action {
        case .show: try show(operands[1], format)
        case .diff: try diff(operands[1], operands[2], format)
        case .hashes: try printHashes(operands[1], format)
        case .compile: try compile(operands[1], operands[2], module: arguments["module"])
        }
    }

    // MARK: Actions

    private static func show(_ path: String, _ format: ReportFormat) throws {
        let model = try StoreAccess.model(path)
        let outline = ModelOutline(model)
        let unknown = StoreAccess.unrecognizedParts(of: model)
        if format == .json {
            try Terminal.print(JSONReport.text(ModelReport(outline, notKnown: unknown)))
            return
        }
        OutlinePrinter.lines(outline).forEach(Terminal.print)
        guard !unknown.isEmpty else { return }
        Terminal.print("\nNot known")
        unknown.forEach { Terminal.print("  " + $0) }
    }

    private static func diff(_ old: String, _ new: String, _ format: ReportFormat) throws {
        let changes = ModelChanges(
            from: ModelOutline(try StoreAccess.model(old)),
            to: ModelOutline(try StoreAccess.model(new))
        )
        if format == .json {
            try Terminal.print(JSONReport.text(ModelChangesReport(changes)))
        } else {
            OutlinePrinter.lines(changes).forEach(Terminal.print)
        }
    }

    private static func printHashes(_ path: String, _ format: ReportFormat) throws {
        let outline = ModelOutline(try StoreAccess.model(path))
        let rows = outline.entities.map { ($0.name, OutlinePrinter.hexadecimal($0.versionHash)) }
        if format == .json {
            try Terminal.print(JSONReport.text(Dictionary(rows, uniquingKeysWith: { $1 })))
        } else {
            HelpText.columns(rows).forEach(Terminal.print)
        }
    }

    private static func compile(_ source: String, _ target: String, module: String?) throws {
        try StoreAccess.compile(source, to: target, module: module)
            .forEach { Terminal.printError("mergectl: \($0)") }
    }
}
