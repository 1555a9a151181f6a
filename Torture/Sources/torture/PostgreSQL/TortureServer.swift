#if PostgreSQL
import Foundation

/// A server of PostgreSQL of this program's own, which ends with it; `Scripts/postgresql-server` says
/// what it obeys.
///
/// > Threading: One thread at a time.
final class TortureServer {
    enum Command: String {
        case kill, freeze, thaw, detach, promote
        case killForGood = "kill-for-good"
    }

    let folder: URL
    private let process = Process()
    private let input = Pipe(), output = Pipe()

    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Scripts/postgresql-server")

    /// - Parameters:
    ///   - folder: Where it is made; nothing may be there.
    ///   - other: The server that it follows, if it is a standby.
    ///   - settings: Of the server, as `name=value`.
    init(in folder: URL, standbyOf other: TortureServer? = nil, _ settings: String...) throws {
        self.folder = folder
        process.executableURL = Self.script
        process.arguments =
            [folder.path] + (other.map { ["--standby-of", $0.folder.path] } ?? []) + settings
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try waitUntilReady("start")
    }

    func tell(_ command: Command) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((command.rawValue + "\n").utf8))
        try waitUntilReady(command.rawValue)
    }

    func stop() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The URL of its database; with others, of whichever of them may be written to.
    func url(or others: TortureServer...) -> URL {
        let hosts = ([self] + others).map { server in
            server.folder.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        var text = "postgresql:///postgres?host=\(hosts.joined(separator: ","))&user=postgres"
        if !others.isEmpty { text += "&target_session_attrs=read-write" }
        guard let url = URL(string: text) else { fatalError("\(text) is no URL.") }
        return url
    }

    private func waitUntilReady(_ what: String) throws {
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard answer == "ready\n" else {
            throw UsageError(text: "the server does not \(what); is PostgreSQL installed?")
        }
    }
}
#endif
