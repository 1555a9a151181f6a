import CTorture
import Foundation

/// Tries one condition, in a process of its own that may change its rights, limits and clock.
enum ConditionChild {
    /// What it found, as it leaves it in a file: standard output may be closed.
    struct Finding: Codable {
        var violations: [String] = []
        /// Why the condition could not be made.
        var notPossible: String?
    }

    /// The user and group without rights, on all systems that have one.
    static let nobody: uid_t = 65_534

    static func run(_ name: String, in work: URL, isControl: Bool) throws {
        guard let condition = Condition.named(name) else {
            throw UsageError(text: "there is no condition \(name)")
        }
        var finding = Finding()
        do {
            try enter(condition.surroundings, work)
            finding.violations = try attempt(condition, work, isControl)
        } catch let error as NotPossibleHere {
            finding.notPossible = error.reason
        }
        try JSONEncoder().encode(finding).write(to: result(in: work))
    }

    /// Where the finding is: in a folder that is never mounted over.
    static func result(in work: URL) -> URL { work.appendingPathComponent("result/finding") }
    static func place(in work: URL) -> URL { work.appendingPathComponent("place") }

    private static func enter(_ surroundings: Surroundings, _ work: URL) throws {
        if let kilobytes = surroundings.memory {
            let code = mount_memory(place(in: work).path, Int32(kilobytes))
            guard code == 0 else {
                throw NotPossibleHere(reason: "no memory can be mounted: error \(code)")
            }
        }
        if surroundings.user == .nobody, geteuid() == 0 {
            // The rights of root are kept in reserve, for what only root can take back.
            guard setegid(nobody) == 0, seteuid(nobody) == 0 else {
                throw NotPossibleHere(reason: "the process can't become another user")
            }
        }
    }

    private static func attempt(
        _ condition: Condition,
        _ work: URL,
        _ isControl: Bool
    ) throws -> [String] {
        let scenario = condition.scenario
        let template = place(in: work).appendingPathComponent("template")
        try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
        try scenario.template(template)
        let clean =
            condition.lasts
            ? nil
            : try CleanRun(
                of: scenario,
                from: template,
                in: place(in: work).appendingPathComponent("clean")
            )
        let folder = place(in: work).appendingPathComponent(condition.surroundings.folder)
        let above = folder.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: above, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: template, to: folder)
        if isControl {
            faults_watch(folder.path)
            defect_plant(DEFECT_SPACE_IGNORED)
        }
        try condition.prepare(folder)
        let attempt = try scenario.begin(folder)
        let end = try condition.begin(folder)
        var failure: (any Error)?
        do { try attempt.act() } catch { failure = error }
        try end()
        var wrong = condition.departure(failure).map { [$0] } ?? []
        guard !condition.lasts else { return wrong }
        do {
            wrong += try attempt.judge(failure, clean)
            try attempt.end()
        } catch {
            wrong.append("afterwards, when the condition has ended: \(Sentence.of(error))")
        }
        return wrong
    }
}
