/// The report on growth as one HTML page that needs nothing else, with its plots.
package struct GrowthPage {
    private let report: GrowthReport

    /// A page of a report.
    package init(_ report: GrowthReport) { self.report = report }

    /// The page.
    package var html: String {
        let environment = report.environment
        let sections = report.groups.map { section($0.unit, $0.series) }
        let verdicts = (report.costs + report.verdicts)
            .map { "<p class=\"lead\">\(MarkupText.escaped($0))</p>" }
        return PageFrame.html(
            title: "How costs grow",
            body: """
                <header>
                <p class="over">mergectl bench --growth</p>
                <h1>How costs grow</h1>
                \(verdicts.joined(separator: "\n"))
                <p class="facts">\(environment.day) · \(MarkupText.escaped(environment.processor)), \
                \(environment.coreCount) cores · \(MarkupText.escaped(environment.system)) · \
                SQLite \(environment.sqliteVersion)\(environment.loadText.map { " · " + $0 } ?? "")</p>
                <p class="facts">\(MarkupText.escaped(report.conditions))</p>
                </header>
                \(sections.joined(separator: "\n"))
                """
        )
    }

    /// The costs by rows, as an SVG file of its own; nil if they were not measured.
    package var figure: String? {
        report.groups.first { $0.unit == .rows }.map { plot($0.unit, $0.series).file }
    }

    private func section(_ unit: GrowthSeries.Unit, _ series: [GrowthSeries]) -> String {
        let table = report.table(unit, series)
        let header = table.header.map { "<th scope=\"col\">\(MarkupText.escaped($0))</th>" }
        let rows = table.rows.map { row in
            let cells = row.dropFirst().map { "<td>\($0)</td>" }
            return "<tr><th scope=\"row\">\(MarkupText.escaped(row[0]))</th>\(cells.joined())</tr>"
        }
        return """
            <section>
            <h2>By \(unit.rawValue)</h2>
            <div class="plots"><figure>\(plot(unit, series).element)</figure></div>
            <div class="scroll"><table>
            <thead><tr>\(header.joined())</tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody>
            </table></div>
            </section>
            """
    }

    /// Both axes in powers of ten, so that what grows as its number is a line of one slope.
    private func plot(_ unit: GrowthSeries.Unit, _ series: [GrowthSeries]) -> SVGCanvas {
        let lines = series.enumerated().map { place, one in
            PlotSeries(
                label: one.title,
                colour: Palette.colour(place + 1),
                values: one.points.map { (x: Double($0.count), y: $0.typical) }
            )
        }
        var plot = LinePlot(
            title: "Time by \(unit.rawValue)",
            note: "\(report.environment.day), \(report.environment.coreCount) cores of "
                + "\(report.environment.processor); a line as steep as the grey one grows as the "
                + unit.rawValue,
            lines: lines + [proportion(lines)].compactMap { $0 },
            units: (.count, .seconds)
        )
        plot.showsDots = true
        plot.legendColumnCount = 1
        return plot.canvas
    }

    /// A line of slope 1 that begins where the lowest line does.
    private func proportion(_ lines: [PlotSeries<LinePlot.Points>]) -> PlotSeries<LinePlot.Points>?
    {
        let starts = lines.compactMap(\.values.first)
        let xs = lines.flatMap { $0.values.map(\.x) }
        guard let first = xs.min(), let last = xs.max(), last > first,
            let low = starts.map(\.y).filter({ $0 > 0 }).min()
        else { return nil }
        return PlotSeries(
            label: "in proportion",
            colour: Palette.colour(0),
            values: [(x: first, y: low), (x: last, y: low * last / first)]
        )
    }
}
