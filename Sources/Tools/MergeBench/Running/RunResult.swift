/// What one measurement came to. Times are in seconds, memory in bytes.
public struct RunResult: Codable, Hashable, Sendable {
    /// The layout's name, or ``StackLayout/bareName``.
    public var layout: String
    /// What was done.
    public var workload: Workload
    /// The size that was asked for.
    public var sizeRowCount: Int
    /// Which of the repetitions it is, from 0.
    public var round: Int
    /// How many rows the workers wrote.
    public var writtenRowCount: Int
    /// How many saves they made.
    public var saveCount: Int
    /// Until the workers' last save had returned.
    public var savedSeconds: Double
    /// Until main's list had changed for the last time; nil without a list.
    public var shownSeconds: Double?
    /// How often main's list changed; nil without a list.
    public var listChangeCount: Int?
    /// The main queue while it lasted; nil without one.
    public var mainQueue: MainQueueFigures?
    /// What was merged; nil where nothing is merged by notification.
    public var merges: MergeCounts?
    /// The most memory that the process had in use.
    public var peakByteCount: Int
    /// By how much that is more than what was in use before the work began.
    public var peakRiseByteCount: Int
    /// What main listed at the end.
    public var listedRowCount: Int
    /// How many rows the store held at the end.
    public var storedRowCount: Int
    /// Over the rows that main listed at the end, in the list's order.
    public var checksum: String
    /// Which share of the processors the machine's host gave to others meanwhile, from 0 to 1; nil if
    /// unknown.
    public var hostShare: Double?
    /// How often it was measured until the host left the machine alone; see
    /// ``BenchmarkSettings/attemptCount``.
    public var attemptCount = 1

    /// Rows that the workers wrote, for each second until their last save.
    public var rowsPerSecond: Double { Double(writtenRowCount) / max(savedSeconds, 1e-9) }

    /// What the host may take of the processors. Where it takes more, main waits for it, whatever the
    /// layout.
    static let tolerableHostShare = 0.01

    /// Whether the host took more of the processors than may be.
    var isDisturbed: Bool { hostShare.map { $0 > Self.tolerableHostShare } ?? false }

    /// Whether the same rows were there at the end.
    func hasSameRows(as other: RunResult) -> Bool {
        checksum == other.checksum && listedRowCount == other.listedRowCount
            && storedRowCount == other.storedRowCount
    }
}
