import Foundation

/// The verdict on a row, as it is kept in a file.
struct RowResult: Codable {
    /// Something that is wrong, and how to see it again.
    struct Finding: Codable {
        var point: String
        var text: String
        var replay: String
    }

    /// What became of the planted defect.
    struct Control: Codable {
        var planted: String
        var done: Int
        var violations: Int
        var example: String
        var isCaught: Bool
    }

    var row: String
    var name: String
    var title: String
    var unit: String
    var goal: Int
    var done: Int
    /// Whether all points of the run were made, not only those for which there was time.
    var isWhole: Bool
    var seed: UInt64
    var figures: [String: Int]
    var violations: [Finding]
    var control: Control
    var machine: String
    var date: String
    var seconds: Double

    var isGreen: Bool { violations.isEmpty && control.isCaught && done > 0 }

    func write(in folder: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: folder.appendingPathComponent("\(row).json"))
    }

    static func all(in folder: URL) throws -> [RowResult] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" && $0.lastPathComponent.hasPrefix("R") }
            .map { try JSONDecoder().decode(RowResult.self, from: Data(contentsOf: $0)) }
            .sorted { Int($0.row.dropFirst()) ?? 0 < Int($1.row.dropFirst()) ?? 0 }
    }

    /// Prints the verdict.
    func say() {
        let each = done > 0 ? String(format: "%.2f ms each", seconds * 1000 / Double(done)) : ""
        let end = isWhole ? "" : ", the time was up before the end"
        print("\(row) \(name): \(done) \(unit) in \(Int(seconds)) s, \(each), seed \(seed)\(end)")
        for (figure, value) in figures.sorted(by: { $0.key < $1.key }) {
            print("  \(figure): \(value)")
        }
        print("  \(violations.count) violations")
        for finding in violations {
            print("  \(finding.point): \(finding.text)\n    \(finding.replay)")
        }
        print(
            "  control (\(control.planted)): \(control.isCaught ? "caught" : "NOT CAUGHT"), "
                + "\(control.violations) violations in \(control.done) \(unit)"
        )
        print("  \(isGreen ? "green" : "RED")")
    }
}

/// The machine that a run was made on.
enum Machine {
    static var description: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let name =
            lines.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
        let memory = ProcessInfo.processInfo.physicalMemory >> 30
        return "\(ProcessInfo.processInfo.processorCount) × \(name), \(memory) GiB"
    }
}
