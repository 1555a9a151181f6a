import Foundation

/// Decides how many objects are merged at once, so that a turn of the main queue keeps its budget.
///
/// It learns what an object costs from what the last slices took; what a results controller adds
/// to each is part of that.
package struct SliceSizer: Sendable {
    /// Smaller slices would leave more of the time to what each costs by itself.
    package static let minimum = 64
    private static let maximum = 16_384
    private var size = minimum
    /// What one object costs, in seconds; nil before the first slice.
    private var secondsPerObject: Double?

    package init() {}

    /// The size of the next slice; nil if the turn has no time left for one.
    ///
    /// - Parameters:
    ///   - remaining: What is left of the turn's budget.
    ///   - isFirst: Whether it is the turn's first slice, which is always made.
    package func next(remaining: TimeInterval, isFirst: Bool) -> Int? {
        guard let secondsPerObject, secondsPerObject > 0 else {
            return remaining > 0 || isFirst ? min(size * 2, Self.maximum) : nil
        }
        let fitting = Int(min(max(0, remaining) / secondsPerObject, 1e9))
        if fitting < Self.minimum { return isFirst ? Self.minimum : nil }
        return min(fitting, size * 4, Self.maximum)
    }

    /// Learns from a slice.
    package mutating func note(count: Int, duration: TimeInterval) {
        guard count > 0 else { return }
        size = max(Self.minimum, min(count, Self.maximum))
        let seconds = duration / Double(count)
        // Up at once, down by and by: a slice that is too long is worse than one that is too short.
        secondsPerObject = max(seconds, (secondsPerObject ?? 0) * 0.7)
    }
}
