/// Measured values in ascending order, and what is read off them.
struct SortedSamples: Sendable {
    /// The values, smallest first.
    let values: [Double]

    /// Sorts values.
    init(_ values: [Double]) { self.values = values.sorted() }

    /// The smallest value that a share of all values, in percent, does not exceed (the nearest-rank
    /// method); nil if there are no values.
    func percentile(_ percent: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        let rank = Int((Double(values.count) * percent / 100).rounded(.up))
        return values[min(max(rank, 1), values.count) - 1]
    }

    /// The value in the middle, or the mean of the two; nil if there are no values.
    var median: Double? {
        guard !values.isEmpty else { return nil }
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }
}
