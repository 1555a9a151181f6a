/// Over which sizes the growth of costs is measured.
package struct GrowthSettings: Codable, Sendable {
    /// The sizes of the layer's workloads and of what is merged on main, in rows.
    package var rowCounts = [10_000, 100_000, 1_000_000]
    /// How many background contexts share an import.
    package var workerCounts = [1, 2, 4, 8]
    /// How many rows they import in all, however many they are.
    package var sharedRowCount = 100_000
    /// How many observers, and how many results controllers, main has.
    package var audienceCounts = [1, 10, 100, 1_000]
    /// How many rows are merged in front of these, in saves of ``batchSize``.
    package var audienceRowCount = 5_000
    /// How many rows are saved at once, but for workload a.
    package var batchSize = 1_000
    /// How often each is measured, but for merges of fewer rows than the most.
    package var roundCount = 3
    /// Other rows come from another seed.
    package var seed: UInt64 = 17

    /// 10,000 to 1,000,000 rows, three rounds.
    package init() {}

    /// A first look: 1,000 to 10,000 rows, one round.
    package static var quick: GrowthSettings {
        var settings = GrowthSettings()
        settings.rowCounts = [1_000, 10_000]
        settings.sharedRowCount = 4_000
        settings.audienceCounts = [1, 10, 100]
        settings.audienceRowCount = 500
        settings.batchSize = 100
        settings.roundCount = 1
        return settings
    }

    /// How many times as many rounds there are at most of merges of fewer rows.
    static let mostRounds = 4

    /// How often merges of so many rows are measured: so that as many are as of the most rows, if that
    /// does not take too long. Short rounds differ by more than long ones.
    func mergeRoundCount(_ rowCount: Int) -> Int {
        let largest = rowCounts.max() ?? rowCount
        return roundCount * min(max(largest / max(rowCount, 1), 1), Self.mostRounds)
    }

    /// The settings of the workloads on stacks, with so many workers.
    func workload(workerCount: Int) -> WorkloadSettings {
        var settings = WorkloadSettings()
        settings.workerCount = workerCount
        settings.batchSize = batchSize
        settings.seed = seed
        return settings
    }
}
