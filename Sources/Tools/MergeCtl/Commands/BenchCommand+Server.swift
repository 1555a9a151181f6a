import Foundation
import MergeBench

extension BenchCommand {
    #if PostgreSQL
    static let serverOptions: [CommandSyntax.Option] = [
        .value(
            "postgresql",
            "URI",
            "Measure instead stores on this server, beside bare libpq and an SQLite store, with "
                + "targets."
        ),
        .value("listener", "JSON", "Follow a server and tell of merges; bench starts this."),
    ]

    /// `mergectl bench --postgresql`: stores on a server.
    ///
    /// - Returns: Whether it was asked for.
    static func runsServer(_ arguments: ParsedArguments, _ output: URL) throws -> Bool {
        if let text = arguments["listener"] {
            try ServerListener.run(
                JSONDecoder().decode(ServerListener.Specification.self, from: Data(text.utf8))
            ) { Terminal.print($0) }
            return true
        }
        guard let text = arguments["postgresql"] else { return false }
        guard ServerStore.isURI(text), let url = URL(string: text) else {
            throw arguments.usageError("The option --postgresql needs postgresql://host/database.")
        }
        for flag in ["layer", "growth", "quick"] where arguments.has(flag) {
            throw arguments.usageError("The options --postgresql and --\(flag) exclude each other.")
        }
        let others = ["attempts", "workloads", "stacks", "workers", "batch", "categories"]
        try refuse(others, with: "postgresql", arguments)
        let rowCounts = try rowCounts(arguments, default: [100_000])
        guard rowCounts.count == 1 else {
            throw arguments.usageError("The option --postgresql goes with one number of rows.")
        }
        var bench = ServerBench(
            url: url,
            rowCount: rowCounts[0],
            roundCount: try arguments.integer("rounds", default: 3, in: 1...100),
            seed: try seed(arguments),
            startListener: BenchListener.init
        )
        bench.onLine = { Terminal.print("bench: \($0.title) is measured") }
        let report = try bench.run()
        Terminal.print("\n" + report.text)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try report.json().write(to: output.appendingPathComponent("postgresql.json"))
        let markdown = output.appendingPathComponent("postgresql.md")
        try Data(report.markdown.utf8).write(to: markdown)
        Terminal.print("\nWritten: \(output.path)/postgresql.json and .md")
        return true
    }
    #else
    static let serverOptions: [CommandSyntax.Option] = []

    static func runsServer(_ arguments: ParsedArguments, _ output: URL) throws -> Bool { false }
    #endif
}
