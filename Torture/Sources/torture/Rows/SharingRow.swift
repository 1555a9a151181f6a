#if PostgreSQL
import Foundation

/// R21: processes share a store on a server.
struct SharingRow: TortureRow {
    let id = "R21"
    let name = "sharing"
    let title = "Processes share a store on a server"
    let unit = "rounds of 1,000 saves of four processes"
    let changeCount = 2
    let releaseCount = 300
    let control =
        "A save that does not ask for the versions of rows, and a main queue at the network"
    var pointLimit: Double { 300 }

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        return Plan(points: (0..<count).map { "round/\($0)" }, expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: ["round/0"], expectedCount: 1)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        let texts = outcome.violations.map(\.text)
        return texts.contains { $0.contains("increments were saved") }
            && texts.contains { $0.contains("used the network") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        SharingRunner(in: folder, isControl: options.isControl)
    }
}

/// Runs rounds on one server.
private final class SharingRunner: PointRunner {
    private static let processes = 4
    /// Of each of the processes' workers.
    private static let saveCount = 125

    private let folder: URL
    private let isControl: Bool
    private lazy var server = Result {
        try TortureServer(in: folder.appendingPathComponent("server"))
    }

    init(in folder: URL, isControl: Bool) {
        self.folder = folder
        self.isControl = isControl
    }

    func run(_ point: String) throws -> PointResult? {
        guard let number = Int(point.split(separator: "/").last ?? "") else {
            throw UsageError(text: "there is no round \(point)")
        }
        let server = try server.get()
        let round = try SharingRound(
            "round\(number)",
            on: server,
            in: folder,
            processes: Self.processes,
            saveCount: Self.saveCount,
            isControl: isControl
        )
        do {
            return try round.judge(server)
        } catch let failure as SharingFailure {
            round.abandon()
            return PointResult(violations: [failure.text])
        }
    }
}
#endif
