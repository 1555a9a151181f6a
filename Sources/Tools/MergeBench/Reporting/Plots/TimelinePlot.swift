import Foundation

/// What the main queue did over time, a strip for each layout: how long a block had to wait.
struct TimelinePlot {
    let title: String
    let rows: [PlotSeries<MainQueueFigures>]

    private let width = 1_080.0
    private let left = 64.0
    private let right = 1_050.0
    private let top = 34.0
    private let stripHeight = 74.0
    private let stripGap = 26.0

    init(title: String, rows: [PlotSeries<MainQueueFigures>]) {
        self.title = title
        self.rows = rows
    }

    /// The drawing.
    var canvas: SVGCanvas {
        let bottom = top + Double(rows.count) * (stripHeight + stripGap)
        var canvas = SVGCanvas(width: width, height: bottom + 24, title: title)
        canvas.text(title, x: 0, y: 16, size: 13, isBold: true)
        let elapsed = rows.map(\.values.elapsedSeconds).max() ?? 1
        let time = PlotScale.linear(
            to: elapsed,
            unit: .seconds,
            places: (left, right)
        )
        for tick in time.ticks {
            let x = time.place(tick.value)
            canvas.text(tick.label, x: x, y: bottom + 14, anchor: .middle, size: 11, isFaint: true)
        }
        for (index, row) in rows.enumerated() {
            draw(row, top: top + Double(index) * (stripHeight + stripGap), time, &canvas)
        }
        return canvas
    }

    private func draw(
        _ row: PlotSeries<MainQueueFigures>,
        top: Double,
        _ time: PlotScale,
        _ canvas: inout SVGCanvas
    ) {
        let base = top + stripGap + stripHeight - 8
        // From 0.1 ms, which is as good as idle, to what the longest of all needs.
        let longest = rows.map(\.values.longestSeconds).max() ?? 1
        let waits = PlotScale.logarithmic(
            0.0001...max(longest, 0.1),
            unit: .seconds,
            places: (base, top + stripGap)
        )
        for tick in waits.ticks {
            let y = waits.place(tick.value)
            canvas.line(from: (left, y), to: (right, y), opacity: 0.1)
            canvas.text(tick.label, x: left - 6, y: y + 3, anchor: .end, size: 9, isFaint: true)
        }
        drawBars(row, time, waits, base, &canvas)
        let frame = waits.place(MainQueueReport.frameSeconds)
        canvas.line(
            from: (left, frame),
            to: (right, frame),
            colour: Palette.alarm,
            opacity: 0.8,
            isDashed: true
        )
        let figures = row.values
        let over = figures.longerThanFrameCount
        canvas.text(row.label, x: left, y: top + 14, size: 12, isBold: true, colour: row.colour)
        canvas.text(
            "longest \(PlotScale.duration(rounded(figures.longestSeconds))), "
                + (over == 0 ? "none above 1/60 s" : "\(over) above 1/60 s")
                + ", done after \(PlotScale.duration(rounded(figures.elapsedSeconds)))",
            x: right,
            y: top + 14,
            anchor: .end,
            size: 11,
            isFaint: true
        )
    }

    private func drawBars(
        _ row: PlotSeries<MainQueueFigures>,
        _ time: PlotScale,
        _ waits: PlotScale,
        _ base: Double,
        _ canvas: inout SVGCanvas
    ) {
        let figures = row.values
        let partSeconds = figures.elapsedSeconds / Double(max(figures.timeline.count, 1))
        let barWidth = max(time.place(partSeconds) - time.place(0), 0.6)
        var calm: [(x: Double, top: Double, bottom: Double)] = [], late = calm
        for (part, wait) in figures.timeline.enumerated() where wait > 0.0001 {
            let x = time.place((Double(part) + 0.5) * partSeconds)
            let bar = (x: x, top: waits.place(wait), bottom: base)
            if wait > MainQueueReport.frameSeconds { late.append(bar) } else { calm.append(bar) }
        }
        canvas.bars(calm, width: barWidth, colour: row.colour)
        canvas.bars(late, width: barWidth, colour: Palette.alarm)
    }

    /// Two digits.
    private func rounded(_ seconds: Double) -> Double {
        Double(String(format: "%.2g", seconds)) ?? seconds
    }
}
