import Foundation

/// A scenario with the files that each attempt gets a copy of, and what they hold before and after an
/// attempt in which nothing fails.
struct PreparedScenario {
    let scenario: Scenario
    let clean: CleanRun
    /// What the files hold that each attempt gets.
    let template: StoreDump
    private let files: URL

    /// Makes a scenario's template, and runs it once with nothing failing.
    init(_ name: String, in folder: URL) throws {
        guard let scenario = Scenario.named(name) else {
            throw UsageError(text: "there is no scenario \(name)")
        }
        self.scenario = scenario
        files = folder.appendingPathComponent("template-\(name)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try scenario.template(files)
        var clean = try CleanRun(
            of: scenario,
            from: files,
            in: folder.appendingPathComponent("clean-\(name)")
        )
        let steps = folder.appendingPathComponent("between-\(name)")
        try FileManager.default.copyItem(at: files, to: steps)
        defer { try? FileManager.default.removeItem(at: steps) }
        template = StoreDump(of: scenario.target(steps))
        clean.between = try scenario.between.map { step in
            try step(steps)
            return StoreDump(of: scenario.target(steps))
        }
        self.clean = clean
    }

    /// Copies the files of the template.
    func copy(to place: URL) throws { try FileManager.default.copyItem(at: files, to: place) }
}

extension CleanRun {
    /// Makes a scenario's step once with nothing failing, in a copy of its template.
    init(of scenario: Scenario, from template: URL, in place: URL) throws {
        try FileManager.default.copyItem(at: template, to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        let attempt = try scenario.begin(place)
        let before = StoreDump(of: attempt.url)
        try attempt.act()
        let wrong = try attempt.judge(nil, nil)
        let after = StoreDump(of: attempt.url)
        try attempt.end()
        guard wrong.isEmpty, after.problems.isEmpty else {
            throw UsageError(text: "\(scenario.name) is wrong by itself: \(wrong + after.problems)")
        }
        self.init(before: before, after: after, shape: try FolderContent(of: place).shape)
    }
}

/// Prepares scenarios when they are first asked for.
final class PreparedScenarios {
    private let folder: URL
    private var known: [String: PreparedScenario] = [:]

    init(in folder: URL) { self.folder = folder }

    func scenario(_ name: String) throws -> PreparedScenario {
        if let scenario = known[name] { return scenario }
        let made = try PreparedScenario(name, in: folder)
        known[name] = made
        return made
    }
}
