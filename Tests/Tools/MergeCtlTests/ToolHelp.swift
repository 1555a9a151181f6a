import Foundation

/// What the help texts say that there is: what completions and the manual page are compared with.
struct ToolHelp {
    /// The names of commands, in order.
    let commands: [String]
    /// The options of each command with their hyphens, in order.
    let options: [String: [String]]

    /// Reads all help texts.
    init() throws {
        let overview = try ToolRun.mergectl(["--help"]).output
        commands = Self.entries(of: "Commands:", in: overview)
        options = try commands.reduce(into: [:]) { options, command in
            let text = try ToolRun.mergectl([command, "--help"]).output
            options[command] = Self.entries(of: "Options:", in: text)
        }
    }

    /// The first words of the lines below a heading.
    private static func entries(of heading: String, in text: String) -> [String] {
        text.components(separatedBy: "\n").drop { $0 != heading }.dropFirst()
            .prefix { $0.hasPrefix("  ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }
}

/// A program that tests use where it is installed.
enum InstalledProgram {
    /// Its path; nil if it is not there.
    static func path(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs it with a text as its input.
    static func run(
        _ name: String,
        _ arguments: [String],
        input: String = "",
        in folder: URL? = nil
    ) throws -> ToolRun {
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = URL(fileURLWithPath: path(name) ?? name)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        let source = FileManager.default.temporaryDirectory
            .appendingPathComponent("input-\(UUID().uuidString)")
        try Data(input.utf8).write(to: source)
        defer { try? FileManager.default.removeItem(at: source) }
        process.standardInput = try FileHandle(forReadingFrom: source)
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // The errors are few: they fit into the pipe until the output has been read.
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return ToolRun(
            output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self),
            code: process.terminationStatus
        )
    }
}
