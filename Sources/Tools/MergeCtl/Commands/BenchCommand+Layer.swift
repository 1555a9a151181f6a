import Foundation
import MergeBench

extension BenchCommand {
    /// `mergectl bench --layer`: the object layer alone.
    static func runLayer(_ arguments: ParsedArguments, _ output: URL) throws {
        let rowCounts = try rowCounts(arguments, default: [100_000])
        guard rowCounts.count == 1 else {
            throw arguments.usageError("The option --layer goes with one number of rows.")
        }
        var session = LayerSession(
            rowCount: rowCounts[0],
            roundCount: try arguments.integer("rounds", default: 5, in: 1...100),
            seed: try seed(arguments),
            letters: try chosen("workloads", from: LayerSession.allLetters, by: \.self, arguments)
        )
        session.onLine = { line in
            Terminal.print("bench: \(line.letter)  \(line.title) is measured")
        }
        let report = try session.run()
        Terminal.print("\n" + report.text)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try report.json().write(to: output.appendingPathComponent("layer.json"))
        let markdown = output.appendingPathComponent("layer.md")
        try Data(report.markdown.utf8).write(to: markdown)
        Terminal.print("\nWritten: \(output.path)/layer.json and .md")
    }
}
