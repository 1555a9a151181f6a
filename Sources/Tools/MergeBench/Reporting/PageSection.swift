/// A workload on the page: its plots and its table.
struct PageSection {
    private let report: BenchmarkReport
    private let workload: Workload
    private let largest: Int

    init(_ report: BenchmarkReport, _ workload: Workload) {
        self.report = report
        self.workload = workload
        largest = report.settings.rowCounts.max() ?? 0
    }

    var html: String {
        let plots = [
            report.speeds(workload, rows: largest), report.longestWaits(workload, rows: largest),
            report.busyTimes(workload, rows: largest), report.exceedance(workload, rows: largest),
        ]
        let tables = report.settings.rowCounts.sorted(by: >).map(table)
        return """
            <section>
            <h2>\(MarkupText.escaped(workload.title))</h2>
            <p>\(MarkupText.escaped(workload.summary(report.settings.workload)))</p>
            \(timelines)
            <div class="plots">\(figures(plots + scaling))</div>
            \(tables.joined(separator: "\n"))
            </section>
            """
    }

    /// What main did over time, drawn for wide screens and for narrow ones, of which one is seen.
    private var timelines: String {
        let drawings = TimelinePlot.Layout.allCases.compactMap { layout in
            report.timeline(workload, rows: largest, layout).map {
                "<div class=\"\(layout)\">\($0.element)</div>"
            }
        }
        return drawings.isEmpty
            ? "" : "<figure class=\"timeline\">\(drawings.joined(separator: "\n"))</figure>"
    }

    private func figures(_ plots: [SVGCanvas]) -> String {
        plots.map { "<figure>\($0.element)</figure>" }.joined(separator: "\n")
    }

    /// Over the sizes, if there are several.
    private var scaling: [SVGCanvas] {
        guard Set(report.settings.rowCounts).count > 1 else { return [] }
        return [
            report.scaling(workload, title: "Rows per second by size", unit: .count) {
                $0.rowsPerSecond
            },
            report.scaling(
                workload,
                title: "Longest wait by size",
                unit: .seconds,
                mark: MainQueueReport.frameSeconds
            ) { $0.mainQueue?.longestSeconds },
        ]
    }

    private func table(_ rows: Int) -> String {
        let header = (["", "× bare"] + ReportColumn.all.map(\.titleWithUnit))
            .map { "<th scope=\"col\">\(MarkupText.escaped($0))</th>" }
        let present = report.layouts.compactMap { layout in
            report.series(workload, rows: rows, layout: layout.name).map { (layout, $0) }
        }
        let best = ReportColumn.all.map { column in
            report.doubts(workload, rows: rows).isEmpty
                ? bestText(column, among: present.map(\.1)) : nil
        }
        let lines = present.map { layout, series in
            let ratio = report.ratioToBare(workload, rows, layout: layout.name)
            let cells = zip(ReportColumn.all, best).map { column, best in
                let text = column.text(column.figure(series))
                let isBest = text == best && layout.name != StackLayout.bareName
                return "<td\(isBest ? " class=\"best\"" : "")>\(text)</td>"
            }
            return "<tr><th scope=\"row\">\(MarkupText.escaped(layout.title))</th>"
                + "<td>\(ratio.map { NumberText.short($0) } ?? "–")</td>\(cells.joined())</tr>"
        }
        return """
            <div class="scroll"><table>
            <caption>\(NumberText.grouped(Double(rows))) rows, \(report.settings.roundsText)</caption>
            <thead><tr>\(header.joined())</tr></thead>
            <tbody>\(lines.joined(separator: "\n"))</tbody>
            </table></div>
            """
    }

    /// The text of the best figure of a column among the layouts, if there are several and one of
    /// them is better.
    private func bestText(_ column: ReportColumn, among series: [RunSeries]) -> String? {
        let figures = series.filter { $0.runs[0].layout != StackLayout.bareName }
            .compactMap(column.figure)
        guard let isMoreBetter = column.isMoreBetter, Set(figures).count > 1 else { return nil }
        return column.text(isMoreBetter ? figures.max() : figures.min())
    }
}
