import CoreData
import MergeStack

/// `mergectl watch`: prints what other processes write to a store, as it reaches the main context.
enum WatchCommand: Command {
    static let syntax = CommandSyntax(
        name: "watch",
        summary: "Print what other processes write to a store, as it is merged.",
        operands: "",
        operandCount: 0...0,
        options: [
            .value("store", "STORE", "The store; a file must be there.", isRequired: true),
            .value("model", "FILE", "The model; the store's own if not given."),
            .value("merges", "N", "End after so many merges; otherwise with an interrupt."),
        ] + CommandSyntax.Option.ofServer,
        discussion: [
            "Each line says who wrote, and of each entity how many objects were inserted (+),",
            "updated (~) and deleted (-), how many the main context finds afterwards, and how long",
            "after the save it does, by the clocks of both.",
            "The store keeps a history from then on. A process that has it open already goes on",
            "without; start the writer after the watcher.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        let store = try StoreName(arguments.required("store"), arguments)
        let limit = try arguments.integer("merges", default: .max, in: 1...Int.max)
        let limitReached = DispatchSemaphore(value: 0)
        let counter = MergeCounter(limit: limit)
        let options = MergeOptions(remoteChanges: .merged) { report in
            if report.dropReason == nil, counter.count() { limitReached.signal() }
        }
        let stack = try StoreAccess.stack(
            model: StoreAccess.model(arguments["model"], forStore: store),
            store: store,
            mustExist: true,
            tracksHistory: true,
            options: options
        )
        let token = NotificationCenter.default.addObserver(
            forName: DidSaveMerger.didMergeNotification,
            object: nil,
            queue: nil
        ) { notification in
            guard let report = notification.userInfo?[DidSaveMerger.reportKey] as? MergeReport
            else { return }
            Terminal.print(line(report, stack.mainContext))
        }
        Terminal.print("Watching \(store.text)")
        limitReached.wait()
        try StoreAccess.close(stack)
        NotificationCenter.default.removeObserver(token)
    }

    /// A merge in a line. On the main queue.
    private static func line(_ report: MergeReport, _ main: NSManagedObjectContext) -> String {
        guard report.origin != .expiredHistory else {
            return "The history begins later than what was merged last; all was read again."
        }
        let entities = report.countsByEntity.sorted { $0.key < $1.key }.map { name, counts in
            let parts = [("+", counts.inserted), ("~", counts.updated), ("-", counts.deleted)]
            let changes = parts.filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }
            return ([name] + changes).joined(separator: " ") + total(name, main)
        }
        return "\(report.processName ?? "unknown"): " + entities.joined(separator: "; ")
            + (report.savedAt.map(lateness) ?? "")
    }

    private static func lateness(_ savedAt: Date) -> String {
        String(format: " (%.0f ms late)", -savedAt.timeIntervalSinceNow * 1_000)
    }

    private static func total(_ entityName: String, _ main: NSManagedObjectContext) -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.includesSubentities = false
        do {
            return ", now \(try main.count(for: request))"
        } catch {
            return ", now \(error.localizedDescription)"
        }
    }
}

/// Counts merges, on the main queue.
private final class MergeCounter: @unchecked Sendable {
    // @unchecked: touched on the main queue only.
    private let limit: Int
    private var merges = 0

    init(limit: Int) { self.limit = limit }

    /// Counts one, and says whether it was the last one to wait for.
    func count() -> Bool {
        merges += 1
        return merges == limit
    }
}
