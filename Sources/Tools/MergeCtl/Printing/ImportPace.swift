import Foundation

/// How fast an import goes, and how long it has still to go.
struct ImportPace {
    private let start = Date()

    /// The count, the rate and the time left, in a line.
    ///
    /// - Parameters:
    ///   - rowCount: How many records are done.
    ///   - fraction: The share of the file that is done, from 0 to 1.
    func text(rowCount: Int, fraction: Double) -> String {
        Self.text(rowCount: rowCount, fraction: fraction, seconds: -start.timeIntervalSinceNow)
    }

    static func text(rowCount: Int, fraction: Double, seconds: TimeInterval) -> String {
        // Too soon to tell: the first batch makes tables and caches.
        guard seconds >= 0.2, fraction > 0 else { return "\(rowCount) rows" }
        let rate = Int((Double(rowCount) / seconds).rounded())
        let left = seconds * (1 - min(fraction, 1)) / fraction
        return "\(rowCount) rows, \(rate) a second, \(time(left)) left"
    }

    private static func time(_ seconds: TimeInterval) -> String {
        // Rounded up, so that it says nothing of none while there is some.
        let whole = Int(seconds.rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
}
