#if PostgreSQL
import CoreData
import Foundation

/// R24: a standby takes the place of the server, and commits are lost.
struct FailoverRow: TortureRow {
    let id = "R24"
    let name = "failover"
    let title = "A standby is promoted, and commits are lost"
    let unit = "promotions"
    let changeCount = 4
    let releaseCount = 100
    let control = "A server that names the saves whose rows it has lost"
    var pointLimit: Double { 120 }

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        let kinds = FailoverRunner.Kind.allCases
        let points = (0..<count).map { "\(kinds[$0 % kinds.count])/\($0)" }
        return Plan(points: points, expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: ["behind/0"], expectedCount: 1)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        outcome.violations.contains { $0.text.contains("says nothing") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        FailoverRunner(seed: options.seed, in: folder, isControl: options.isControl)
    }
}

/// Promotes standbys, each of which is the server of the next point.
///
/// A point is named `overtaken/12`: what the machines find that had saved to the lost server.
private final class FailoverRunner: PointRunner {
    enum Kind: String, CaseIterable {
        /// A server with fewer saves than they know of.
        case behind
        /// One with more of them: others have saved meanwhile.
        case overtaken
    }

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool
    private var server: TortureServer?

    init(seed: UInt64, in folder: URL, isControl: Bool) {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 2, let kind = Kind(rawValue: parts[0]), let number = Int(parts[1])
        else {
            throw UsageError(text: "there is no promotion \(point)")
        }
        var numbers = SeededNumbers(seed, UInt64(number), 24)
        let lossCount = 1 + numbers.number(below: 5)
        let old = try server ?? TortureServer(in: folder.appendingPathComponent("first-\(number)"))
        let new = try TortureServer(
            in: folder.appendingPathComponent("next-\(number)"),
            standbyOf: old
        )
        let machines = Machines(
            url: old.url(or: new),
            schema: "failover\(number)",
            folder: folder.appendingPathComponent("machines-\(number)")
        )
        let stacks = try ["a", "b"].map { try machines.place($0).open() }
        for (place, stack) in stacks.enumerated() {
            try stack.save { $0.make("Item", "kept-\(place)") }
        }
        let known = try ServerConnection(old.url(), schema: machines.schema)
        try Self.wait(until: try ServerDump.lines(known)) {
            do {
                return try ServerDump.lines(ServerConnection(new.url(), schema: machines.schema))
            } catch is ServerConnection.Failure {
                // Not even the tables have arrived yet.
                return []
            }
        }
        try new.tell(.detach)
        for (place, stack) in stacks.enumerated() {
            for loss in 0..<lossCount {
                try stack.save { $0.make("Item", "lost-\(place)-\(loss)") }
            }
        }
        // Both know of all of it.
        let whole = try ServerDump.lines(known)
        for stack in stacks { try Self.wait(until: whole) { try Self.lines(stack) } }
        let saves = try known.rows("SELECT save, number FROM z_transaction WHERE number > 0")
        try old.tell(.killForGood)
        try new.tell(.promote)
        try old.stop()
        server = new
        var result = PointResult(figures: ["lost saves": 2 * lossCount])
        if kind == .overtaken {
            let stack = try machines.place("c").open()
            for save in 0..<(4 * lossCount + 4) {
                try stack.save { $0.make("Owner", "owner-\(save)") }
            }
            try stack.close()
        }
        let connection = try ServerConnection(new.url(), schema: machines.schema)
        if isControl { try Self.name(saves, connection) }
        for (place, stack) in stacks.enumerated() {
            result.violations += try judge(stack, place, connection)
            try stack.close()
        }
        result.violations += try judgeAnew(machines, connection)
        return result
    }

    /// A store whose server has lost saves goes on with what that has, or says that something is wrong.
    private func judge(
        _ stack: Stack,
        _ place: Int,
        _ connection: ServerConnection
    ) throws -> [String] {
        let limit = Date(timeIntervalSinceNow: 5)
        var saves = 0
        while limit.timeIntervalSinceNow > 0 {
            do {
                try stack.save { $0.make("Entry", "try-\(place)-\(saves)") }
                saves += 1
            } catch {
                return try isThere(saves, place, connection)
            }
            let record = try ServerDump.lines(connection)
            if try Self.lines(stack) == record { return try isThere(saves, place, connection) }
            usleep(100_000)
        }
        return ["machine \(place) shows what its server has lost, and says nothing"]
    }

    private func isThere(
        _ saves: Int,
        _ place: Int,
        _ connection: ServerConnection
    ) throws -> [String] {
        let lines = Set(try ServerDump.lines(connection))
        return (0..<saves).map { "ZENTRY try-\(place)-\($0)" }.filter { !lines.contains($0) }
            .map { "an acknowledged save is lost: \($0)" }
    }

    /// Stores that are removed and added again have what the server has, and go on.
    private func judgeAnew(_ machines: Machines, _ connection: ServerConnection) throws -> [String]
    {
        var wrong: [String] = []
        let stacks = try ["a", "b"].map { try machines.place($0).open() }
        for (place, stack) in stacks.enumerated() {
            try stack.save { $0.make("Tag", "tag-\(place)") }
        }
        let record = try ServerDump.lines(connection)
        for name in ["item kept-0 ", "item kept-1 ", "ZTAG tag-0", "ZTAG tag-1"]
        where !record.contains(where: { $0.hasPrefix(name) }) {
            wrong.append("the server lacks \(name)")
        }
        for (place, stack) in stacks.enumerated() {
            try Self.wait(until: record) { try Self.lines(stack) }
            let text = ServerDump.difference(
                try Self.lines(stack),
                from: record,
                "machine \(place)"
            )
            if let text { wrong.append(text) }
            try stack.close()
        }
        return wrong
    }

    /// Has a server name saves again that it has lost: the planted defect.
    private static func name(_ saves: [[String?]], _ connection: ServerConnection) throws {
        for row in saves {
            try connection.rows(
                "INSERT INTO z_transaction (save, number) VALUES ('\(row[0] ?? "")', \(row[1] ?? "")) "
                    + "ON CONFLICT DO NOTHING"
            )
        }
        try connection.rows("UPDATE z_numbering SET last = (SELECT max(number) FROM z_transaction)")
    }

    /// Waits until something is so, for ten seconds at most.
    private static func wait(until lines: [String], _ body: () throws -> [String]) throws {
        let limit = Date(timeIntervalSinceNow: 10)
        while try body() != lines, limit.timeIntervalSinceNow > 0 { usleep(10_000) }
    }

    private static func lines(_ stack: Stack) throws -> [String] {
        let context = stack.makeContext()
        return try context.inQueue { try context.shownLines() }
    }
}

/// The machines of a point.
private struct Machines {
    let url: URL
    let schema: String
    let folder: URL

    func place(_ name: String) -> SharedPlace {
        SharedPlace(url: url, schema: schema, replicas: folder.appendingPathComponent(name))
    }
}
#endif
