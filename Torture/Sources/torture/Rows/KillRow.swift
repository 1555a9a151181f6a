import CTorture
import Foundation

/// R3: a process is killed.
struct KillRow: TortureRow {
    let id = "R3"
    let name = "kill"
    let title = "A process is killed"
    let unit = "cycles"
    let changeCount = 200
    let releaseCount = 12_000
    let control = "A program that tells of a save before it is made"

    /// A share of the cycles are at random times in a program that saves and saves; in the others each
    /// operation of a scenario is the last one.
    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        let randomCount = count * 7 / 10
        var points = KillRunner.randomPoints(randomCount)
        let folder = try WorkFolder()
        defer { folder.remove() }
        let runner = FaultRunner(in: folder.url)
        let groups = try KillRunner.scenarios.map { scenario in
            PointGroup(
                stem: "\(scenario.name)/",
                count: try runner.survey(scenario.name, .files(FAULT_KILL))
            )
        }
        var others = options
        if options.count != .max { others.count = count - randomCount }
        let plan = Plan(groups, others)
        points += plan.points
        return Plan(points: points, expectedCount: randomCount + plan.expectedCount)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: KillRunner.randomPoints(40), expectedCount: 40)
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        KillRunner(seed: options.seed, in: folder, isControl: options.isControl)
    }
}

/// Kills processes.
///
/// A point is named `saves/12`, for a kill at a random time, of a program that saves and saves, with a
/// new store for each ten of them; or `replace/12`, for a scenario that ends before its 12th write,
/// synchronization or naming. What random times meet is the machine's: such a point that is run again
/// is another try of the same kind, with ten cycles before it where it needs them.
private final class KillRunner: PointRunner {
    private static let storeSpan = 10
    private static let savesName = "saves"

    /// Those that write: steps that can be made again, and saves.
    static var scenarios: [Scenario] {
        Scenario.ofFiles + ["insert", "external-data", "history"].compactMap(Scenario.named)
    }

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool
    private var store = -1
    private var acknowledged: [Int: Int] = [:]
    private let scenarios: PreparedScenarios

    init(seed: UInt64, in folder: URL, isControl: Bool) {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
        scenarios = PreparedScenarios(in: folder)
    }

    static func randomPoints(_ count: Int) -> [String] {
        (0..<count).map { "\(savesName)/\($0)" }
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 2, let number = Int(parts[1]) else {
            throw UsageError(text: "there is no cycle \(point)")
        }
        return parts[0] == Self.savesName
            ? try killWhileItSaves(number) : try kill(parts[0], before: number)
    }

    // MARK: At each operation

    private func kill(_ name: String, before number: Int) throws -> PointResult? {
        let prepared = try scenarios.scenario(name)
        let place = folder.appendingPathComponent("scenario")
        defer { try? FileManager.default.removeItem(at: place) }
        try prepared.copy(to: place)
        let process = try TortureProgram.this.process(
            ["scenario-child", name, "--folder", place.path, "--count", "\(number)"]
        )
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let isKilled =
            process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard isKilled else {
            // There are not so many operations; or there is something else.
            return process.terminationStatus == 0
                ? nil : PointResult(violations: [process.howItEnded(saying: output)])
        }
        let wrong = try prepared.judge(place, isDone: !output.isEmpty)
        return PointResult(violations: wrong)
    }

    // MARK: At random times

    private func killWhileItSaves(_ number: Int) throws -> PointResult {
        var numbers = SeededNumbers(seed, UInt64(number))
        let url = try place(number)
        let process = try TortureProgram.this.process(
            ["crash-child", url.path] + (isControl ? ["--control"] : [])
        )
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // The writing end is the child's alone, so that the pipe ends with it.
        try pipe.fileHandleForWriting.close()
        // A quarter of the cycles may end while the store is opened, or made.
        var text = Data()
        if numbers.number(below: 4) != 0 {
            text = try pipe.fileHandleForReading.read(upToCount: 6) ?? Data()
        }
        usleep(UInt32(numbers.number(below: 40_000)))
        Foundation.kill(process.processIdentifier, SIGKILL)
        text += try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try judge(url, String(decoding: text, as: UTF8.self))
    }

    private func place(_ number: Int) throws -> URL {
        let place = folder.appendingPathComponent("store")
        if store != number / Self.storeSpan {
            store = number / Self.storeSpan
            if FileManager.default.fileExists(atPath: place.path) {
                try FileManager.default.removeItem(at: place)
            }
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            acknowledged = Dictionary(
                uniqueKeysWithValues: (0..<CrashChild.writers).map { ($0, 0) }
            )
        }
        return place.appendingPathComponent("Store.sqlite")
    }

    private func judge(_ url: URL, _ text: String) throws -> PointResult {
        var result = PointResult()
        // What is after the last line's end was cut off in the middle of a write.
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.first == "error" { result.violations.append("the program says: \(line)") }
            guard parts.count == 2, let writer = Int(parts[0]), let save = Int(parts[1]) else {
                continue
            }
            result.figures["acknowledged saves", default: 0] += 1
            acknowledged[writer] = save
        }
        let check = try LedgerCheck(url, acknowledged: acknowledged)
        result.violations += check.violations
        // A save that nobody was told of is there for good, too.
        acknowledged.merge(check.lastSaves) { max($0, $1) }
        if !check.violations.isEmpty { store = -1 }
        return result
    }
}
