#if PostgreSQL
import CoreData
import Foundation

/// R23: the connection to the server is cut at each byte of a save.
struct CutRow: TortureRow {
    let id = "R23"
    let name = "cuts"
    let title = "The connection to a server is cut in a save"
    let unit = "cuts"
    let changeCount = 1_000
    let releaseCount = 100_000
    let control = "A store that takes a commit without an answer for none"
    var pointLimit: Double { 120 }

    /// About how many bytes the saves have, on the average, and how many steps a crowd has.
    private static let byteCounts = [CutProxy.Direction.toServer: 3_300, .toStore: 300]
    /// How many times each byte is cut after, with longer texts each time.
    private static let passes = 1...2

    func plan(_ options: Options) throws -> Plan {
        var groups: [PointGroup] = []
        for pass in Self.passes {
            for mode in CutProxy.Mode.allCases {
                for scenario in CutScenario.allCases {
                    groups += CutProxy.Direction.allCases.map { direction in
                        PointGroup(
                            stem: "\(pass)/\(mode)/\(scenario)/\(direction.rawValue)/",
                            count: Self.byteCounts[direction] ?? 0
                        )
                    }
                }
            }
        }
        return Plan(groups, options)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        let points = (1...60).map { "1/once/insert/to-store/\($0)" }
        return Plan(points: points, expectedCount: points.count)
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        if options.isControl { PlantedDefect.guessedOutcome.plant() }
        return CutRunner(in: folder)
    }
}

/// A save that is cut.
private enum CutScenario: String, CaseIterable {
    case insert, update, relate, many
    /// So many new rows that the server gets the first ones while the replica writes the next.
    case crowd

    /// How many saves back what was inserted is deleted again.
    private static let span = 5

    /// How many bytes lie between two cuts: a crowd has some ten thousand on their way to the server.
    func step(_ direction: CutProxy.Direction) -> Int {
        self == .crowd && direction == .toServer ? 8 : 1
    }

    /// Makes the changes of the save with a number, of which texts are longer in each pass.
    func change(_ context: NSManagedObjectContext, _ number: Int, pass: Int) throws {
        let tail = String(repeating: "x", count: 20 * (pass - 1))
        switch self {
        case .insert: try Self.replace(1, context, number, tail)
        case .many: try Self.replace(30, context, number, tail)
        case .crowd: try Self.replace(250, context, number, tail)
        case .update:
            let item = try context.only("Item", "shared")
            item.setValue(Int64(number), forKey: "value")
            item.setValue("note-\(number)\(tail)", forKey: "note")
        case .relate:
            let item = try context.only("Item", "shared")
            let tags = try context.all("Tag"), entries = try context.all("Entry")
            item.setValue(Set([tags[number % tags.count]]), forKey: "tags")
            item.setValue(number % 2 == 0 ? try context.all("Owner").first : nil, forKey: "owner")
            let shift = number % entries.count
            let order = entries[shift...] + entries[..<shift]
            try context.only("List", "list").setValue(
                NSOrderedSet(array: Array(order)),
                forKey: "entries"
            )
        }
    }

    private static func replace(
        _ count: Int,
        _ context: NSManagedObjectContext,
        _ number: Int,
        _ tail: String
    ) throws {
        for index in 0..<count {
            let item = context.make("Item", "new-\(number)-\(index)\(tail)")
            item.setValue(Int64(index), forKey: "value")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(
            format: "name BEGINSWITH 'new-' AND NOT name BEGINSWITH %@",
            "new-\(number)-"
        )
        for item in try context.fetch(request).dropFirst(span) { context.delete(item) }
    }
}

/// Cuts the connection of one store, whose saves go on.
///
/// A point is named `2/late/update/to-server/712`: the pass, what becomes of the connection, the save,
/// the way, and after how many bytes, or steps of some.
private final class CutRunner: PointRunner {
    private static let numbersInterval = 100

    private let folder: URL
    private lazy var fixture = Result { try Fixture(in: folder) }
    private var number = 0
    /// What the server has, if it is known.
    private var record: [String]?

    init(in folder: URL) { self.folder = folder }

    private struct Fixture {
        let proxy: CutProxy
        let stack: Stack
        let connection: ServerConnection
        /// Held, since the server ends with it.
        let server: TortureServer

        init(in folder: URL) throws {
            server = try TortureServer(in: folder.appendingPathComponent("server"))
            proxy = try CutProxy(in: folder.appendingPathComponent("proxy"), to: server)
            let place = SharedPlace(
                url: proxy.url,
                schema: "cuts",
                replicas: folder.appendingPathComponent("replicas")
            )
            stack = try place.open()
            try stack.save { context in
                context.make("Item", "shared")
                context.make("Owner", "owner")
                for name in ["a", "b", "c"] { context.make("Tag", "tag-\(name)") }
                let list = context.make("List", "list")
                let entries = ["a", "b", "c"].map { context.make("Entry", "entry-\($0)") }
                list.setValue(NSOrderedSet(array: entries), forKey: "entries")
            }
            connection = try ServerConnection(server.url(), schema: "cuts")
        }
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 5, let pass = Int(parts[0]),
            let mode = CutProxy.Mode(rawValue: parts[1]),
            let scenario = CutScenario(rawValue: parts[2]),
            let direction = CutProxy.Direction(rawValue: parts[3]), let place = Int(parts[4])
        else { throw UsageError(text: "there is no cut \(point)") }
        let fixture = try fixture.get()
        number += 1
        // Nobody else saves: what was there after one point is there before the next.
        let before = try record ?? ServerDump.lines(fixture.connection)
        let context = fixture.stack.makeContext()
        let after = try context.inQueue {
            try scenario.change(context, number, pass: pass)
            return try context.shownLines()
        }
        fixture.proxy.cut(direction, after: place * scenario.step(direction), mode)
        let outcome: SaveOutcome = context.inQueue {
            do {
                try context.save()
                return .saved
            } catch {
                return SaveOutcome(error)
            }
        }
        record = nil
        guard fixture.proxy.pass() > 0 else { return nil }
        return try judge(fixture, context, outcome, before, after)
    }

    private func judge(
        _ fixture: Fixture,
        _ context: NSManagedObjectContext,
        _ outcome: SaveOutcome,
        _ before: [String],
        _ after: [String]
    ) throws -> PointResult {
        var result = PointResult(figures: ["\(outcome) saves": 1])
        if outcome != .saved {
            if !context.inQueue({ context.hasChanges }) {
                result.violations.append("a context is clean after a save that has thrown")
            }
            // The next save finds out what became of this one.
            try fixture.stack.save { $0.make("Owner", "settling") }
            try fixture.stack.save { context in
                context.delete(try context.only("Owner", "settling"))
            }
        }
        let record = try ServerDump.lines(fixture.connection)
        self.record = record
        switch outcome {
        case .saved where record != after:
            let text = ServerDump.difference(after, from: record, "an acknowledged save")
            result.violations.append(text ?? "")
        case .unknown where record != before && record != after:
            result.violations.append("a save is there in part")
        case .failed where record != before, .refused where record != before:
            result.violations.append("a save that has failed has written something")
        default: break
        }
        let shown = fixture.stack.makeContext()
        let lines = try shown.inQueue { try shown.shownLines() }
        if let text = ServerDump.difference(lines, from: record, "the store") {
            result.violations.append(text)
        }
        // All saves so far are looked at.
        if number % Self.numbersInterval == 0 {
            result.violations += try ServerDump.numberViolations(fixture.connection)
        }
        return result
    }
}
#endif
