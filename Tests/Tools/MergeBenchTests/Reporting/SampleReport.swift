import Foundation

@testable import MergeBench

/// A report whose figures are known.
enum SampleReport {
    static func make(rounds: Int = 3, sizes: [Int] = [1_000, 10_000]) -> BenchmarkReport {
        var settings = BenchmarkSettings()
        settings.rowCounts = sizes
        settings.roundCount = rounds
        settings.workloads = [.bulkImport, .changing]
        // A name that would break the page and the table if it were not escaped.
        let ours = StackLayout(name: "ours,2", title: "Ours <&> \"yours\"", summary: "A & B") {
            _,
            _ in
            throw BenchmarkError("Not to be made.")
        }
        var results: [RunResult] = []
        for size in sizes {
            for workload in settings.workloads {
                for round in 0..<rounds {
                    results.append(result(StackLayout.bareName, workload, size, round))
                    results.append(result(ours.name, workload, size, round))
                }
            }
        }
        // As on a quiet machine, whatever this one is doing and however the tests are built.
        var environment = BenchmarkEnvironment.current
        environment.isDebugBuild = false
        environment.coreCount = 2
        environment.load = 0.2
        environment.loadAfter = 3
        environment.othersShare = 0.01
        return BenchmarkReport(
            environment: environment,
            settings: settings,
            layouts: [.bare, .init(ours)],
            results: results
        )
    }

    private static func result(
        _ layout: String,
        _ workload: Workload,
        _ size: Int,
        _ round: Int
    ) -> RunResult {
        var result = RunResult(
            layout: layout,
            workload: workload,
            sizeRowCount: size,
            round: round,
            writtenRowCount: size,
            saveCount: size / 100,
            savedSeconds: layout == StackLayout.bareName ? 1 : Double(2 + round),
            peakByteCount: 64 << 20,
            peakRiseByteCount: 32 << 20,
            listedRowCount: 20,
            storedRowCount: size,
            checksum: "0123456789abcdef"
        )
        guard layout != StackLayout.bareName else { return result }
        result.shownSeconds = result.savedSeconds + 0.5
        result.listChangeCount = 4
        result.mainQueue = MainQueueFigures(
            .init(
                stretches: [
                    .init(beginning: 0.1, seconds: 0.00002),
                    .init(beginning: 1, seconds: 0.01 * Double(round + 1)),
                ],
                elapsedSeconds: 4,
                busyShare: 0.25
            ),
            processorSeconds: 0.5
        )
        result.merges = MergeCounts(mergeCount: 10, objectCount: size, faultCount: 3)
        return result
    }
}
