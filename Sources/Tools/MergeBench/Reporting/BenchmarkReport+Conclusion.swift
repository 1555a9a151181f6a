/// What a report says first, and when it says nothing.
extension BenchmarkReport {
    /// Bare SQLite does the same work each time: where its slowest round took so many times as long
    /// as its fastest, the layouts' differences can come from elsewhere.
    private static let tolerableSpread = 1.5

    /// Why the figures don't tell one layout from another, in sentences; empty if they do.
    public var warnings: [String] {
        machineDoubts
            + settings.workloads.flatMap { workload in
                settings.rowCounts.flatMap { seriesDoubts(workload, rows: $0) }
            }
    }

    /// Why no conclusion is to be drawn from the figures of one workload and size.
    func doubts(_ workload: Workload, rows: Int) -> [String] {
        machineDoubts + seriesDoubts(workload, rows: rows)
    }

    /// The best and the worst longest wait of the first workload, worst round and median; or that
    /// no conclusion can be drawn.
    public var headline: String {
        guard let workload = settings.workloads.first, let rows = settings.rowCounts.max() else {
            return "Nothing was measured."
        }
        let doubts = doubts(workload, rows: rows)
        guard wrongResults.isEmpty, doubts.isEmpty else {
            return "No conclusion: "
                + (wrongResults.isEmpty
                    ? "differences between the layouts can come from what is warned of."
                    : "not every layout did its work.")
        }
        let waits = layouts.compactMap { layout -> Wait? in
            series(workload, rows: rows, layout: layout.name).flatMap {
                Wait(layout.title, $0)
            }
        }
        .sorted { ($0.worst, $0.median) < ($1.worst, $1.median) }
        guard let best = waits.first, let worst = waits.last else {
            return "Only bare SQLite was measured."
        }
        return "\(workload.title), \(NumberText.grouped(Double(rows))) rows: in the worst of "
            + "\(settings.roundCount) rounds a tap had to wait for the main queue for "
            + best.text + (best.title == worst.title ? "." : ", and \(worst.text).")
    }

    /// The longest waits of a layout over its rounds.
    private struct Wait {
        let title: String
        let worst: Double
        let median: Double

        init?(_ title: String, _ series: RunSeries) {
            let longest = ReportColumn.longest.value
            guard let worst = series.worst(longest), let median = series.median(longest) else {
                return nil
            }
            self.title = title
            self.worst = worst
            self.median = median
        }

        var text: String {
            "\(NumberText.short(worst * 1_000)) ms with \(title.lowercased()) "
                + "(median \(NumberText.short(median * 1_000)) ms)"
        }
    }

    private var machineDoubts: [String] {
        var doubts: [String] = []
        if let debugText = environment.debugText { doubts.append(debugText) }
        if settings.roundCount < 2 {
            doubts.append(
                "Each was measured once, which does not show how far rounds differ; measure three "
                    + "rounds or more."
            )
        }
        if let busyText = environment.busyText(threadCount: settings.threadCount) {
            doubts.append(busyText)
        }
        return doubts
    }

    private func seriesDoubts(_ workload: Workload, rows: Int) -> [String] {
        [spreadDoubt(workload, rows: rows), hostDoubt(workload, rows: rows)].compactMap { $0 }
    }

    /// That the machine's host took processors during so many rounds of a layout that its medians can come
    /// from that; nil if it did not.
    private func hostDoubt(_ workload: Workload, rows: Int) -> String? {
        let all = layouts.compactMap { series(workload, rows: rows, layout: $0.name)?.runs }
        guard all.contains(where: { runs in runs.count(where: \.isDisturbed) * 2 > runs.count })
        else {
            return nil
        }
        let shares = all.joined().filter(\.isDisturbed).compactMap(\.hostShare)
        return
            "\(workload.title), \(NumberText.grouped(Double(rows))) rows: the machine's host took more than "
            + "\(NumberText.grouped(RunResult.tolerableHostShare * 100)) % of its processors in "
            + "\(shares.count) of \(all.joined().count) measurements, "
            + "\(NumberText.short((shares.max() ?? 0) * 100)) % at most. Have them made again (mergectl "
            + "bench --attempts 20), or measure where the host has less to do."
    }

    /// The machine's load, and how often measurements were made again for its host's sake; nil if nothing
    /// is known.
    var loadText: String? {
        let texts = [environment.loadText, attemptsText].compactMap { $0 }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// How many attempts were left out, and why; nil if none was.
    var attemptsText: String? {
        let again = results.map { $0.attemptCount - 1 }.reduce(0, +)
        guard again > 0 else { return nil }
        return
            "\(NumberText.grouped(Double(again))) attempt\(again == 1 ? "" : "s") left out, during which the machine's host took "
            + "more than \(NumberText.grouped(RunResult.tolerableHostShare * 100)) % of its processors"
    }

    /// That bare SQLite's own rounds differ too much; nil if they don't.
    private func spreadDoubt(_ workload: Workload, rows: Int) -> String? {
        guard
            let seconds = series(workload, rows: rows, layout: StackLayout.bareName)?
                .runs.map(\.savedSeconds),
            let fastest = seconds.min(), let slowest = seconds.max(),
            slowest > fastest * Self.tolerableSpread
        else { return nil }
        return "\(workload.title), \(NumberText.grouped(Double(rows))) rows: bare SQLite, which "
            + "does the same in each round, took from \(NumberText.short(fastest * 1_000)) to "
            + "\(NumberText.short(slowest * 1_000)) ms. The disk or the processors were not "
            + "the same for all."
    }
}

extension BenchmarkSettings {
    /// What the figures of tables are.
    var roundsText: String {
        roundCount == 1 ? "one round" : "medians of \(roundCount) rounds"
    }
}

extension BenchmarkEnvironment {
    /// What others may use of the processors.
    private static let tolerableShare = 0.1

    /// That nothing was optimized; nil if it was.
    var debugText: String? {
        isDebugBuild
            ? "This is a debug build, whose figures say nothing; build with -c release." : nil
    }

    /// That the machine had other work; nil if it had little.
    ///
    /// - Parameter threadCount: How many threads of the benchmark wanted to run at most.
    func busyText(threadCount: Int) -> String? {
        let cores = Double(coreCount)
        var signs: [String] = []
        if let load, load > cores * 1.5 {
            signs.append("its load was \(NumberText.short(load)) before")
        }
        if let loadAfter, loadAfter > cores * 1.5 + Double(threadCount) {
            signs.append("its load was \(NumberText.short(loadAfter)) after")
        }
        if let othersShare, othersShare > Self.tolerableShare {
            signs.append(
                "others used \(NumberText.grouped(othersShare * 100)) % of its processors meanwhile"
            )
        }
        guard !signs.isEmpty else { return nil }
        return "The machine of \(coreCount) cores was busy: " + signs.joined(separator: ", ")
            + ". Measure again when it is quiet."
    }

    /// Date and machine, as reports in Markdown begin.
    var placeText: String {
        let parts = [
            day, "\(coreCount) cores of \(processor)", system, "SQLite \(sqliteVersion)",
        ]
        return (parts + (loadText.map { [$0] } ?? [])).joined(separator: "; ") + "."
    }

    /// The machine's load before and after, and what others used of it; nil if nothing is known.
    var loadText: String? {
        guard let load else { return nil }
        var text = "load \(NumberText.short(load)) before"
        if let loadAfter { text += " and \(NumberText.short(loadAfter)) after" }
        if let othersShare {
            text += ", of the processors \(NumberText.grouped(othersShare * 100)) % used by others"
        }
        return text
    }
}
