import Foundation

/// R6: the main queue and contexts of others are inside each other, and nobody waits for ever.
struct NestingRow: TortureRow {
    let id = "R6"
    let name = "nestings"
    let title = "The main queue and contexts wait for each other"
    let unit = "hundreds of rounds"
    let changeCount = 30
    let releaseCount = 1_000
    let control = "Two locks that main and a worker take in opposite order"
    /// A hundred rounds of the limit that each has would be longer, but one ends the program.
    var pointLimit: Double { 180 }

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        return Plan(points: NestingRunner.points(count), expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: NestingRunner.points(3), expectedCount: 3)
    }

    /// In each of the set-ups.
    func isCaught(_ outcome: Outcome) -> Bool {
        outcome.violations.count { $0.text.contains("it hangs") } == outcome.done
            && outcome.done == 3
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        NestingRunner(seed: options.seed, in: folder, isControl: options.isControl)
    }
}

/// Has programs nest, a hundred rounds each.
///
/// A point is named `run-loop/12`, after the way in which the main queue is served. What meets what in
/// it is the machine's affair: a point that is run again is another try of the same kind.
private final class NestingRunner: PointRunner {
    private static let roundCount = 100

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool

    init(seed: UInt64, in folder: URL, isControl: Bool) {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
    }

    static func points(_ count: Int) -> [String] {
        let setUps = NestingChild.SetUp.allCases
        return (0..<count).map { "\(setUps[$0 % setUps.count].rawValue)/\($0)" }
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/")
        guard parts.count == 2, let number = UInt64(parts[1]),
            NestingChild.SetUp(rawValue: String(parts[0])) != nil
        else { throw UsageError(text: "there is no point \(point)") }
        let place = folder.appendingPathComponent("\(number)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        // The number of each set-up's child, so that each has both deliveries.
        let own = number / UInt64(NestingChild.SetUp.allCases.count)
        let process = try TortureProgram.this.process(
            ["nesting-child", place.appendingPathComponent("Store.sqlite").path]
                + ["--set-up", String(parts[0]), "--count", "\(Self.roundCount)"]
                + ["--seed", "\(seed &* 1_000_000 &+ own)"] + (isControl ? ["--control"] : [])
        )
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        var result = PointResult(figures: ["rounds": Self.roundCount])
        result.violations = String(decoding: output, as: UTF8.self).split(separator: "\n")
            .map { String($0) }
        if process.terminationReason != .exit || ![0, 3].contains(process.terminationStatus) {
            result.violations.append(process.howItEnded(saying: output))
        }
        return result
    }
}
