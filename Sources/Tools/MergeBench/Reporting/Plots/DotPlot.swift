/// A row for each layout with a dot for each round and a line at their median.
struct DotPlot {
    let title: String
    /// What is better, and what the marks are.
    let note: String
    let rows: [PlotSeries<[Double]>]
    let unit: PlotScale.Unit
    /// Whether the axis is in powers of ten.
    let isLogarithmic: Bool
    /// A value that is marked, with its name.
    let mark: (value: Double, label: String)?

    // As wide as a phone's screen leaves, so that texts have their size there.
    private let width = 344.0
    private let labelWidth = 122.0
    private let rowHeight = 26.0

    init(
        title: String,
        note: String,
        rows: [PlotSeries<[Double]>],
        unit: PlotScale.Unit,
        isLogarithmic: Bool = false,
        mark: (value: Double, label: String)? = nil
    ) {
        self.title = title
        self.note = note
        self.rows = rows.filter { !$0.values.isEmpty }
        self.unit = unit
        self.isLogarithmic = isLogarithmic
        self.mark = mark
    }

    /// The drawing.
    var canvas: SVGCanvas {
        var canvas = SVGCanvas(width: width, title: title)
        let top = canvas.heading(note: note) + (mark == nil ? 0 : 18)
        let bottom = top + Double(rows.count) * rowHeight
        canvas.height = bottom + 24
        let scale = scale
        for tick in scale.ticks {
            let x = scale.place(tick.value)
            canvas.line(from: (x, top), to: (x, bottom))
        }
        for tick in scale.ticks(apart: 46) {
            canvas.text(
                tick.label,
                x: scale.place(tick.value),
                y: bottom + 16,
                anchor: .middle,
                size: 11,
                isFaint: true
            )
        }
        if let mark {
            let x = scale.place(mark.value)
            canvas.line(
                from: (x, top - 6),
                to: (x, bottom),
                colour: Palette.alarm,
                opacity: 1,
                isDashed: true
            )
            canvas.text(mark.label, x: x, y: top - 10, anchor: .middle, size: 11)
        }
        for (index, row) in rows.enumerated() {
            draw(row, y: top + (Double(index) + 0.5) * rowHeight, scale, &canvas)
        }
        return canvas
    }

    private var scale: PlotScale {
        let all = rows.flatMap(\.values) + (mark.map { [$0.value] } ?? [])
        let places = (first: labelWidth, last: width - 24)
        let largest = all.max() ?? 1
        guard isLogarithmic, let smallest = all.filter({ $0 > 0 }).min() else {
            return .linear(to: largest, unit: unit, places: places)
        }
        return .logarithmic(smallest...max(largest, smallest), unit: unit, places: places)
    }

    private func draw(
        _ row: PlotSeries<[Double]>,
        y: Double,
        _ scale: PlotScale,
        _ canvas: inout SVGCanvas
    ) {
        canvas.text(row.label, x: labelWidth - 10, y: y + 4, anchor: .end, size: 11)
        for value in row.values {
            canvas.dot(x: scale.place(value), y: y, radius: 4.5, colour: row.colour, opacity: 0.55)
        }
        if row.values.count > 1, let median = SortedSamples(row.values).median {
            let x = scale.place(median)
            canvas.line(from: (x, y - 9), to: (x, y + 9), colour: row.colour, width: 3, opacity: 1)
        }
    }
}
