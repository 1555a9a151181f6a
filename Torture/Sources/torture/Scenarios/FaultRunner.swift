import CTorture
import Foundation

/// What fails in an attempt: which operation, and whether those after it fail, too.
struct Injection {
    enum Source: Sendable {
        case files(fault_kind)
        case memory
    }

    let source: Source
    /// From 1; 0 counts only.
    let number: Int64
    let lasts: Bool

    func arm() {
        switch source {
        case .files(let kind): faults_arm(kind, number, lasts ? 1 : 0)
        case .memory: memory_faults_arm(number, lasts ? 1 : 0)
        }
    }

    static func disarm() {
        faults_disarm()
        memory_faults_disarm()
    }

    /// How many operations there were that might have failed, and how many have.
    var counts: (all: Int64, failed: Int64) {
        switch source {
        case .files: (faults_count(), faults_hits())
        case .memory: (memory_faults_count(), memory_faults_hits())
        }
    }
}

/// Runs attempts of scenarios, each on a copy of its template.
///
/// A point is named `scenario/kind/once/12`, or `…/lasting/12`.
final class FaultRunner: PointRunner {
    /// What fails, with the name that points have of it.
    struct Kind: Sendable {
        let name: String
        let source: Injection.Source
    }

    static let kindsOfFiles = [
        ("read", FAULT_READ), ("write", FAULT_WRITE), ("full", FAULT_FULL), ("short", FAULT_SHORT),
        ("sync", FAULT_SYNC), ("open", FAULT_OPEN), ("name", FAULT_NAME), ("map", FAULT_MAP),
    ].map { Kind(name: $0.0, source: .files($0.1)) }
    static let memory = Kind(name: "memory", source: .memory)

    private let folder: URL
    private let scenarios: PreparedScenarios
    private var attempts = 0

    init(in folder: URL, _ scenarios: PreparedScenarios? = nil) {
        self.folder = folder
        self.scenarios = scenarios ?? PreparedScenarios(in: folder)
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 4, let number = Int64(parts[3]),
            let kind = (Self.kindsOfFiles + [Self.memory]).first(where: { $0.name == parts[1] })
        else { throw UsageError(text: "there is no point \(point)") }
        let injection = Injection(source: kind.source, number: number, lasts: parts[2] == "lasting")
        let prepared = try scenarios.scenario(parts[0])
        let (counts, wrong) = try attempt(prepared, injection)
        return counts.failed == 0 && wrong.isEmpty ? nil : PointResult(violations: wrong)
    }

    /// The points of a scenario.
    func groups(of scenario: Scenario, _ kinds: [Kind]) throws -> [PointGroup] {
        try kinds.flatMap { kind in
            let count = try survey(scenario.name, kind.source)
            return ["once", "lasting"].map { "\(kind.name)/\($0)" }
                .filter { !scenario.leftOut.contains($0) }
                .map { PointGroup(stem: "\(scenario.name)/\($0)/", count: count) }
        }
    }

    /// How many operations of a kind an attempt has in which nothing fails.
    func survey(_ scenario: String, _ source: Injection.Source) throws -> Int {
        let injection = Injection(source: source, number: 0, lasts: false)
        return Int(try attempt(scenarios.scenario(scenario), injection).counts.all)
    }

    private func attempt(
        _ prepared: PreparedScenario,
        _ injection: Injection
    ) throws -> (counts: (all: Int64, failed: Int64), wrong: [String]) {
        attempts += 1
        let place = folder.appendingPathComponent("attempt-\(attempts)")
        try prepared.copy(to: place)
        // Files that are still open go with the process.
        defer { try? FileManager.default.removeItem(at: place) }
        // From the beginning: what is opened now is used while something fails.
        faults_watch(place.path)
        let attempt = try prepared.scenario.begin(place)
        injection.arm()
        var failure: (any Error)?
        do { try attempt.act() } catch { failure = error }
        let counts = injection.counts
        Injection.disarm()
        if failure != nil, counts.failed == 0, injection.number == 0 {
            throw failure ?? CancellationError()
        }
        let wrong: [String]
        do {
            wrong = try attempt.judge(failure, prepared.clean)
        } catch {
            return (counts, ["afterwards, when nothing fails any more: \(Sentence.of(error))"])
        }
        do { try attempt.end() } catch {
            return (counts, wrong + ["at the end: \(Sentence.of(error))"])
        }
        return (counts, wrong)
    }
}
