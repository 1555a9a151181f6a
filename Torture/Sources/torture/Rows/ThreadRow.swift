import Foundation

/// R5: the same under ThreadSanitizer.
struct ThreadRow: TortureRow {
    let id = "R5"
    let name = "threads"
    let title = "Saves are merged under ThreadSanitizer"
    let unit = "rounds of 1,000 merged saves"
    let changeCount = 20
    let releaseCount = 500
    let control = "Two threads that count in the same word"
    var program: TortureProgram { .underThreadSanitizer }
    /// A round takes some seconds there, and a machine may have others to serve.
    var pointLimit: Double { 300 }

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        return Plan(
            points: HistoryRunner.points(count, writerCounts: [8, 16]),
            expectedCount: count
        )
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: HistoryRunner.points(1, writerCounts: [8]), expectedCount: 1)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        outcome.violations.contains { $0.text.contains("SUMMARY: ThreadSanitizer") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        HistoryRunner(seed: options.seed, in: folder, planting: options.isControl ? .race : nil)
    }
}
