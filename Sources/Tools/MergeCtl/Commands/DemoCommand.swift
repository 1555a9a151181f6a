import CoreData
import MergeExchange
import StoreInspection

/// `mergectl demo`: the whole thing on real data.
enum DemoCommand: Command {
    static let syntax = CommandSyntax(
        name: "demo",
        summary: "Import 28,298 airports in the background and watch them arrive.",
        operands: "",
        operandCount: 0...0,
        options: [
            .value("data", "FOLDER", "Where World.xcdatamodeld is; Examples/World if not given."),
            .value("batch", "N", "Airports per save; 20 if not given."),
            .value("store", "FILE", "The store; a new one in a temporary folder if not given."),
        ],
        discussion: [
            "Two workers import, one on a private-queue context, one on a confinement context on",
            "its own thread. A results controller on the main context shows the ten highest",
            "airports of Switzerland as they come in.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        let batchSize = try arguments.integer("batch", default: 20, in: 1...1_000_000)
        let folder = arguments["data"] ?? "Examples/World"
        let store = arguments["store"] ?? temporaryStore()
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: store).deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let session = try ImportSession(
            model: StoreAccess.model("\(folder)/World.xcdatamodeld"),
            store: StoreName(file: store),
            delivery: .asynchronous
        )
        var options = ImportOptions()
        options.workers = [.privateQueue, .confinement]
        var total = ImportResult()
        for (file, entity) in [("continents.json", "Continent"), ("countries.json", "Country")] {
            total.add(
                try session.importFile("\(folder)/\(file)", entity: entity, options: options)
            )
        }
        let board = LiveBoard(context: session.stack.mainContext)
        try board.start()
        // Small batches, so that there is something to see.
        options.batchSize = batchSize
        options.onProgress = { board.note($0) }
        let airports = try session.importFile(
            "\(folder)/airports.csv",
            entity: "Airport",
            options: options,
            showsProgress: false
        )
        board.stop()
        Terminal.print("airports.csv: \(ImportSession.summary(airports))\n")
        total.add(airports)
        session.printReport(total)
        let counts = try EntityCounts.counts(in: session.stack)
        Terminal.print("\nIn the store:")
        HelpText.columns(counts.map { ($0.entity, "\($0.count)") }).forEach(Terminal.print)
        try StoreAccess.close(session.stack)
        Terminal.print("\nThe store is \(store)")
    }

    private static func temporaryStore() -> String {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("mergectl-demo-\(ProcessInfo.processInfo.processIdentifier)")
            .appendingPathComponent("World.sqlite").path
    }
}
