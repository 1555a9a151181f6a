import Foundation

/// R7: many save at once, and main is what the file is; each save is merged once.
struct HistoryRow: TortureRow {
    let id = "R7"
    let name = "history"
    let title = "Saves are merged while others save"
    let unit = "rounds of 1,000 merged saves"
    let changeCount = 20
    let releaseCount = 500
    let control = "A merger that drops one save of a thousand"

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        return Plan(
            points: HistoryRunner.points(count, writerCounts: [2, 4, 8, 16]),
            expectedCount: count
        )
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: HistoryRunner.points(4, writerCounts: [4]), expectedCount: 4)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        let texts = outcome.violations.map(\.text)
        return texts.contains { $0.contains("are merged") }
            && texts.contains { $0.contains("main was told of") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        HistoryRunner(
            seed: options.seed,
            in: folder,
            planting: options.isControl ? .droppedSaves : nil
        )
    }
}
