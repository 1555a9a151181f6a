import Foundation

/// A run of `mergectl`, as it came out.
struct ToolRun {
    let output: String
    let errors: String
    let code: Int32

    static func mergectl(_ arguments: [String]) throws -> ToolRun {
        try RunningTool(arguments).finish()
    }

    /// A new folder for a test's files.
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("ToolTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// A run of `mergectl` that is under way.
final class RunningTool {
    private let process = Process()
    private let folder: URL
    /// Files, since a full pipe would stop the tool.
    private let paths: [URL]

    /// Starts the tool.
    init(_ arguments: [String]) throws {
        folder = try ToolRun.makeFolder()
        let folder = folder
        paths = ["out", "err"].map { folder.appendingPathComponent($0) }
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("mergectl")
        process.arguments = arguments
        for path in paths { try Data().write(to: path) }
        process.standardOutput = try FileHandle(forWritingTo: paths[0])
        process.standardError = try FileHandle(forWritingTo: paths[1])
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Waits until the output has a text, or the tool has ended, or a minute is over.
    func waitForOutput(_ text: String) async throws {
        let limit = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < limit, process.isRunning {
            if try self.text(0).contains(text) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until the tool has ended, but not forever.
    func finish(within seconds: Double = 300) throws -> ToolRun {
        let limit = Date(timeIntervalSinceNow: seconds)
        while process.isRunning, limit.timeIntervalSinceNow > 0 {
            Thread.sleep(forTimeInterval: 0.002)
        }
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        return ToolRun(
            output: try text(0),
            errors: try text(1),
            code: process.terminationStatus
        )
    }

    private func text(_ index: Int) throws -> String {
        String(decoding: try Data(contentsOf: paths[index]), as: UTF8.self)
    }
}
