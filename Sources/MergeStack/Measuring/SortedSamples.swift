/// Measured values in ascending order, and what is read off them.
package struct SortedSamples: Sendable {
    /// The values, smallest first.
    package let values: [Double]

    /// Sorts values.
    package init(_ values: [Double]) { self.values = values.sorted() }

    /// The smallest value that a share of all values, in percent, does not exceed (the nearest-rank
    /// method); nil if there are no values.
    package func percentile(_ percent: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        let rank = Int((Double(values.count) * percent / 100).rounded(.up))
        return values[min(max(rank, 1), values.count) - 1]
    }

    /// The value in the middle, or the mean of the two; nil if there are no values.
    package var median: Double? {
        guard !values.isEmpty else { return nil }
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }
}
