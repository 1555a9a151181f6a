import Foundation

/// A run of `mergectl`, as it came out.
struct ToolRun {
    let output: String
    let errors: String
    let code: Int32

    static func mergectl(_ arguments: [String]) throws -> ToolRun {
        try RunningTool(arguments).finish()
    }

    /// The tool, which is built beside the tests.
    static let tool = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("mergectl")

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
        process.executableURL = ToolRun.tool
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
    ///
    /// On the thread that it has, as other tests keep all of them busy for minutes: a task that
    /// sleeps would go on when the tool has long ended.
    func waitForOutput(_ text: String) throws {
        let limit = Date(timeIntervalSinceNow: 60)
        while limit.timeIntervalSinceNow > 0, process.isRunning {
            if try self.text(0).contains(text) { return }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    /// As Ctrl-C does.
    func interrupt() { process.interrupt() }

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
