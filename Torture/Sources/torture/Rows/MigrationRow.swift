import CTorture
import CoreData
import Foundation

/// R14: migrations are interrupted at each of their operations on files.
struct MigrationRow: TortureRow {
    let id = "R14"
    let name = "migrations"
    let title = "Migrations are interrupted"
    let unit = "interruptions"
    let changeCount = 200
    let releaseCount = 5_000
    let control = "A migration whose new files get their names before they are synchronized"

    func plan(_ options: Options) throws -> Plan {
        let folder = try WorkFolder()
        defer { folder.remove() }
        let runner = InterruptionRunner(seed: options.seed, in: folder.url, isControl: false)
        var groups: [PointGroup] = []
        for scenario in Scenario.migrations {
            groups += try runner.groups(of: scenario)
        }
        return Plan(groups, options)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: ["migration-in-place/strict/*"], expectedCount: 300)
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        InterruptionRunner(seed: options.seed, in: folder, isControl: options.isControl)
    }
}

/// Interrupts migrations, looks whether the store is of the old version or of the new one as a whole,
/// and makes them again.
///
/// A point is named `migration-light/killed/12`: the program is killed after the 11th operation;
/// `…/ordered/12` or `…/strict/12`: the power fails there; `…/write/once/12`: an operation fails.
final class InterruptionRunner: PointRunner {
    /// How many different outcomes of a power cut are tried at each operation.
    private static let drawCount = 3

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool
    private let scenarios: PreparedScenarios
    private let faults: FaultRunner
    private var recorded: [String: RecordedScenario] = [:]

    init(seed: UInt64, in folder: URL, isControl: Bool) {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
        scenarios = PreparedScenarios(in: folder)
        faults = FaultRunner(in: folder, scenarios)
    }

    /// All the points of a migration.
    func groups(of scenario: Scenario) throws -> [PointGroup] {
        let count = try recording(scenario.name).recording.operations.count
        let cuts = PowerCut.Model.allCases.map { model in
            PointGroup(
                stem: "\(scenario.name)/\(model.rawValue)/",
                count: count * (model == .killed ? 1 : Self.drawCount)
            )
        }
        return try cuts + faults.groups(of: scenario, FaultRunner.kindsOfFiles)
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 3, let number = Int(parts[2]), number > 0,
            let model = PowerCut.Model(rawValue: parts[1])
        else { return try faults.run(point) }
        let recorded = try recording(parts[0])
        let count = recorded.recording.operations.count
        guard number <= count * (model == .killed ? 1 : Self.drawCount) else { return nil }
        var numbers = SeededNumbers(seed, UInt64(number), 14)
        let place = folder.appendingPathComponent("interrupted")
        defer { try? FileManager.default.removeItem(at: place) }
        let wrong = try recorded.judge(
            model,
            after: (number - 1) % count,
            in: place,
            &numbers,
            look: MigrationLook.wrong
        )
        return PointResult(violations: wrong)
    }

    private func recording(_ name: String) throws -> RecordedScenario {
        if let known = recorded[name] { return known }
        var made = try RecordedScenario(scenarios.scenario(name), in: folder)
        if isControl { made = made.withEarlyNames }
        recorded[name] = made
        return made
    }
}

/// What a program finds that opens an interrupted store without migrating it.
enum MigrationLook {
    /// - Returns: What is wrong, in sentences: the store opens with none of the versions of the model,
    ///   or with more than one.
    static func wrong(_ place: URL) throws -> [String] {
        // A copy, for opening takes a log in.
        let copy = place.appendingPathExtension("look")
        try FileManager.default.copyItem(at: place, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        let url = Scenario.store(in: copy)
        var opened = 0
        for model in TortureModel.all {
            do {
                let stack = try Stack(url, model: model)
                opened += 1
                try stack.close()
            } catch let error as CocoaError
                where error.code.rawValue == NSPersistentStoreIncompatibleVersionHashError
            {
                continue
            }
        }
        return opened == 1 ? [] : ["the store opens with \(opened) versions of the model"]
    }
}

extension RecordedScenario {
    /// The planted defect: what a file that is renamed has in it is synchronized in the end only.
    fileprivate var withEarlyNames: RecordedScenario {
        var openings: [String: Set<Int64>] = [:]
        for operation in recording.operations {
            if case .open(let path, _, _) = operation.kind {
                openings[path, default: []].insert(operation.opening)
            }
        }
        var early: Set<Int64> = []
        for operation in recording.operations {
            if case .rename(let from, _) = operation.kind { early.formUnion(openings[from] ?? []) }
        }
        func isLate(_ operation: Operation) -> Bool {
            guard case .synchronize = operation.kind else { return false }
            return early.contains(operation.opening)
        }
        let all = recording.operations
        let changed = all.filter { !isLate($0) } + all.filter(isLate)
        return RecordedScenario(prepared, Recording(recording, operations: changed))
    }
}
