#if PostgreSQL
import Foundation
import Threads

/// A server of PostgreSQL of the tests' own, in a temporary folder, without a network: it is reached
/// by a socket in that folder, and goes with the process.
public final class PostgreSQLServer: Sendable {
    /// Where the programs of the server are; nil where there are none, so that tests are skipped.
    public static let programs: String? = {
        let versions = "/usr/lib/postgresql"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: versions) else {
            return nil
        }
        let newest = names.compactMap(Int.init).max()
        return newest.map { "\(versions)/\($0)/bin" }
    }()
    public static var isInstalled: Bool { programs != nil }

    private static let started = Guarded<Result<PostgreSQLServer, any Error>?>(nil)

    /// The server of this process, which is started when the first test asks for it.
    public static func shared() throws -> PostgreSQLServer {
        try started.withLock { started in
            if let started { return started }
            let result = Result { try PostgreSQLServer() }
            started = result
            return result
        }
        .get()
    }

    /// The folder of the server's socket.
    public let folder: URL
    private let process: Process
    /// The server ends when this pipe does, with the process at the latest.
    private let life: Pipe
    private let output = Pipe()

    /// Starts a server.
    public init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("MergeStackPostgreSQL-\(UUID().uuidString)")
        process = Process()
        life = Pipe()
        // Programs that exit tests start while it runs would keep the pipe open after `stop()`.
        let descriptor = life.fileHandleForWriting.fileDescriptor
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw POSIXError(.EBADF) }
        process.executableURL = Self.script
        process.arguments = [folder.path]
        process.standardInput = life
        process.standardOutput = output
        try process.run()
        try waitUntilReady()
    }

    /// Up to the line that says that it is up, or the end of a shell that could not start it.
    private func waitUntilReady() throws {
        let line = output.fileHandleForReading.availableData
        guard String(decoding: line, as: UTF8.self).hasPrefix("ready") else {
            throw NeverHappened(description: "The PostgreSQL server of the tests did not start.")
        }
    }

    /// Kills it, as a crash would, and starts it again: it recovers what it has confirmed.
    public func crashAndRestart() throws { try command("kill") }

    /// Has it do nothing any more, without ending.
    public func freeze() throws { try command("freeze") }

    /// Has it go on where it was frozen.
    public func thaw() throws { try command("thaw") }

    /// Keeps a copy of all that it has confirmed by now.
    public func keepCopy() throws { try command("keep") }

    /// Goes on with the copy that was kept, as a standby does that had got no further when its primary
    /// was lost: what was confirmed since then is gone.
    public func returnToCopy() throws { try command("return") }

    private func command(_ name: String) throws {
        try life.fileHandleForWriting.write(contentsOf: Data((name + "\n").utf8))
        try waitUntilReady()
    }

    /// What starts it, and obeys lines of its standard input.
    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Scripts/postgresql-server")

    /// The URL of its database.
    public var url: URL { url("postgres") }

    /// The URL of a database of it.
    public func url(_ database: String, _ parameters: String = "") -> URL {
        let path = folder.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let text = "postgresql:///\(database)?host=\(path)&user=postgres\(parameters)"
        guard let url = URL(string: text) else { fatalError("\(text) is no URL.") }
        return url
    }

    /// Ends it, as `shared()` is by the end of the process.
    public func stop() throws {
        try life.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
#endif
