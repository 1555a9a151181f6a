/// How long main may wait at most, and whether it did.
extension BenchmarkReport {
    /// A longest wait that is aimed at, in the median of the rounds.
    private struct Target {
        let workload: Workload
        let batchSize: Int
        let seconds: Double
    }

    /// The targets are for so many rows.
    private static let targetRowCount = 100_000
    private static let targets = [
        Target(workload: .bulkImport, batchSize: 1_000, seconds: 0.005),
        Target(workload: .bulkImport, batchSize: 10_000, seconds: 1.0 / 60),
        // With main's own saves, which are a part of its waits.
        Target(workload: .editing, batchSize: 1_000, seconds: 1.0 / 60),
    ]

    /// What the layout that merges by notification took of what was aimed at, in a sentence for each
    /// target; empty if there is none for what was measured, or no conclusion can be drawn.
    public var targets: [String] {
        guard wrongResults.isEmpty else { return [] }
        return Self.targets.filter { $0.batchSize == settings.workload.batchSize }.compactMap {
            target in
            let merging = series(
                target.workload,
                rows: Self.targetRowCount,
                layout: StackLayout.notificationMerge.name
            )
            guard let wait = merging?.median(ReportColumn.longest.value),
                doubts(target.workload, rows: Self.targetRowCount).isEmpty
            else { return nil }
            return "\(target.workload.title), saves of "
                + "\(NumberText.grouped(Double(target.batchSize))): main's longest wait with "
                + "\(StackLayout.notificationMerge.title.lowercased()) is "
                + "\(NumberText.short(wait * 1_000)) ms; the target, "
                + "\(NumberText.short(target.seconds * 1_000)), is "
                + "\(wait <= target.seconds ? "met" : "missed")."
        }
    }
}
