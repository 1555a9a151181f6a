#if PostgreSQL
import CoreData
import Foundation

/// R25: a process is killed while it writes its replica.
struct ReplicaKillRow: TortureRow {
    let id = "R25"
    let name = "replica-kills"
    let title = "A process is killed while it writes its replica"
    let unit = "kills"
    let changeCount = 60
    /// About all that there are.
    let releaseCount = 240
    let control = "A store that leaves out the first save that its replica has not got"
    var pointLimit: Double { 120 }

    /// About how many operations on files each step has.
    private static let operationCounts: [ReplicaChild.Step: Int] = [
        .save: 40, .follow: 60, .copy: 200,
    ]

    func plan(_ options: Options) throws -> Plan {
        let groups = ReplicaChild.Step.allCases.map { step in
            PointGroup(stem: "\(step)/", count: Self.operationCounts[step] ?? 0)
        }
        return Plan(groups, options)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        // Saves of others, which are numbered when they are followed: one's own save has no number yet
        // when a kill leaves it out, and is found without.
        let points = (1...20).map { "follow/\($0)" }
        return Plan(points: points, expectedCount: points.count)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        outcome.violations.contains { $0.text.contains("lacks") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        if options.isControl { PlantedDefect.skippedSave.plant() }
        return ReplicaKillRunner(in: folder)
    }
}

/// Kills a process that shares a store with this one, and opens the replica that it has left.
///
/// A point is named `save/12`: what the process does, and before which of its operations on files it is
/// killed.
private final class ReplicaKillRunner: PointRunner {
    private let folder: URL
    private lazy var fixture = Result { try Fixture(in: folder) }
    private var number = 0

    init(in folder: URL) { self.folder = folder }

    private struct Fixture {
        let connection: ServerConnection
        let victim: SharedPlace
        /// Another machine, which saves what the victim has to follow.
        let other: Stack
        /// Held, since the server ends with it.
        let server: TortureServer

        init(in folder: URL) throws {
            let server = try TortureServer(in: folder.appendingPathComponent("server"))
            let places = ["victim", "other"].map { name in
                SharedPlace(
                    url: server.url(),
                    schema: "kills",
                    replicas: folder.appendingPathComponent(name)
                )
            }
            self.server = server
            victim = places[0]
            other = try places[1].open()
            try other.save { $0.make("Item", "shared") }
            connection = try ServerConnection(server.url(), schema: "kills")
        }
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 2, let step = ReplicaChild.Step(rawValue: parts[0]),
            let operation = Int(parts[1])
        else { throw UsageError(text: "there is no kill \(point)") }
        let fixture = try fixture.get()
        number += 1
        try prepare(step, fixture)
        let before = try ServerDump.lines(fixture.connection)
        let process = try TortureProgram.this.process(
            ["replica-child"] + fixture.victim.arguments
                + ["--step", step.rawValue, "--seed", "\(number)", "--count", "\(operation)"]
        )
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let isKilled =
            process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard isKilled else {
            return process.terminationStatus == 0
                ? nil : PointResult(violations: [process.howItEnded(saying: output)])
        }
        return try judge(fixture, before, isSaved: !output.isEmpty)
    }

    private func prepare(_ step: ReplicaChild.Step, _ fixture: Fixture) throws {
        switch step {
        case .save: break
        case .follow:
            for part in 0..<3 {
                try fixture.other.save { $0.make("Owner", "owner-\(number)-\(part)") }
            }
        case .copy:
            let place = fixture.victim.replicas.path
            if FileManager.default.fileExists(atPath: place) {
                try FileManager.default.removeItem(atPath: place)
            }
        }
    }

    private func judge(_ fixture: Fixture, _ before: [String], isSaved: Bool) throws -> PointResult
    {
        var result = PointResult()
        let record = try ServerDump.lines(fixture.connection)
        let name = ReplicaChild.itemName(number)
        let isThere = record.contains { $0.hasPrefix("item \(name) ") }
        let isChanged = record.contains { $0.hasPrefix("item shared \(number) ") }
        if isThere != isChanged { result.violations.append("a save is there in part") }
        if isSaved, !isThere { result.violations.append("an acknowledged save is lost") }
        if !isThere, record != before { result.violations.append("the server has something else") }
        result.figures[isThere ? "committed saves" : "kills without a save"] = 1
        let stack = try fixture.victim.open()
        let context = stack.makeContext()
        let lines = try context.inQueue { try context.shownLines() }
        if let text = ServerDump.difference(lines, from: record, "the replica") {
            result.violations.append(text)
        }
        // And it goes on from there; what was made for this point goes.
        try stack.save { context in
            for entity in ["Item", "Owner"] {
                for object in try context.all(entity) where object.label != "shared" {
                    context.delete(object)
                }
            }
            try context.only("Item", "shared").setValue(Int64(0), forKey: "value")
        }
        try stack.close()
        result.violations += try ServerDump.numberViolations(fixture.connection)
        let left = fixture.victim.replica, now = try ServerDump.lines(fixture.connection)
        result.violations += left.problems
        if let text = ServerDump.difference(left.lines.sorted(), from: now, "the file") {
            result.violations.append(text)
        }
        return result
    }
}
#endif
