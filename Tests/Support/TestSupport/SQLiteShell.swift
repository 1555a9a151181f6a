import Foundation

/// The `sqlite3` shell, which reads a store's file beside us.
public enum SQLiteShell {
    private static let path = "/usr/bin/sqlite3"
    /// Whether there is one.
    public static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The rows of a query, fields parted by bars.
    public static func rows(_ file: URL, _ sql: String) throws -> [String] {
        try ChildProgram.lines([path, "-readonly", file.path, sql])
    }

    /// Runs statements that may change the file, or make it.
    @discardableResult
    public static func run(_ file: URL, _ sql: String) throws -> [String] {
        try ChildProgram.lines([path, file.path, sql])
    }
}
