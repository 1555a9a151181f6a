/// A line for each layout over two axes in powers of ten.
struct LinePlot {
    /// A line's points.
    typealias Points = [(x: Double, y: Double)]

    let title: String
    let lines: [PlotSeries<Points>]
    let units: (x: PlotScale.Unit, y: PlotScale.Unit)
    /// What an axis shows at least, beside the values.
    let bounds: (x: ClosedRange<Double>?, y: ClosedRange<Double>?)
    /// A value of the x axis, or of the y axis, that is marked.
    var markX: Double?
    var markY: Double?
    var showsDots = false

    private let width = 520.0
    private let height = 300.0
    private let left = 62.0
    private let top = 34.0

    init(
        title: String,
        lines: [PlotSeries<Points>],
        units: (x: PlotScale.Unit, y: PlotScale.Unit),
        bounds: (x: ClosedRange<Double>?, y: ClosedRange<Double>?) = (nil, nil)
    ) {
        self.title = title
        self.lines = lines.map { line in
            PlotSeries(
                label: line.label,
                colour: line.colour,
                values: line.values.filter { $0.x > 0 && $0.y > 0 }
            )
        }
        self.units = units
        self.bounds = bounds
    }

    /// The drawing.
    var canvas: SVGCanvas {
        var canvas = SVGCanvas(width: width, height: height + 22, title: title)
        canvas.text(title, x: 0, y: 16, size: 13, isBold: true)
        let x = scale(lines.flatMap { $0.values.map(\.x) }, bounds.x, units.x, (left, width - 130))
        let y = scale(lines.flatMap { $0.values.map(\.y) }, bounds.y, units.y, (height, top))
        drawGrid(x, y, &canvas)
        for line in lines where !line.values.isEmpty {
            let points = line.values.map { (x: x.place($0.x), y: y.place($0.y)) }
            canvas.curve(points, colour: line.colour)
            guard showsDots else { continue }
            for point in points {
                canvas.dot(x: point.x, y: point.y, radius: 3.5, colour: line.colour)
            }
        }
        for (index, line) in lines.filter({ !$0.values.isEmpty }).enumerated() {
            let y = top + 8 + Double(index) * 20
            canvas.dot(x: width - 114, y: y, radius: 5, colour: line.colour)
            canvas.text(line.label, x: width - 104, y: y + 4, size: 11)
        }
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

    private func drawGrid(_ x: PlotScale, _ y: PlotScale, _ canvas: inout SVGCanvas) {
        let right = width - 130
        for tick in x.ticks {
            let place = x.place(tick.value)
            canvas.line(from: (place, top), to: (place, height))
            canvas.text(
                tick.label,
                x: place,
                y: height + 16,
                anchor: .middle,
                size: 10,
                isFaint: true
            )
        }
        for tick in y.ticks {
            let place = y.place(tick.value)
            canvas.line(from: (left, place), to: (right, place))
            canvas.text(
                tick.label,
                x: left - 6,
                y: place + 3,
                anchor: .end,
                size: 10,
                isFaint: true
            )
        }
        if let markX {
            let place = x.place(markX)
            mark(from: (place, top), to: (place, height), &canvas)
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
        canvas.line(from: start, to: end, colour: Palette.alarm, opacity: 0.8, isDashed: true)
    }
}
