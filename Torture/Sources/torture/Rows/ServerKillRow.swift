#if PostgreSQL
import Foundation

/// R22: the server is killed while processes save to it.
struct ServerKillRow: TortureRow {
    let id = "R22"
    let name = "server-kills"
    let title = "The server is killed"
    let unit = "rounds of 10 kills"
    let changeCount = 2
    let releaseCount = 100
    let control = "A server that confirms commits before they are written"
    var pointLimit: Double { 300 }

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        return Plan(points: (0..<count).map { "round/\($0)" }, expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: ["round/0"], expectedCount: 1)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        outcome.violations.contains { $0.text.contains("acknowledged") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        ServerKillRunner(seed: options.seed, in: folder, isControl: options.isControl)
    }
}

/// Kills a server at random times, in the midst of saves of three processes.
private final class ServerKillRunner: PointRunner {
    private static let processes = 3
    private static let kills = 10

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool
    private lazy var server = Result {
        let place = folder.appendingPathComponent("server")
        // Up to three times this time is lost then.
        return isControl
            ? try TortureServer(in: place, "synchronous_commit=off", "wal_writer_delay=200ms")
            : try TortureServer(in: place)
    }

    init(seed: UInt64, in folder: URL, isControl: Bool) {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
    }

    func run(_ point: String) throws -> PointResult? {
        guard let number = Int(point.split(separator: "/").last ?? "") else {
            throw UsageError(text: "there is no round \(point)")
        }
        var numbers = SeededNumbers(seed, UInt64(number), 22)
        let server = try server.get()
        let round = try SharingRound(
            "round\(number)",
            on: server,
            in: folder,
            processes: Self.processes,
            saveCount: nil,
            isControl: false
        )
        do {
            for _ in 0..<Self.kills {
                try waitForSaves(round)
                usleep(UInt32(numbers.number(below: 60_000)))
                try server.tell(.kill)
            }
            try waitForSaves(round)
            var result = try round.judge(server)
            result.figures["kills"] = Self.kills
            return result
        } catch let failure as SharingFailure {
            round.abandon()
            return PointResult(violations: [failure.text])
        }
    }

    /// Until each process has saved again.
    private func waitForSaves(_ round: SharingRound) throws {
        for child in round.children {
            let count = child.account.outcomes[.saved] ?? 0
            try child.wait(until: { ($0.outcomes[.saved] ?? 0) >= count + 3 }, "save again")
        }
    }
}
#endif
