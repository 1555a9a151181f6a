/// The plots of a report.
extension BenchmarkReport {
    /// What the main queue did during the largest import, as an SVG file of its own; nil if there
    /// was none.
    public var timelineFigure: String? {
        guard settings.workloads.contains(.bulkImport), let rows = settings.rowCounts.max() else {
            return nil
        }
        return timeline(.bulkImport, rows: rows, .broad)?.file
    }

    /// The waits over time in each layout's typical round.
    func timeline(
        _ workload: Workload,
        rows: Int,
        _ layout: TimelinePlot.Layout
    ) -> SVGCanvas? {
        let series: [PlotSeries<MainQueueFigures>] = plotted(workload, rows) {
            $0.typicalRun.mainQueue
        }
        guard !series.isEmpty else { return nil }
        let count = NumberText.grouped(Double(rows))
        return TimelinePlot(
            title: "How long the main queue kept a block waiting: "
                + "\(workload.title.lowercased()), \(count) rows",
            note: settings.roundCount == 1
                ? nil
                : "Of \(settings.roundCount) rounds, the one whose longest wait is the median",
            rows: series,
            layout: layout
        ).canvas
    }

    /// Rows per second of each round.
    func speeds(_ workload: Workload, rows: Int) -> SVGCanvas {
        DotPlot(
            title: "Rows per second",
            note: "more is better" + dots,
            rows: plotted(workload, rows) { $0.runs.map(\.rowsPerSecond) },
            unit: .count
        ).canvas
    }

    /// The longest wait of each round.
    func longestWaits(_ workload: Workload, rows: Int) -> SVGCanvas {
        DotPlot(
            title: "Longest wait for the main queue",
            note: "less is better" + dots,
            rows: plotted(workload, rows) { $0.runs.compactMap { $0.mainQueue?.longestSeconds } },
            unit: .seconds,
            isLogarithmic: true,
            mark: (MainQueueReport.frameSeconds, "1/60 s")
        ).canvas
    }

    /// Which share of the blocks waited longer than a time.
    func exceedance(_ workload: Workload, rows: Int) -> SVGCanvas {
        var plot = LinePlot(
            title: "Share of blocks that waited longer",
            note: "less is better; all rounds",
            lines: plotted(workload, rows) { series in
                series.waits?.exceedance.map { (x: $0.seconds, y: $0.share) }
            },
            units: (.seconds, .share),
            bounds: (1e-5...1, 0.001...1)
        )
        plot.markX = MainQueueReport.frameSeconds
        return plot.canvas
    }

    /// The time that main was busy in each round.
    func busyTimes(_ workload: Workload, rows: Int) -> SVGCanvas {
        DotPlot(
            title: "Main queue busy in all",
            note: "less is better" + dots,
            rows: plotted(workload, rows) { $0.runs.compactMap { $0.mainQueue?.busySeconds } },
            unit: .seconds,
            isLogarithmic: true
        ).canvas
    }

    /// A median over the sizes.
    func scaling(
        _ workload: Workload,
        title: String,
        unit: PlotScale.Unit,
        mark: Double? = nil,
        _ value: (RunResult) -> Double?
    ) -> SVGCanvas {
        let lines = layouts.enumerated().map { place, layout in
            let points = settings.rowCounts.sorted().compactMap { rows -> (x: Double, y: Double)? in
                let series = series(workload, rows: rows, layout: layout.name)
                return series?.median(value).map { (Double(rows), $0) }
            }
            return PlotSeries(
                label: layout.title,
                colour: Palette.colour(place),
                values: points
            )
        }
        var plot = LinePlot(
            title: title,
            note: settings.roundsText,
            lines: lines,
            units: (.count, unit)
        )
        plot.markY = mark
        plot.showsDots = true
        return plot.canvas
    }

    /// What the marks of a plot of dots are.
    private var dots: String {
        settings.roundCount == 1 ? "; one round" : "; dot: a round, bar: their median"
    }

    /// A series for each layout that has what a closure reads.
    private func plotted<Values>(
        _ workload: Workload,
        _ rows: Int,
        _ values: (RunSeries) -> Values?
    ) -> [PlotSeries<Values>] {
        layouts.enumerated().compactMap { place, layout in
            guard let series = series(workload, rows: rows, layout: layout.name),
                let values = values(series)
            else { return nil }
            return PlotSeries(
                label: layout.title,
                colour: Palette.colour(place),
                values: values
            )
        }
    }
}
