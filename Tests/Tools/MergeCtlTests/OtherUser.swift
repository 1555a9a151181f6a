import Foundation

/// Runs `mergectl` as somebody whom the permissions of files bind, which they don't bind root.
enum OtherUser {
    /// How a command is run so: as we are, or as nobody.
    private static let prefix: [String] = {
        guard geteuid() == 0 else { return ["env"] }
        return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    }()

    /// Whether it can be done here: root needs `setpriv`, and nobody has to reach the tool and the
    /// folder of the tests' files.
    static let isThere: Bool = {
        do {
            let folder = try ToolRun.makeFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let script = "cd \"$1\" && exec \"$2\" --version"
            let run = try run(["sh", "-c", script, "sh", folder.path, ToolRun.tool.path])
            return run.code == 0 && run.output.hasPrefix("mergectl ")
        } catch {
            return false
        }
    }()

    static func mergectl(_ arguments: [String]) throws -> ToolRun {
        try run([ToolRun.tool.path] + arguments)
    }

    static func run(_ words: [String]) throws -> ToolRun {
        try InstalledProgram.run(prefix[0], prefix.dropFirst() + words)
    }

    /// Does something while the permissions of a file or folder are others.
    static func with<Result>(
        _ permissions: Int,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result {
        let manager = FileManager.default
        let former = try manager.attributesOfItem(atPath: path)[.posixPermissions]
        try manager.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        // Or the folder could not be removed.
        defer {
            try? manager.setAttributes([.posixPermissions: former ?? 0o755], ofItemAtPath: path)
        }
        return try body()
    }
}
