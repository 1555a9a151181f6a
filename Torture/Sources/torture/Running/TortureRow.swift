import Foundation

/// One of the ways in which the project breaks itself: a row of the report.
protocol TortureRow: Sendable {
    /// The row's number, `R1`.
    var id: String { get }
    /// The command's name.
    var name: String { get }
    var title: String { get }
    /// What a point is, in the plural.
    var unit: String { get }
    /// How many points a change runs, and how many a release.
    var changeCount: Int { get }
    var releaseCount: Int { get }
    /// What is planted, so that the row has to find something.
    var control: String { get }
    /// How long a point may take before it counts as hanging, in seconds.
    var pointLimit: Double { get }
    /// The program that runs points: this one, or another build of it.
    var program: TortureProgram { get }

    /// The points of a run.
    func plan(_ options: Options) throws -> Plan

    /// The points that are run with the planted defect.
    func controlPlan(_ options: Options) throws -> Plan

    /// Whether the control was found: what a run with the planted defect gave.
    func isCaught(_ outcome: Outcome) -> Bool

    /// What runs points, in a process that may stop at any of them.
    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner
}

extension TortureRow {
    var pointLimit: Double { 60 }
    var program: TortureProgram { .this }
    func isCaught(_ outcome: Outcome) -> Bool { !outcome.violations.isEmpty }
}

/// The rows that there are.
enum Rows {
    static let all: [any TortureRow] =
        engine + FuzzRow.all + surroundings + servers

    /// What the engine stands on fails, and what it keeps meets or is damaged.
    private static let engine: [any TortureRow] = [
        FaultRow(), MemoryRow(), KillRow(), PowerRow(), ThreadRow(), NestingRow(), HistoryRow(),
        UpdateRow(), LeakRow(), DamageRow(), MigrationRow(),
    ]

    /// What is around the engine, and what programs give to it.
    private static let surroundings: [any TortureRow] = [
        EnvironmentRow(), ValueRow(), QueueRow(),
    ]

    /// Stores that many machines share; none in a build without them.
    private static let servers: [any TortureRow] = {
        #if PostgreSQL
        [SharingRow(), ServerKillRow(), CutRow(), FailoverRow(), ReplicaKillRow()]
        #else
        []
        #endif
    }()

    static func named(_ name: String) -> (any TortureRow)? {
        all.first { $0.name == name || $0.id == name.uppercased() }
    }
}

/// The points of a run, in order.
struct Plan {
    /// Names of points. One that ends in `*` stands for all of a kind: they are run until nothing is
    /// left to fail.
    var points: [String]
    /// How many points these are, as far as is known.
    var expectedCount: Int
}

/// Runs points, one after the other.
protocol PointRunner: AnyObject {
    /// Runs one point.
    ///
    /// - Returns: What it gave; nil for a point of a `*` beyond the last one.
    func run(_ point: String) throws -> PointResult?
}

/// What a point gave.
struct PointResult: Codable {
    /// Sentences that say what is wrong.
    var violations: [String] = []
    /// Numbers by name, to add up; of those named `most …` the largest counts.
    var figures: [String: Int] = [:]
}

/// What is wrong, and where.
struct Violation: Codable {
    var point: String
    var text: String
}

/// What a run gave.
struct Outcome {
    var done = 0
    var violations: [Violation] = []
    var figures: [String: Int] = [:]
    /// Whether all of the plan was run.
    var isWhole = false
}
