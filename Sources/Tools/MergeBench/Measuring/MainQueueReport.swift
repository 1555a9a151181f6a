/// How long the main queue was busy without a break.
public struct MainQueueReport: Hashable, Sendable {
    /// A time that the main queue was busy without a break, as far as a block that waited saw it.
    public struct Stretch: Hashable, Sendable {
        /// When the block began to wait, in seconds since the monitor's start; nil for a stretch
        /// that was timed elsewhere.
        public let beginning: Double?
        /// How long it waited, in seconds.
        public let seconds: Double

        /// A stretch, in seconds.
        public init(beginning: Double? = nil, seconds: Double) {
            self.beginning = beginning
            self.seconds = seconds
        }
    }

    /// The time for which a display at 60 Hz shows one picture, in seconds.
    public static let frameSeconds = 1.0 / 60

    /// What was seen, in the order in which it ended.
    public let stretches: [Stretch]
    /// How many stretches were seen, idle moments included as stretches of nearly nothing.
    public var count: Int { stretches.count }
    /// The longest stretch; 0 if there was none.
    public let longestSeconds: Double
    /// The stretch that 99 in 100 do not exceed; 0 if there was none.
    public let p99Seconds: Double
    /// How many stretches were longer than a frame of 1/60 s.
    public let longerThanFrameCount: Int
    /// The sum of the stretches that were longer than a frame, in seconds.
    public let longerThanFrameSeconds: Double
    /// For how long it was measured, in seconds.
    public let elapsedSeconds: Double
    /// In which share of all looks, about one each millisecond, the queue was busy, from 0 to 1.
    public let busyShare: Double

    /// Sums up stretches.
    init(stretches: [Stretch], elapsedSeconds: Double = 0, busyShare: Double = 0) {
        self.stretches = stretches
        self.elapsedSeconds = elapsedSeconds
        self.busyShare = busyShare
        let sorted = SortedSamples(stretches.map(\.seconds))
        longestSeconds = sorted.values.last ?? 0
        p99Seconds = sorted.percentile(99) ?? 0
        let long = sorted.values.filter { $0 > Self.frameSeconds }
        longerThanFrameCount = long.count
        longerThanFrameSeconds = long.reduce(0, +)
    }
}
