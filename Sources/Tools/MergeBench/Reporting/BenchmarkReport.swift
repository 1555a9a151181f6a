import Foundation

/// All results of a benchmark, and what is read off them.
public struct BenchmarkReport: Codable, Sendable {
    /// A layout as reports name it.
    public struct Layout: Codable, Hashable, Sendable {
        /// As in the results.
        public var name: String
        /// What a reader sees.
        public var title: String
        /// A sentence on who is whose parent.
        public var summary: String

        static let bare = Layout(
            name: StackLayout.bareName,
            title: StackLayout.bareTitle,
            summary: "The same rows and transactions by one connection, without any context."
        )

        init(_ layout: StackLayout) {
            self.init(name: layout.name, title: layout.title, summary: layout.summary)
        }

        private init(name: String, title: String, summary: String) {
            self.name = name
            self.title = title
            self.summary = summary
        }
    }

    /// Where and when it was measured.
    public var environment: BenchmarkEnvironment
    /// What was asked for.
    public var settings: BenchmarkSettings
    /// Bare SQLite and the layouts.
    public var layouts: [Layout]
    /// Each run, in the order in which they were made.
    public var results: [RunResult]

    /// The runs of one layout at one workload and size.
    public func series(_ workload: Workload, rows: Int, layout: String) -> RunSeries? {
        let runs = results.filter {
            $0.workload == workload && $0.sizeRowCount == rows && $0.layout == layout
        }
        return runs.isEmpty ? nil : RunSeries(runs: runs)
    }

    /// Runs whose rows at the end differ from those of bare SQLite; empty if all did their work.
    public var wrongResults: [RunResult] {
        results.filter { result in
            let bare = series(
                result.workload,
                rows: result.sizeRowCount,
                layout: StackLayout.bareName
            )
            return bare.map { !result.hasSameRows(as: $0.runs[0]) } ?? false
        }
    }

    /// The report as JSON, with names as in the declarations and times in seconds.
    ///
    /// - Throws: What the encoder throws.
    public func json() throws -> Data { try ReportCoding.encode(self) }

    /// The report that ``json()`` gave.
    ///
    /// - Throws: What the decoder throws.
    public init(json: Data) throws {
        self = try ReportCoding.decode(Self.self, from: json)
    }

    init(
        environment: BenchmarkEnvironment,
        settings: BenchmarkSettings,
        layouts: [Layout],
        results: [RunResult]
    ) {
        self.environment = environment
        self.settings = settings
        self.layouts = layouts
        self.results = results
    }
}

/// The repetitions of one measurement; never empty.
public struct RunSeries: Sendable {
    /// The runs, in the order in which they were made.
    public let runs: [RunResult]

    /// The median over the runs of what a closure reads off each; nil if it reads nothing.
    public func median(_ value: (RunResult) -> Double?) -> Double? {
        SortedSamples(runs.compactMap(value)).median
    }

    /// The largest value over the runs; nil if there is none.
    public func worst(_ value: (RunResult) -> Double?) -> Double? {
        runs.compactMap(value).max()
    }

    /// The run whose longest wait for the main queue is the median one (the lower of two).
    var typicalRun: RunResult {
        let sorted = runs.sorted {
            ($0.mainQueue?.longestSeconds ?? 0) < ($1.mainQueue?.longestSeconds ?? 0)
        }
        return sorted[(sorted.count - 1) / 2]
    }

    /// The waits of all runs.
    var waits: WaitHistogram? {
        var sum: WaitHistogram?
        for waits in runs.compactMap(\.mainQueue?.waits) {
            if sum == nil { sum = waits } else { sum?.add(waits) }
        }
        return sum
    }
}
