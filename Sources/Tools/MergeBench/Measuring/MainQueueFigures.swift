import Foundation

/// What the main queue did during a run, small enough to keep. Times are in seconds.
public struct MainQueueFigures: Codable, Hashable, Sendable {
    /// How long it was measured.
    public var elapsedSeconds: Double
    /// In which share of the looks at it, one each millisecond, it was busy.
    public var busyShare: Double
    /// The processor time of the main thread; it does not hold what it waited for.
    public var processorSeconds: Double
    /// The longest time it was busy without a break.
    public var longestSeconds: Double
    /// 99 in 100 blocks that were put on it waited no longer.
    public var p99Seconds: Double
    /// How often it was busy for longer than 1/60 s.
    public var longerThanFrameCount: Int
    /// How long it was so in all.
    public var longerThanFrameSeconds: Double
    /// The longest wait in each part of the time; the parts are equally long.
    public var timeline: [Double]
    /// How many blocks waited how long; see ``WaitHistogram``.
    public var waits: WaitHistogram

    /// How long the queue was busy in all, as far as the looks at it tell.
    public var busySeconds: Double { busyShare * elapsedSeconds }
    /// The share of the time in which it was busy for longer than 1/60 s without a break.
    public var longerThanFrameShare: Double { longerThanFrameSeconds / max(elapsedSeconds, 1e-9) }

    /// Sums up a report.
    ///
    /// - Parameters:
    ///   - report: What a monitor saw.
    ///   - processorSeconds: The main thread's processor time meanwhile.
    ///   - partCount: Into how many parts the time is cut.
    init(_ report: MainQueueReport, processorSeconds: Double, partCount: Int = 400) {
        elapsedSeconds = report.elapsedSeconds
        busyShare = report.busyShare
        self.processorSeconds = processorSeconds
        longestSeconds = report.longestSeconds
        p99Seconds = report.p99Seconds
        longerThanFrameCount = report.longerThanFrameCount
        longerThanFrameSeconds = report.longerThanFrameSeconds
        timeline = Self.timeline(report, partCount: partCount)
        waits = WaitHistogram(report.stretches.map(\.seconds))
    }

    /// The longest wait in each part of the time; a long one counts in every part that it covers.
    private static func timeline(_ report: MainQueueReport, partCount: Int) -> [Double] {
        var parts = Array(repeating: 0.0, count: partCount)
        guard report.elapsedSeconds > 0 else { return parts }
        for stretch in report.stretches {
            // What was timed on the queue itself has no place in time.
            guard let beginning = stretch.beginning else { continue }
            let scale = Double(partCount) / report.elapsedSeconds
            // A wait that reaches the end of the measurement would fall into a part behind the
            // last.
            let first = min(Int(beginning * scale), partCount - 1)
            let last = min(Int((beginning + stretch.seconds) * scale), partCount - 1)
            for part in first...last { parts[part] = max(parts[part], stretch.seconds) }
        }
        return parts
    }
}

/// How many waits were how long, in steps of a tenth of a decade from 10 µs to 10 s.
public struct WaitHistogram: Codable, Hashable, Sendable {
    private static let stepsPerDecade = 10.0
    private static let smallest = 1e-5
    private static let stepCount = 61

    /// The counts: step 0 holds what is below 10 µs, the last one what is above 10 s.
    public private(set) var counts: [Int]

    /// Counts waits in seconds.
    init(_ seconds: [Double]) {
        counts = Array(repeating: 0, count: Self.stepCount + 1)
        for wait in seconds { counts[Self.step(of: wait)] += 1 }
    }

    private static func step(of wait: Double) -> Int {
        guard wait > smallest else { return 0 }
        // Rounded up: a wait belongs to the step whose upper bound it does not exceed.
        let step = Int((log10(wait / smallest) * stepsPerDecade).rounded(.up))
        return min(max(step, 1), stepCount)
    }

    /// The upper bound of a step, in seconds.
    static func upperBound(_ step: Int) -> Double {
        smallest * pow(10, Double(step) / stepsPerDecade)
    }

    /// The share of the waits that were longer than each step's upper bound.
    public var exceedance: [(seconds: Double, share: Double)] {
        let total = Double(max(counts.reduce(0, +), 1))
        var rest = Double(counts.reduce(0, +))
        return counts.indices.map { step in
            rest -= Double(counts[step])
            return (Self.upperBound(step), rest / total)
        }
    }

    /// Adds the counts of another one.
    mutating func add(_ other: WaitHistogram) {
        for step in counts.indices { counts[step] += other.counts[step] }
    }
}
