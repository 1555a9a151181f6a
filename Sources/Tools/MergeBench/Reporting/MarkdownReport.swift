import Foundation

/// The report as a part of a page in Markdown.
extension BenchmarkReport {
    /// The conditions, and for each workload and size a heading of the third level and a table of
    /// medians with a line for each layout: what matters to somebody who waits for main.
    public var markdown: String {
        let tables = settings.workloads.flatMap { workload in
            settings.rowCounts.map { markdownTable(workload, $0) }
        }
        return ([conditions + "\n"] + tables).joined(separator: "\n")
    }

    private var conditions: String {
        let date = environment.day
        let sizes = settings.rowCounts.map { NumberText.grouped(Double($0)) }
        var parts = [
            date, sizes.joined(separator: ", ") + " rows",
            settings.roundsText,
            "\(environment.coreCount) cores of \(environment.processor)", environment.system,
            "SQLite \(environment.sqliteVersion)",
        ]
        parts += loadText.map { [$0] } ?? []
        if environment.isDebugBuild { parts.append("**debug build**") }
        return ([parts.joined(separator: "; ") + ".", verdict] + warnings + [headline] + targets)
            .joined(separator: " ")
    }

    private func markdownTable(_ workload: Workload, _ rows: Int) -> String {
        let size =
            settings.rowCounts.count == 1 ? "" : ", \(NumberText.grouped(Double(rows))) rows"
        var lines = [
            "### \(workload.title)\(size)", "",
            "| | × bare | main busy, share | longest wait, ms (worst round) | "
                + "time in waits > 1/60 s |",
            "| --- | --- | --- | --- | --- |",
        ]
        for layout in layouts where layout.name != StackLayout.bareName {
            guard let series = series(workload, rows: rows, layout: layout.name) else { continue }
            let longest = ReportColumn.longest
            let cells = [
                layout.title.replacingOccurrences(of: "|", with: "\\|"),
                ratioToBare(workload, rows, layout: layout.name).map { NumberText.short($0) }
                    ?? "–",
                Self.wholePercent(series.median { $0.mainQueue?.busyShare }),
                "\(longest.text(series.median(longest.value))) "
                    + "(\(longest.text(series.worst(longest.value))))",
                Self.wholePercent(series.median(ReportColumn.overFrame.value)),
            ]
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func wholePercent(_ share: Double?) -> String {
        share.map { "\(NumberText.grouped($0 * 100)) %" } ?? "–"
    }
}
