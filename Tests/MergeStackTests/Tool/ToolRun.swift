import Foundation

/// A run of `mergectl`, as it came out.
struct ToolRun {
    let output: String
    let errors: String
    let code: Int32

    static func mergectl(_ arguments: [String]) throws -> ToolRun {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("mergectl")
        process.arguments = arguments
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files, since a full pipe would stop the tool.
        let paths = ["out", "err"].map { folder.appendingPathComponent($0) }
        for path in paths { try Data().write(to: path) }
        process.standardOutput = try FileHandle(forWritingTo: paths[0])
        process.standardError = try FileHandle(forWritingTo: paths[1])
        try process.run()
        process.waitUntilExit()
        let texts = try paths.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return ToolRun(output: texts[0], errors: texts[1], code: process.terminationStatus)
    }

    /// A new folder for a test's files.
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("ToolTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
