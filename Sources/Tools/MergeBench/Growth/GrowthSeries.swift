import Foundation

/// What something costs at each of several sizes.
package struct GrowthSeries: Codable, Sendable {
    /// What there is more and more of.
    package enum Unit: String, CaseIterable, Codable, Sendable {
        case rows
        case contexts = "background contexts"
        case observers
        case controllers = "results controllers"
    }

    /// A size. Times are in seconds, one for each round.
    package struct Point: Codable, Sendable {
        /// The size, in the series' unit.
        package var count: Int
        /// What it took.
        package var seconds: [Double]
        /// What bare SQLite took; empty where it does nothing of the kind.
        package var bareSeconds: [Double] = []
        /// What merges themselves took of the main queue; empty where nothing is merged, or not only.
        package var mergeSeconds: [Double] = []

        /// What it takes: the fastest round, as of bare SQLite beside it. Where there is none, the round
        /// in the middle: merges take turns with saves, and the fastest of many short rounds would
        /// be faster than that of a few long ones for that alone.
        var typical: Double { bareBest == nil ? Self.median(seconds) ?? 0 : seconds.min() ?? 0 }
        var bareBest: Double? { bareSeconds.min() }
        /// What merges themselves take; nil where nothing is merged, or not only.
        var typicalMerge: Double? { Self.median(mergeSeconds) }

        private static func median(_ seconds: [Double]) -> Double? { SortedSamples(seconds).median }
    }

    /// What is done.
    package var title: String
    /// What the points' counts are.
    package var unit: Unit
    /// Whether it keeps rows in an order that no index has: sorting costs more for each row, the
    /// more there are.
    package var sorts = false
    /// What each of what is counted may cost at the most, in microseconds, within merges where
    /// something is merged; nil without a target.
    package var target: Double?
    /// From the smallest size.
    package var points: [Point] = []

    /// What each costs at the largest size, in microseconds; nil without a size.
    package var costOfEach: Double? { points.last.map { $0.typical * 1e6 / Double($0.count) } }

    /// What of it merges themselves take, without the turns of the main queue that they come in; nil
    /// where nothing is merged.
    package var mergeCostOfEach: Double? {
        points.last.flatMap { point in
            point.typicalMerge.map { $0 * 1e6 / Double(point.count) }
        }
    }

    /// How steep the last step is, from the largest size but one to the largest: 1 where twice as
    /// many cost twice as much, 0 where they cost the same; nil without a step.
    ///
    /// Steps between small sizes tell of what the processor's caches hold.
    package var exponent: Double? { lastStep { $0.typical } }

    /// That of bare SQLite; nil where it does nothing of the kind.
    package var bareExponent: Double? { lastStep { $0.bareBest } }

    /// An exponent above this counts as faster than what there is more of: a tenfold number that
    /// takes more than 12.6 times as long. Rounds of one size differ by some percent.
    private static let tolerance = 1.1
    /// What sorting adds: *n* log *n* rises by 0.1 from 10,000 rows to 100,000, and by less beyond.
    private static let sorting = 0.1
    /// What the layer may have more than bare SQLite where SQLite itself is above the tolerance.
    private static let beyondBare = 0.05

    /// Whether it costs more for each one the more there are, beyond what sorting and SQLite
    /// explain.
    package var growsFaster: Bool {
        guard let exponent else { return false }
        let allowed = Self.tolerance + (sorts ? Self.sorting : 0)
        return exponent > max(allowed, (bareExponent ?? 0) + Self.beyondBare)
    }

    private func lastStep(_ seconds: (Point) -> Double?) -> Double? {
        guard let smaller = points.dropLast().last, let larger = points.last,
            let before = seconds(smaller), let after = seconds(larger),
            before > 0, after > 0, larger.count > smaller.count
        else { return nil }
        return log(after / before) / log(Double(larger.count) / Double(smaller.count))
    }
}
