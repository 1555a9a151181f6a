import Foundation

/// How costs grow with rows, with background contexts, and with who looks at main.
///
/// > Threading: Off the main queue, which must be served by the main thread.
package struct GrowthSession {
    private let settings: GrowthSettings
    /// Makes a measurement on a stack; in this process if not set.
    package var measure: (RunSpecification) throws -> RunResult = {
        try SingleRun($0, layouts: StackLayout.all).measure()
    }
    /// Called with what is measured, before it is.
    package var onStep: (String) -> Void = { _ in }

    /// A session.
    package init(settings: GrowthSettings) { self.settings = settings }

    /// Measures all there is, from the smallest size to the largest.
    ///
    /// - Throws: ``BenchmarkError`` if the layer or a stack does not do what bare SQLite does.
    package func run() throws -> GrowthReport {
        ProcessMemory.forgetPeak()
        let (series, environment) = try BenchmarkEnvironment.around {
            try layer() + merges() + contexts() + audiences(.observers) + audiences(.controllers)
        }
        return GrowthReport(
            environment: environment,
            settings: settings,
            peakByteCount: ProcessMemory.peakByteCount,
            series: series
        )
    }

    // MARK: Rows

    private static let letters = ["a", "c", "e", "i"]

    private func layer() throws -> [GrowthSeries] {
        var series: [GrowthSeries] = []
        for rowCount in settings.rowCounts {
            onStep("the layer over \(NumberText.grouped(Double(rowCount))) rows")
            try TemporaryFolder.with("growth") { folder in
                // Made for each size and gone before the next, so that only one is in memory.
                let fixture = try LayerFixture(rows: rowCount, seed: settings.seed, folder: folder)
                let workloads: [any LayerWorkload] =
                    LayerInserts.all(fixture) + (try LayerQuery.all(fixture))
                for (place, workload) in workloads.filter({ Self.letters.contains($0.letter) })
                    .sorted(by: { $0.letter < $1.letter }).enumerated()
                {
                    if place == series.count {
                        let title = "\(workload.letter)  \(workload.title)"
                        series.append(GrowthSeries(title: title, unit: .rows))
                    }
                    series[place].points.append(try point(workload, rowCount))
                }
            }
        }
        return series
    }

    private func point(_ workload: any LayerWorkload, _ count: Int) throws -> GrowthSeries.Point {
        var point = GrowthSeries.Point(count: count, seconds: [])
        for _ in 0..<settings.roundCount {
            let bare = try workload.bare()
            let layer = try workload.layer(TypedAccess())
            guard bare.sum == layer.sum else { throw BenchmarkError.otherValues(workload.letter) }
            point.bareSeconds.append(bare.seconds)
            point.seconds.append(layer.seconds)
        }
        return point
    }

    private func merges() throws -> [GrowthSeries] {
        var alone = GrowthSeries(title: "main merges an import", unit: .rows, target: 0.6)
        var listed = GrowthSeries(
            title: "main merges an import, a fiftieth listed",
            unit: .rows,
            sorts: true
        )
        var changes = GrowthSeries(
            title: "main merges changes of a tenth, listed",
            unit: .rows,
            sorts: true
        )
        var held = GrowthSeries(
            title: "main merges updates of objects that it has",
            unit: .rows,
            target: 0.4
        )
        var ignored = GrowthSeries(
            title: "main ignores updates of others",
            unit: .rows,
            target: 0.03
        )
        for rowCount in settings.rowCounts {
            onStep("merges of \(NumberText.grouped(Double(rowCount))) rows")
            let workload = settings.workload(workerCount: 2)
            alone.points.append(try audiencePoint(.observers, 1, rowCount, at: rowCount))
            listed.points.append(try mainPoint(.bulkImport, rowCount, workload, at: rowCount))
            changes.points.append(try mainPoint(.changing, rowCount, workload, at: rowCount))
            held.points.append(try updatePoint(isHeld: true, rowCount))
            ignored.points.append(try updatePoint(isHeld: false, rowCount))
        }
        return [alone, held, ignored, listed, changes]
    }

    // MARK: Contexts

    private func contexts() throws -> [GrowthSeries] {
        var main = GrowthSeries(title: "main merges it, a fiftieth listed", unit: .contexts)
        var saved = GrowthSeries(title: "until the last save of an import", unit: .contexts)
        for count in settings.workerCounts {
            onStep("\(count) background contexts")
            let results = try runs(
                .bulkImport,
                settings.sharedRowCount,
                settings.workload(workerCount: count)
            )
            saved.points.append(.init(count: count, seconds: results.map(\.savedSeconds)))
            main.points.append(Self.mainPoint(results, at: count))
        }
        return [saved, main]
    }

    private func mainPoint(
        _ workload: Workload,
        _ rowCount: Int,
        _ settings: WorkloadSettings,
        at count: Int
    ) throws -> GrowthSeries.Point {
        Self.mainPoint(try runs(workload, rowCount, settings), at: count)
    }

    private static func mainPoint(_ results: [RunResult], at count: Int) -> GrowthSeries.Point {
        .init(count: count, seconds: results.compactMap { $0.mainQueue?.processorSeconds })
    }

    /// The rounds of a workload on the layout that merges by notification, which must end with the
    /// rows of bare SQLite.
    private func runs(
        _ workload: Workload,
        _ rowCount: Int,
        _ workloadSettings: WorkloadSettings
    ) throws -> [RunResult] {
        let plan = workload.plan(rows: rowCount, workloadSettings)
        return try TemporaryFolder.with("template") { folder in
            let template = try StoreTemplate.make(
                in: folder,
                seeds: plan.seeds,
                seed: workloadSettings.seed
            )
            func run(_ layout: String, _ round: Int) throws -> RunResult {
                try measure(
                    RunSpecification(
                        layout: layout,
                        workload: workload,
                        rowCount: rowCount,
                        settings: workloadSettings,
                        round: round,
                        template: template.folder
                    )
                )
            }
            let bare = try run(StackLayout.bareName, 0)
            return try (0..<settings.mergeRoundCount(rowCount)).map { round in
                let result = try run(StackLayout.notificationMerge.name, round)
                guard result.hasSameRows(as: bare) else {
                    throw BenchmarkError(
                        "After \(workload.rawValue) main lists other rows than bare SQLite has."
                    )
                }
                return result
            }
        }
    }

    // MARK: Observers and results controllers

    private func audiences(_ audience: AudienceRun.Audience) throws -> [GrowthSeries] {
        var series = GrowthSeries(
            title: "main merges and tells of "
                + "\(NumberText.grouped(Double(settings.audienceRowCount))) rows",
            unit: audience == .observers ? .observers : .controllers
        )
        for count in settings.audienceCounts {
            onStep("\(count) \(series.unit.rawValue)")
            series.points.append(
                try audiencePoint(audience, count, settings.audienceRowCount, at: count)
            )
        }
        return [series]
    }

    private func audiencePoint(
        _ audience: AudienceRun.Audience,
        _ audienceCount: Int,
        _ rowCount: Int,
        at count: Int
    ) throws -> GrowthSeries.Point {
        let run = AudienceRun(
            audience: audience,
            count: audienceCount,
            items: items(rowCount),
            batchSize: settings.batchSize
        )
        return Self.point(
            try (0..<settings.mergeRoundCount(rowCount)).map { _ in try run.measure() },
            at: count
        )
    }

    private func updatePoint(isHeld: Bool, _ rowCount: Int) throws -> GrowthSeries.Point {
        let run = UpdateRun(
            isHeld: isHeld,
            items: items(rowCount),
            batchSize: settings.batchSize
        )
        return Self.point(
            try (0..<settings.mergeRoundCount(rowCount)).map { _ in try run.measure() },
            at: rowCount
        )
    }

    private static func point(_ times: [MergeTime], at count: Int) -> GrowthSeries.Point {
        .init(
            count: count,
            seconds: times.map(\.processorSeconds),
            mergeSeconds: times.map(\.mergeSeconds)
        )
    }

    /// By number; the one with number 0 is never used.
    private func items(_ rowCount: Int) -> [Item] {
        (0...rowCount).map { Item($0, seed: settings.seed) }
    }
}
