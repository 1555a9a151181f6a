import Foundation

/// The files of one run of a row: the plan, what each point gave, and where the worker is.
struct RunFiles {
    /// What one point gave.
    struct Entry: Codable {
        var line: Int
        var point: String
        var result: PointResult
        /// Whether the line of the plan has come to its end.
        var isEnd = false
    }

    let folder: URL

    var plan: URL { folder.appendingPathComponent("plan") }
    var results: URL { folder.appendingPathComponent("results.jsonl") }
    var progress: URL { folder.appendingPathComponent("progress") }
    var output: URL { folder.appendingPathComponent("output") }

    func make(_ plan: Plan) throws {
        if FileManager.default.fileExists(atPath: folder.path) {
            try FileManager.default.removeItem(at: folder)
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = ["\(plan.expectedCount)"] + plan.points
        try Data(lines.joined(separator: "\n").utf8).write(to: self.plan)
        try Data().write(to: results)
    }

    func readPlan() throws -> Plan {
        let lines = try String(contentsOf: plan, encoding: .utf8).split(separator: "\n")
        return Plan(
            points: lines.dropFirst().map(String.init),
            expectedCount: lines.first.flatMap { Int($0) } ?? 0
        )
    }

    /// What was written so far; a line that the end of a process has cut off is left out.
    func readResults() throws -> [Entry] {
        let decoder = JSONDecoder()
        return try Data(contentsOf: results).split(separator: UInt8(ascii: "\n"))
            .compactMap { try? decoder.decode(Entry.self, from: $0) }
    }

    /// The line and the point where the worker is.
    func readProgress() -> (line: Int, point: String)? {
        guard let text = try? String(contentsOf: progress, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n")
        guard lines.count >= 2, let line = Int(lines[0]) else { return nil }
        return (line, String(lines[1]))
    }
}
