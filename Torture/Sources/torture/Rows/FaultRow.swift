import CTorture
import Foundation

/// R1: each operation on files fails in turn.
struct FaultRow: TortureRow {
    let id = "R1"
    let name = "faults"
    let title = "Operations on files fail"
    let unit = "points"
    let changeCount = 2_000
    let releaseCount = 25_000
    let control = "An engine that takes a COMMIT that fails for one that worked"

    func plan(_ options: Options) throws -> Plan {
        try FaultPlan.make(options, kinds: FaultRunner.kindsOfFiles, of: Scenario.all)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        let points = ["insert", "update"].flatMap { scenario in
            ["write", "full", "sync"].map { "\(scenario)/\($0)/once/*" }
        }
        return Plan(points: points, expectedCount: 60)
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        if options.isControl { defect_plant(DEFECT_COMMIT_IGNORED) }
        return FaultRunner(in: folder)
    }
}

/// R2: each allocation of SQLite fails in turn.
struct MemoryRow: TortureRow {
    let id = "R2"
    let name = "memory"
    let title = "SQLite gets no memory"
    let unit = "points"
    let changeCount = 1_000
    let releaseCount = 10_000
    let control = "An engine that takes a statement without memory for one that has come to its end"

    func plan(_ options: Options) throws -> Plan {
        try Self.install()
        return try FaultPlan.make(options, kinds: [FaultRunner.memory], of: Scenario.all)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: ["reading/memory/once/*", "update/memory/once/*"], expectedCount: 300)
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        try Self.install()
        if options.isControl { defect_plant(DEFECT_MEMORY_IGNORED) }
        return FaultRunner(in: folder)
    }

    private static func install() throws {
        let code = memory_faults_install()
        guard code == 0 else { throw UsageError(text: "SQLite error \(code) for its allocator") }
    }
}

/// The points of the rows in which something fails.
private enum FaultPlan {
    static func make(
        _ options: Options,
        kinds: [FaultRunner.Kind],
        of scenarios: [Scenario]
    ) throws -> Plan {
        let folder = try WorkFolder()
        defer { folder.remove() }
        let runner = FaultRunner(in: folder.url)
        return Plan(try scenarios.flatMap { try runner.groups(of: $0, kinds) }, options)
    }
}
