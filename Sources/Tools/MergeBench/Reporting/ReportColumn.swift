/// A figure that reports show of a measurement: a column of the tables.
struct ReportColumn: Sendable {
    /// What stands for the rounds.
    enum Summary: Sendable { case median, worst }

    /// How a value is written.
    enum Unit: Sendable {
        case count, perSecond, seconds, milliseconds, percent, mebibytes
    }

    let title: String
    let unit: Unit
    /// Whether more is better; nil if it is neither.
    let isMoreBetter: Bool?
    let summary: Summary
    let value: @Sendable (RunResult) -> Double?

    private init(
        _ title: String,
        _ unit: Unit,
        better isMoreBetter: Bool? = nil,
        summary: Summary = .median,
        _ value: @escaping @Sendable (RunResult) -> Double?
    ) {
        self.title = title
        self.unit = unit
        self.isMoreBetter = isMoreBetter
        self.summary = summary
        self.value = value
    }

    static let rowsPerSecond = ReportColumn("rows per second", .perSecond, better: true) {
        $0.rowsPerSecond
    }
    static let longest = ReportColumn("longest wait", .milliseconds, better: false) {
        $0.mainQueue?.longestSeconds
    }
    static let longestOfAll = ReportColumn(
        "in the worst round",
        .milliseconds,
        better: false,
        summary: .worst
    ) { $0.mainQueue?.longestSeconds }
    static let shown = ReportColumn("last row shown after", .seconds, better: false) {
        $0.shownSeconds
    }
    static let busy = ReportColumn("main queue busy", .seconds, better: false) {
        $0.mainQueue?.busySeconds
    }
    static let overFrame = ReportColumn("time in waits > 1/60 s", .percent, better: false) {
        $0.mainQueue?.longerThanFrameShare
    }

    /// All of them, in the order of the tables.
    static let all: [ReportColumn] = [
        rowsPerSecond, shown, busy,
        ReportColumn("main thread's CPU", .seconds, better: false) {
            $0.mainQueue?.processorSeconds
        },
        longest, longestOfAll,
        ReportColumn("p99 wait", .milliseconds, better: false) { $0.mainQueue?.p99Seconds },
        overFrame,
        ReportColumn("merges", .count) { $0.merges.map { Double($0.mergeCount) } },
        ReportColumn("objects merged", .count) { $0.merges.map { Double($0.objectCount) } },
        ReportColumn("faults fired", .count) { $0.merges.map { Double($0.faultCount) } },
        ReportColumn("memory added", .mebibytes, better: false) { Double($0.peakRiseByteCount) },
    ]

    /// The figure of a series; nil if there is none.
    func figure(_ series: RunSeries) -> Double? {
        switch summary {
        case .median: series.median(value)
        case .worst: series.worst(value)
        }
    }

    /// A value as text, without the unit; a dash for none.
    func text(_ value: Double?) -> String {
        guard let value else { return "–" }
        return NumberText.text(value, unit)
    }

    /// The title with the unit behind it.
    var titleWithUnit: String {
        switch unit {
        case .count, .perSecond: title
        case .seconds: title + ", s"
        case .milliseconds: title + ", ms"
        case .percent: title + ", %"
        case .mebibytes: title + ", MiB"
        }
    }
}
