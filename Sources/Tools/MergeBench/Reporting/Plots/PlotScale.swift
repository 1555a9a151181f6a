import Foundation

/// How values become places along an axis.
struct PlotScale {
    /// What the values are, for the labels.
    enum Unit { case seconds, count, share }

    private let isLogarithmic: Bool
    private let bounds: ClosedRange<Double>
    private let places: (first: Double, last: Double)
    private let unit: Unit

    /// A scale from 0 to a round value that is not below any of these.
    static func linear(
        to largest: Double,
        unit: Unit,
        places: (first: Double, last: Double)
    ) -> PlotScale {
        let step = Self.step(largest)
        let end = max((largest / step).rounded(.up), 1) * step
        return PlotScale(isLogarithmic: false, bounds: 0...end, places: places, unit: unit)
    }

    /// A scale in powers of ten that holds these values.
    static func logarithmic(
        _ range: ClosedRange<Double>,
        unit: Unit,
        places: (first: Double, last: Double)
    ) -> PlotScale {
        let first = pow(10, log10(range.lowerBound).rounded(.down))
        let last = max(pow(10, log10(range.upperBound).rounded(.up)), first * 10)
        return PlotScale(isLogarithmic: true, bounds: first...last, places: places, unit: unit)
    }

    private init(
        isLogarithmic: Bool,
        bounds: ClosedRange<Double>,
        places: (first: Double, last: Double),
        unit: Unit
    ) {
        self.isLogarithmic = isLogarithmic
        self.bounds = bounds
        self.places = places
        self.unit = unit
    }

    /// The place of a value; one beyond the bounds is at the nearest of them.
    func place(_ value: Double) -> Double {
        let held = min(max(value, bounds.lowerBound), bounds.upperBound)
        let share: Double
        if isLogarithmic {
            share =
                log10(held / bounds.lowerBound) / log10(bounds.upperBound / bounds.lowerBound)
        } else {
            share = held / bounds.upperBound
        }
        return places.first + share * (places.last - places.first)
    }

    /// The values that get a label, and these.
    var ticks: [(value: Double, label: String)] {
        var values: [Double] = []
        if isLogarithmic {
            let first = Int(log10(bounds.lowerBound).rounded())
            let last = Int(log10(bounds.upperBound).rounded())
            values = (first...last).map { pow(10, Double($0)) }
        } else {
            let step = Self.step(bounds.upperBound)
            let count = Int((bounds.upperBound / step).rounded())
            values = (0...count).map { Double($0) * step }
        }
        return values.map { ($0, label($0)) }
    }

    /// Every tick, every second one and so on, so that they are at least so far from each other.
    func ticks(apart distance: Double) -> [(value: Double, label: String)] {
        let all = ticks
        guard all.count > 1 else { return all }
        let gap = abs(place(all[1].value) - place(all[0].value))
        let step = max(Int((distance / max(gap, 0.001)).rounded(.up)), 1)
        return stride(from: 0, to: all.count, by: step).map { all[$0] }
    }

    private func label(_ value: Double) -> String {
        switch unit {
        case .seconds: Self.duration(value)
        case .count: value >= 1 ? NumberText.grouped(value) : Self.trimmed(value)
        case .share: Self.trimmed(value * 100) + " %"
        }
    }

    /// A time in the unit that suits its size.
    static func duration(_ seconds: Double) -> String {
        if seconds == 0 { return "0" }
        if seconds < 0.000_999 { return trimmed(seconds * 1e6) + " µs" }
        if seconds < 0.999 { return trimmed(seconds * 1e3) + " ms" }
        return trimmed(seconds) + " s"
    }

    /// The name of the line at the time for which a display at 60 Hz shows one picture.
    static let frameLabel = "1/60 s (16.7 ms)"

    /// Up to four digits without zeros at the end.
    private static func trimmed(_ value: Double) -> String { String(format: "%.4g", value) }

    /// The largest of 1, 2 and 5 times a power of ten that makes at least three steps.
    private static func step(_ largest: Double) -> Double {
        guard largest > 0 else { return 1 }
        let power = pow(10, log10(largest / 3).rounded(.down))
        let steps = [5 * power, 2 * power, power]
        return steps.first { largest / $0 >= 3 } ?? power
    }
}
