import Foundation

/// A line for each layout over two axes in powers of ten.
struct LinePlot {
    /// A line's points.
    typealias Points = [(x: Double, y: Double)]

    let title: String
    /// What is better, and what the values are.
    let note: String
    let lines: [PlotSeries<Points>]
    let units: (x: PlotScale.Unit, y: PlotScale.Unit)
    /// What an axis shows at least, beside the values.
    let bounds: (x: ClosedRange<Double>?, y: ClosedRange<Double>?)
    /// The time of a picture, where the x axis is to be marked at it, or the y axis.
    var markX: Double?
    var markY: Double?
    var showsDots = false
    /// In how many columns the lines' names stand; long ones need one.
    var legendColumnCount = 2

    // As wide as a phone's screen leaves, so that texts have their size there.
    private let width = 344.0
    private let height = 190.0
    private let left = 54.0
    private let right = 320.0

    init(
        title: String,
        note: String,
        lines: [PlotSeries<Points>],
        units: (x: PlotScale.Unit, y: PlotScale.Unit),
        bounds: (x: ClosedRange<Double>?, y: ClosedRange<Double>?) = (nil, nil)
    ) {
        self.title = title
        self.note = note
        self.lines = lines.map { line in
            PlotSeries(
                label: line.label,
                colour: line.colour,
                values: line.values.filter { $0.x > 0 && $0.y > 0 }
            )
        }
        .filter { !$0.values.isEmpty }
        self.units = units
        self.bounds = bounds
    }

    /// The drawing.
    var canvas: SVGCanvas {
        var canvas = SVGCanvas(width: width, title: title)
        let top = canvas.heading(note: note)
        let bottom = top + height
        let x = scale(lines.flatMap { $0.values.map(\.x) }, bounds.x, units.x, (left, right))
        let y = scale(lines.flatMap { $0.values.map(\.y) }, bounds.y, units.y, (bottom, top))
        drawGrid(x, y, top...bottom, &canvas)
        for line in lines {
            let points = line.values.map { (x: x.place($0.x), y: y.place($0.y)) }
            canvas.curve(points, colour: line.colour)
            guard showsDots else { continue }
            for point in points {
                canvas.dot(x: point.x, y: point.y, radius: 3.5, colour: line.colour)
            }
        }
        canvas.height = drawLegend(below: bottom + 20, &canvas)
        return canvas
    }

    private func scale(
        _ values: [Double],
        _ bounds: ClosedRange<Double>?,
        _ unit: PlotScale.Unit,
        _ places: (first: Double, last: Double)
    ) -> PlotScale {
        let smallest = min(values.min() ?? 1, bounds?.lowerBound ?? .infinity)
        let largest = max(values.max() ?? 1, bounds?.upperBound ?? 0)
        return .logarithmic(smallest...max(smallest, largest), unit: unit, places: places)
    }

    private func drawGrid(
        _ x: PlotScale,
        _ y: PlotScale,
        _ rows: ClosedRange<Double>,
        _ canvas: inout SVGCanvas
    ) {
        for tick in x.ticks {
            let place = x.place(tick.value)
            canvas.line(from: (place, rows.lowerBound), to: (place, rows.upperBound))
        }
        for tick in x.ticks(apart: 46) {
            // A long number at the right end would reach beyond the drawing.
            let room = width - SVGCanvas.width(tick.label, size: 11) / 2
            canvas.text(
                tick.label,
                x: min(x.place(tick.value), room),
                y: rows.upperBound + 16,
                anchor: .middle,
                size: 11,
                isFaint: true
            )
        }
        for tick in y.ticks {
            let place = y.place(tick.value)
            canvas.line(from: (left, place), to: (right, place))
            canvas.text(
                tick.label,
                x: left - 6,
                y: place + 4,
                anchor: .end,
                size: 11,
                isFaint: true
            )
        }
        if let markX {
            let place = x.place(markX)
            mark(from: (place, rows.lowerBound), to: (place, rows.upperBound), &canvas)
        }
        if let markY {
            let place = y.place(markY)
            mark(from: (left, place), to: (right, place), &canvas)
        }
    }

    private func mark(
        from start: (x: Double, y: Double),
        to end: (x: Double, y: Double),
        _ canvas: inout SVGCanvas
    ) {
        canvas.line(from: start, to: end, colour: Palette.alarm, opacity: 1, isDashed: true)
    }

    /// What the lines are, in columns.
    ///
    /// - Returns: Where it ends.
    private func drawLegend(below top: Double, _ canvas: inout SVGCanvas) -> Double {
        var count = 0
        func next() -> (x: Double, y: Double) {
            defer { count += 1 }
            let column = Double(count % legendColumnCount)
            return (
                x: column * width / Double(legendColumnCount) + 8,
                y: top + Double(count / legendColumnCount) * 20 + 14
            )
        }
        for line in lines {
            let place = next()
            canvas.dot(x: place.x, y: place.y, radius: 5, colour: line.colour)
            canvas.text(line.label, x: place.x + 12, y: place.y + 4, size: 11)
        }
        if markX != nil || markY != nil {
            let place = next()
            mark(from: (place.x - 6, place.y), to: (place.x + 14, place.y), &canvas)
            canvas.text(PlotScale.frameLabel, x: place.x + 20, y: place.y + 4, size: 11)
        }
        let rows = (count + legendColumnCount - 1) / legendColumnCount
        return top + Double(rows) * 20 + 8
    }
}
