/// Rows of texts with aligned columns, the first to the left and all others to the right.
struct TextTable {
    let header: [String]
    var rows: [[String]] = []

    /// The lines, header first.
    var lines: [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in
            all.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return all.map { row in
            row.enumerated().map { column, text in
                let blank = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + blank : blank + text
            }
            .joined(separator: "  ")
        }
    }

    /// The lines of a table in Markdown.
    var markdown: [String] {
        let rule = header.map { _ in "---" }
        return ([header, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
    }
}

extension BenchmarkReport {
    /// The report as text: a table for each workload and size, then the headline, and why it draws
    /// no conclusion if it does not.
    public var text: String {
        var lines: [String] = []
        for workload in settings.workloads {
            for rows in settings.rowCounts {
                lines.append(
                    "\(workload.title), \(NumberText.grouped(Double(rows))) rows, "
                        + settings.roundsText
                )
                lines.append(workload.summary(settings.workload))
                lines += table(workload, rows).lines
                lines.append("")
            }
        }
        lines.append(verdict)
        if let attemptsText { lines.append("\(attemptsText).") }
        lines += warnings.map { "Warning: " + $0 }
        lines.append(headline)
        lines += targets
        return lines.joined(separator: "\n")
    }

    private func table(_ workload: Workload, _ rows: Int) -> TextTable {
        var table = TextTable(
            header: ["", "x bare"] + ReportColumn.all.map(\.titleWithUnit)
        )
        for layout in layouts {
            guard let series = series(workload, rows: rows, layout: layout.name) else { continue }
            let ratio = ratioToBare(workload, rows, layout: layout.name)
            table.rows.append(
                [layout.title, ratio.map { NumberText.short($0) } ?? "–"]
                    + ReportColumn.all.map { $0.text($0.figure(series)) }
            )
        }
        return table
    }

    /// How many times longer a layout took than bare SQLite until the last save; by the medians.
    func ratioToBare(_ workload: Workload, _ rows: Int, layout: String) -> Double? {
        let bare = series(workload, rows: rows, layout: StackLayout.bareName)
        guard let bare = bare?.median(\.savedSeconds),
            let own = series(workload, rows: rows, layout: layout)?.median(\.savedSeconds)
        else { return nil }
        return own / max(bare, 1e-9)
    }

    /// Whether every run ended with the same rows, in a sentence.
    var verdict: String {
        let wrong = wrongResults
        guard let first = wrong.first else {
            return "After each of the \(results.count) runs main listed the same rows as bare "
                + "SQLite has (by checksum)."
        }
        return "\(wrong.count) runs ended with other rows than bare SQLite has, for example "
            + "\(first.layout) at \(first.workload.rawValue): their figures say nothing."
    }
}
