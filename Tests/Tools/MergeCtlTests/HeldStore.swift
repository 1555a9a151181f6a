import Foundation

/// A store that the shell of SQLite has open until it is released, after some statements.
final class HeldStore {
    private let process = Process()
    private let input = Pipe()

    init(_ store: String, _ statements: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        process.arguments = [store]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let text = statements + " SELECT 'h' || 'eld';\n"
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        var shown = ""
        while !shown.contains("held") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            shown += String(decoding: data, as: UTF8.self)
        }
    }

    /// Ends the shell as if it were killed: nothing is moved from the journal into the file.
    func release() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// A disk of a few megabytes, which only a script sees that runs on it.
enum SmallDisk {
    /// Whether this system lets users mount a disk in memory for themselves.
    static let isPossible: Bool = {
        do {
            return try run(kilobytes: 100, "echo there").output == "there\n"
        } catch {
            return false
        }
    }()

    /// Runs a shell script in an empty folder on such a disk.
    static func run(kilobytes: Int, _ script: String) throws -> ToolRun {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = """
            mount -t tmpfs -o size=\(kilobytes)k tmpfs '\(folder.path)' && cd '\(folder.path)' || exit 9
            \(script)
            """
        return try InstalledProgram.run("unshare", ["-rm", "sh", "-c", text])
    }
}
