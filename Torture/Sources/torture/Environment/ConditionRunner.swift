import CTorture
import Foundation

/// Starts a process for each condition, in the surroundings that it asks for.
final class ConditionRunner: PointRunner {
    private static let longest = 60.0

    private let folder: URL
    private let isControl: Bool
    private var attempts = 0

    init(in folder: URL, isControl: Bool) {
        self.folder = folder
        self.isControl = isControl
    }

    func run(_ point: String) throws -> PointResult? {
        guard let condition = Condition.named(point) else {
            throw UsageError(text: "there is no condition \(point)")
        }
        attempts += 1
        let work = folder.appendingPathComponent("\(attempts)")
        try makeFolders(work, condition.surroundings)
        let process = try start(condition, work)
        defer { remove(work) }
        let start = Date()
        while process.isRunning {
            usleep(2_000)
            guard Date().timeIntervalSince(start) < Self.longest else {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                return PointResult(violations: ["the program hangs for \(Int(Self.longest)) s"])
            }
        }
        return try judge(process, work)
    }

    private func judge(_ process: Process, _ work: URL) throws -> PointResult {
        let place = ConditionChild.result(in: work)
        let isThere = FileManager.default.fileExists(atPath: place.path)
        guard process.terminationReason == .exit, process.terminationStatus == 0, isThere else {
            let text = try String(contentsOf: output(in: work), encoding: .utf8)
            let words = text.split(separator: "\n").prefix(3).joined(separator: " ")
            let last = words.isEmpty ? "" : ": \(words.prefix(300))"
            let how = process.terminationReason == .exit ? "exits with" : "stops with signal"
            return PointResult(
                violations: ["the program \(how) \(process.terminationStatus)\(last)"]
            )
        }
        let finding = try JSONDecoder().decode(
            ConditionChild.Finding.self,
            from: Data(contentsOf: place)
        )
        if let reason = finding.notPossible {
            FileHandle.standardError.write(Data("not possible here: \(reason)\n".utf8))
            return PointResult(figures: ["not possible here": 1])
        }
        return PointResult(violations: finding.violations)
    }

    private func makeFolders(_ work: URL, _ surroundings: Surroundings) throws {
        for folder in [
            ConditionChild.place(in: work),
            ConditionChild.result(in: work).deletingLastPathComponent(),
        ] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if surroundings.user == .nobody, geteuid() == 0 {
                try FileManager.default.setAttributes(
                    [.ownerAccountID: ConditionChild.nobody],
                    ofItemAtPath: folder.path
                )
            }
        }
    }

    private func output(in work: URL) -> URL { work.appendingPathComponent("output") }

    private func start(_ condition: Condition, _ work: URL) throws -> Process {
        let surroundings = condition.surroundings
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        var command =
            [program, "environment-child", condition.name, work.path]
            + (isControl ? ["--control"] : [])
        if let shell = surroundings.shell {
            command = ["/bin/sh", "-c", "\(shell); exec \"$0\" \"$@\""] + command
        }
        if let namespaces = surroundings.namespaces {
            command = ["/usr/bin/unshare", namespaces] + command
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        var environment = ProcessInfo.processInfo.environment
        // A crash is a result here, and its trace would take seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in surroundings.variables { environment[name] = value }
        for name in surroundings.missing { environment[name] = nil }
        process.environment = environment
        try Data().write(to: output(in: work))
        let output = try FileHandle(forWritingTo: output(in: work))
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return process
    }

    private func remove(_ work: URL) {
        // Folders that the program has closed to itself are opened again for that.
        let paths = FileManager.default.enumerator(atPath: work.path)
        while let path = paths?.nextObject() as? String { chmod("\(work.path)/\(path)", 0o700) }
        try? FileManager.default.removeItem(at: work)
    }
}
