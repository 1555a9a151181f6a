import Foundation

/// The `sqlite3` shell, which reads a store's file beside us.
public enum SQLiteShell {
    private static let path = "/usr/bin/sqlite3"
    /// Whether there is one.
    public static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The rows of a query, fields parted by bars.
    public static func rows(_ file: URL, _ sql: String) throws -> [String] {
        try lines(["-readonly", file.path, sql])
    }

    /// Runs statements that may change the file, or make it.
    @discardableResult
    public static func run(_ file: URL, _ sql: String) throws -> [String] {
        try lines([file.path, sql])
    }

    private static func lines(_ arguments: [String]) throws -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
