import Foundation
import MergeBench

extension BenchCommand {
    /// `mergectl bench --growth`: how costs grow.
    static func runGrowth(_ arguments: ParsedArguments, _ output: URL) throws {
        var settings = arguments.has("quick") ? GrowthSettings.quick : GrowthSettings()
        settings.rowCounts = try rowCounts(arguments, default: settings.rowCounts).sorted()
        guard Set(settings.rowCounts).count == settings.rowCounts.count,
            settings.rowCounts.count > 1
        else { throw arguments.usageError("The option --growth goes with two sizes or more.") }
        settings.roundCount = try arguments.integer(
            "rounds",
            default: settings.roundCount,
            in: 1...100
        )
        settings.seed = try seed(arguments)
        var session = GrowthSession(settings: settings)
        session.measure = BenchProcess.measure
        session.onStep = { Terminal.print("bench: measuring \($0)") }
        let report = try session.run()
        Terminal.print("\n" + report.text)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try report.json().write(to: output.appendingPathComponent("growth.json"))
        let markdown = output.appendingPathComponent("growth.md")
        try Data(report.markdown.utf8).write(to: markdown)
        let page = GrowthPage(report)
        try Data(page.html.utf8).write(to: output.appendingPathComponent("growth.html"))
        if let figure = page.figure {
            try Data(figure.utf8).write(to: output.appendingPathComponent("growth.svg"))
        }
        Terminal.print("\nWritten: \(output.path)/growth.html, .json, .md and .svg")
    }
}
