import Foundation
import MergeStack

/// Runs rounds of merging.
///
/// A point is named `asynchronous/8/17`: how saves are delivered, the number of writers, and the
/// number of the round.
final class HistoryRunner: PointRunner {
    /// A defect that is planted.
    enum Defect {
        /// Each thousandth save is not merged.
        case droppedSaves
        /// Writers and main change a number of this program without a lock.
        case race
    }

    private let seed: UInt64
    private let folder: URL
    private let defect: Defect?
    private let dropped = Guarded(0)

    init(seed: UInt64, in folder: URL, planting defect: Defect?) {
        self.seed = seed
        self.folder = folder
        self.defect = defect
    }

    /// How many saves a round has.
    static let saveCount = 1_000

    /// - Parameter writerCounts: The rounds take turns of them, each with both deliveries.
    static func points(_ count: Int, writerCounts: [Int]) -> [String] {
        let kinds = writerCounts.flatMap { ["asynchronous/\($0)", "synchronous/\($0)"] }
        return (0..<count).map { "\(kinds[$0 % kinds.count])/\($0)" }
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/")
        guard parts.count == 3, let writerCount = Int(parts[1]), let number = Int(parts[2]),
            ["asynchronous", "synchronous"].contains(parts[0])
        else { throw UsageError(text: "there is no round \(point)") }
        let place = folder.appendingPathComponent("\(number)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        if defect == .race { PlantedRace.run() }
        let round = try MergingRound(
            MergingRound.Setting(
                writerCount: writerCount,
                delivery: parts[0] == "asynchronous" ? .asynchronous : .synchronous,
                saveCount: Self.saveCount,
                seed: seed,
                number: number
            ),
            in: place,
            dropped: defect == .droppedSaves ? dropped : nil
        )
        return try round.run()
    }
}

/// The planted defect of R5: two threads count in the same word, with nothing between them.
enum PlantedRace {
    nonisolated(unsafe) private static var number = 0

    static func run() {
        let start = DispatchSemaphore(value: 0), group = DispatchGroup()
        for _ in 0..<2 {
            group.enter()
            Thread.detachNewThread {
                start.wait()
                for _ in 0..<10_000 { number += 1 }
                group.leave()
            }
        }
        start.signal()
        start.signal()
        group.wait()
    }
}
