import Foundation

/// What the main queue did over time, a strip for each layout: how long a block had to wait.
struct TimelinePlot {
    /// For which screens it is drawn.
    enum Layout: CaseIterable {
        /// A window's width or a page's.
        case broad
        /// A phone's, where the texts of the other one would be too small to read.
        case slim
    }

    let title: String
    /// Which rounds are shown, if there are several.
    let note: String?
    let rows: [PlotSeries<MainQueueFigures>]
    let layout: Layout

    private let stripHeight = 66.0
    private var width: Double { layout == .broad ? 1_080 : 344 }
    private var left: Double { layout == .broad ? 64 : 50 }
    private var right: Double { width - (layout == .broad ? 30 : 22) }
    /// The height of the texts above a strip.
    private var captionHeight: Double { layout == .broad ? 26 : 42 }

    /// The drawing.
    var canvas: SVGCanvas {
        var canvas = SVGCanvas(width: width, title: title)
        let top = drawLegend(below: canvas.heading(note: note), &canvas)
        let bottom = top + Double(rows.count) * (stripHeight + captionHeight + 8)
        canvas.height = bottom + 24
        let elapsed = rows.map(\.values.elapsedSeconds).max() ?? 1
        let time = PlotScale.linear(
            to: elapsed,
            unit: .seconds,
            places: (left, right)
        )
        for tick in time.ticks(apart: 48) {
            let x = time.place(tick.value)
            canvas.text(tick.label, x: x, y: bottom + 14, anchor: .middle, size: 11, isFaint: true)
        }
        for (index, row) in rows.enumerated() {
            let stripTop = top + Double(index) * (stripHeight + captionHeight + 8)
            drawCaption(row, top: stripTop, &canvas)
            drawStrip(row, top: stripTop + captionHeight, time, &canvas)
        }
        return canvas
    }

    /// What bars and the dashed line are.
    ///
    /// - Returns: Where it ends.
    private func drawLegend(below top: Double, _ canvas: inout SVGCanvas) -> Double {
        let entries = [
            "a block's wait, in its layout's colour",
            "one of more than 1/60 s: a picture missed",
            PlotScale.frameLabel,
        ]
        var x = 2.0
        var y = top + 6
        for (index, entry) in entries.enumerated() {
            switch index {
            case 0:
                let colours = rows.prefix(3).map(\.colour)
                for (place, colour) in colours.enumerated() {
                    let bar = (x: x + 2 + Double(place) * 5, top: y - 8, bottom: y + 2)
                    canvas.bars([bar], width: 4, colour: colour)
                }
            case 1:
                let bar = (x: x + 7, top: y - 8, bottom: y + 2)
                canvas.bars([bar], width: 4, colour: Palette.alarm)
            default: drawFrameLine(from: x - 2, to: x + 16, y: y - 3, &canvas)
            }
            canvas.text(entry, x: x + 22, y: y + 1, size: 11)
            if layout == .broad {
                x += 22 + SVGCanvas.width(entry, size: 11) + 12
            } else {
                y += 18
            }
        }
        return layout == .broad ? y + 14 : y
    }

    private func drawCaption(
        _ row: PlotSeries<MainQueueFigures>,
        top: Double,
        _ canvas: inout SVGCanvas
    ) {
        let figures = row.values
        let over = figures.longerThanFrameCount
        canvas.dot(x: left + 5, y: top + 13, radius: 5, colour: row.colour)
        canvas.text(row.label, x: left + 16, y: top + 17, size: 12, isBold: true)
        canvas.text(
            "longest \(PlotScale.duration(rounded(figures.longestSeconds))), "
                + (over == 0 ? "none above 1/60 s" : "\(over) above 1/60 s")
                + ", done after \(PlotScale.duration(rounded(figures.elapsedSeconds)))",
            x: right,
            y: layout == .broad ? top + 17 : top + 34,
            anchor: .end,
            size: 11,
            isFaint: true
        )
    }

    private func drawStrip(
        _ row: PlotSeries<MainQueueFigures>,
        top: Double,
        _ time: PlotScale,
        _ canvas: inout SVGCanvas
    ) {
        let base = top + stripHeight
        // From 0.1 ms, which is as good as idle, to what the longest of all needs.
        let longest = rows.map(\.values.longestSeconds).max() ?? 1
        let waits = PlotScale.logarithmic(
            0.0001...max(longest, 0.1),
            unit: .seconds,
            places: (base, top)
        )
        for tick in waits.ticks(apart: 13) {
            let y = waits.place(tick.value)
            canvas.line(from: (left, y), to: (right, y), opacity: 0.1)
            canvas.text(tick.label, x: left - 6, y: y + 3.5, anchor: .end, size: 10, isFaint: true)
        }
        drawBars(row, time, waits, base, &canvas)
        let frame = waits.place(MainQueueReport.frameSeconds)
        drawFrameLine(from: left, to: right, y: frame, &canvas)
    }

    private func drawFrameLine(
        from left: Double,
        to right: Double,
        y: Double,
        _ canvas: inout SVGCanvas
    ) {
        canvas.line(
            from: (left, y),
            to: (right, y),
            colour: Palette.alarm,
            opacity: 1,
            isDashed: true
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
        let parts = joined(figures.timeline)
        let partSeconds = figures.elapsedSeconds / Double(max(parts.count, 1))
        let barWidth = max(time.place(partSeconds) - time.place(0), 0.6)
        var calm: [(x: Double, top: Double, bottom: Double)] = [], late = calm
        for (part, wait) in parts.enumerated() where wait > 0.0001 {
            let x = time.place((Double(part) + 0.5) * partSeconds)
            let bar = (x: x, top: waits.place(wait), bottom: base)
            if wait > MainQueueReport.frameSeconds { late.append(bar) } else { calm.append(bar) }
        }
        canvas.bars(calm, width: barWidth, colour: row.colour)
        canvas.bars(late, width: barWidth, colour: Palette.alarm)
    }

    /// The longest wait of neighbouring parts, so that a bar has two pixels or more.
    private func joined(_ timeline: [Double]) -> [Double] {
        let room = max(Int((right - left) / 2), 1)
        let step = (timeline.count + room - 1) / room
        guard step > 1 else { return timeline }
        return stride(from: 0, to: timeline.count, by: step).map { start in
            timeline[start..<min(start + step, timeline.count)].max() ?? 0
        }
    }

    /// Two digits.
    private func rounded(_ seconds: Double) -> Double {
        Double(String(format: "%.2g", seconds)) ?? seconds
    }
}
