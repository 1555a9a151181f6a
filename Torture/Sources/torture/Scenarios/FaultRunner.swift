import CTorture
import Foundation

/// What fails in an attempt: which operation, and whether those after it fail, too.
struct Injection {
    enum Source {
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
    static let kinds: [(name: String, source: Injection.Source)] = [
        ("read", .files(FAULT_READ)), ("write", .files(FAULT_WRITE)), ("full", .files(FAULT_FULL)),
        ("short", .files(FAULT_SHORT)), ("sync", .files(FAULT_SYNC)), ("open", .files(FAULT_OPEN)),
        ("name", .files(FAULT_NAME)), ("map", .files(FAULT_MAP)), ("memory", .memory),
    ]

    private struct Prepared {
        let scenario: Scenario
        let template: URL
        let clean: CleanRun
    }

    private let folder: URL
    private var prepared: [String: Prepared] = [:]
    private var attempts = 0

    init(in folder: URL) { self.folder = folder }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 4, let number = Int64(parts[3]),
            let kind = Self.kinds.first(where: { $0.name == parts[1] })
        else { throw UsageError(text: "there is no point \(point)") }
        let injection = Injection(source: kind.source, number: number, lasts: parts[2] == "lasting")
        let prepared = try prepare(parts[0])
        let (counts, wrong) = try attempt(prepared, injection)
        return counts.failed == 0 && wrong.isEmpty ? nil : PointResult(violations: wrong)
    }

    /// How many operations of a kind an attempt has in which nothing fails.
    func survey(_ scenario: String, _ source: Injection.Source) throws -> Int {
        let injection = Injection(source: source, number: 0, lasts: false)
        return Int(try attempt(prepare(scenario), injection).counts.all)
    }

    private func attempt(
        _ prepared: Prepared,
        _ injection: Injection
    ) throws -> (counts: (all: Int64, failed: Int64), wrong: [String]) {
        let place = try copy(of: prepared.template)
        defer { remove(place) }
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

    /// Makes a scenario's template, and runs it once with nothing failing.
    private func prepare(_ name: String) throws -> Prepared {
        if let known = prepared[name] { return known }
        guard let scenario = Scenario.named(name) else {
            throw UsageError(text: "there is no scenario \(name)")
        }
        let template = folder.appendingPathComponent("template-\(name)")
        try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
        try scenario.template(template)
        let place = try copy(of: template)
        defer { remove(place) }
        let attempt = try scenario.begin(place)
        let before = StoreDump(of: attempt.url)
        try attempt.act()
        let wrong = try attempt.judge(nil, nil)
        let after = StoreDump(of: attempt.url)
        try attempt.end()
        guard wrong.isEmpty, after.problems.isEmpty else {
            throw UsageError(text: "\(name) is wrong by itself: \(wrong + after.problems)")
        }
        let made = Prepared(
            scenario: scenario,
            template: template,
            clean: CleanRun(before: before, after: after)
        )
        prepared[name] = made
        return made
    }

    private func copy(of template: URL) throws -> URL {
        attempts += 1
        let place = folder.appendingPathComponent("attempt-\(attempts)")
        try FileManager.default.copyItem(at: template, to: place)
        return place
    }

    private func remove(_ place: URL) {
        // Files that are still open go with the process.
        try? FileManager.default.removeItem(at: place)
    }
}
