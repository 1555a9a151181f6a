import Foundation

/// What to measure.
public struct BenchmarkSettings: Codable, Hashable, Sendable {
    /// The sizes, in rows.
    public var rowCounts = [10_000]
    /// How often each measurement is repeated.
    public var roundCount = 3
    /// How often each repetition is made at most, until the machine's host takes no more than a hundredth of
    /// the processors; the one of which it took least counts.
    public var attemptCount = 1
    /// What is done.
    public var workloads = Workload.allCases
    /// The settings of all workloads.
    public var workload = WorkloadSettings()

    /// 10,000 rows, three rounds, all workloads.
    public init() {}

    /// A first look, of some seconds: 2,000 rows, 100 to a save, three rounds, an import with and
    /// without edits meanwhile.
    public static var quick: BenchmarkSettings {
        var settings = BenchmarkSettings()
        settings.rowCounts = [2_000]
        settings.workload.batchSize = 100
        settings.workloads = [.bulkImport, .editing]
        return settings
    }

    /// How many threads of its own want to run at most: the workers, main and the one that looks
    /// at it.
    var threadCount: Int {
        workload.workerCount * (workloads.contains(.smallSaves) ? 2 : 1) + 2
    }
}

/// All measurements of a benchmark: every size, workload and layout, and bare SQLite, several times
/// in an order that turns around from round to round.
///
/// ```swift
/// let session = BenchmarkSession(settings: settings, layouts: StackLayout.all + [ours])
/// let report = try session.run()
/// try BenchmarkPage(report).html.write(to: page, atomically: true, encoding: .utf8)
/// ```
///
/// > Threading: Off the main queue, which must be served by the main thread.
public struct BenchmarkSession {
    /// What to measure.
    public let settings: BenchmarkSettings
    /// On which layouts.
    public let layouts: [StackLayout]
    /// Makes one measurement; in this process if not set. A process for each tells their memory
    /// apart; see ``SingleRun``.
    public var measure: (RunSpecification) throws -> RunResult
    /// Called with each result as it comes in, and how many are done and to be done in all.
    public var onResult: (RunResult, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    /// The processor time up to now.
    var processorTime: () -> ProcessorTime? = { .now }

    /// A session on these layouts; bare SQLite comes by itself.
    public init(settings: BenchmarkSettings, layouts: [StackLayout]) {
        self.settings = settings
        self.layouts = layouts
        measure = { try SingleRun($0, layouts: layouts).measure() }
    }

    /// Measures all there is.
    ///
    /// - Throws: ``BenchmarkError`` and what a stack throws; the first error ends the session.
    public func run() throws -> BenchmarkReport {
        let (results, environment) = try BenchmarkEnvironment.around {
            var results: [RunResult] = []
            for rowCount in settings.rowCounts {
                for workload in settings.workloads {
                    results += try run(workload, rowCount, doneCount: results.count)
                }
            }
            return results
        }
        return BenchmarkReport(
            environment: environment,
            settings: settings,
            layouts: [.bare] + layouts.map(BenchmarkReport.Layout.init),
            results: results
        )
    }

    private var totalCount: Int {
        settings.rowCounts.count * settings.workloads.count * settings.roundCount
            * (layouts.count + 1)
    }

    private func run(
        _ workload: Workload,
        _ rowCount: Int,
        doneCount: Int
    ) throws -> [RunResult] {
        let plan = workload.plan(rows: rowCount, settings.workload)
        return try TemporaryFolder.with("template") { folder in
            let template = try StoreTemplate.make(
                in: folder,
                seeds: plan.seeds,
                seed: settings.workload.seed
            )
            var results: [RunResult] = []
            for round in 0..<settings.roundCount {
                for name in order(round) {
                    let specification = RunSpecification(
                        layout: name,
                        workload: workload,
                        rowCount: rowCount,
                        settings: settings.workload,
                        round: round,
                        template: template.folder
                    )
                    let result = try quietest(specification)
                    results.append(result)
                    onResult(result, doneCount + results.count, totalCount)
                }
            }
            return results
        }
    }

    /// The first attempt during which the host left the machine alone; the one of which it took least if
    /// there was none.
    ///
    /// - Throws: ``BenchmarkError`` if attempts end with different rows: what is left out must not hide that.
    private func quietest(_ specification: RunSpecification) throws -> RunResult {
        var best = try attempt(specification)
        while best.isDisturbed, best.attemptCount < settings.attemptCount {
            let count = best.attemptCount + 1
            let other = try attempt(specification)
            guard other.hasSameRows(as: best) else {
                throw BenchmarkError.otherRows(specification)
            }
            if (other.hostShare ?? 0) < (best.hostShare ?? 0) { best = other }
            best.attemptCount = count
        }
        return best
    }

    private func attempt(_ specification: RunSpecification) throws -> RunResult {
        let before = processorTime()
        var result = try measure(specification)
        result.hostShare = before.flatMap { processorTime()?.hostShare(since: $0) }
        return result
    }

    /// The layouts of a round, every second time from the last to the first, so that none always
    /// comes after the same one.
    private func order(_ round: Int) -> [String] {
        let names = [StackLayout.bareName] + layouts.map(\.name)
        return round % 2 == 0 ? names : names.reversed()
    }
}
