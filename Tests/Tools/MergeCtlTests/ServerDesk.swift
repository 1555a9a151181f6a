#if PostgreSQL
import Foundation
import TestSupport
import Testing

/// A schema of a test's own on the server of the tests, and machines at it, each with a folder for its
/// replicas.
struct ServerDesk {
    let uri: String
    let schema = "t" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    let folder: URL

    static func with(_ body: (ServerDesk) throws -> Void) throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(ServerDesk(uri: PostgreSQLServer.shared().url.absoluteString, folder: folder))
    }

    /// The options by which a machine reaches the store.
    func options(_ machine: String = "one") -> [String] {
        ["--schema", schema, "--replicas", folder.appendingPathComponent(machine).path]
    }

    /// A command about the store, with the model of the world.
    func arguments(_ words: String..., on machine: String = "one") -> [String] {
        words + ["--model", ImportDesk.model] + options(machine)
    }

    func importing(
        _ entity: String,
        _ file: String,
        batch: Int = 1_000,
        on machine: String = "one"
    ) -> [String] {
        arguments(
            "import",
            ImportDesk.world.appendingPathComponent(file).path,
            "--store",
            uri,
            "--entity",
            entity,
            "--batch",
            "\(batch)",
            on: machine
        )
    }

    func importWorld(_ name: String, _ entity: String) throws {
        let run = try ToolRun.mergectl(importing(entity, name))
        #expect(run.code == 0, "\(run.errors)")
    }

    func count(_ entity: String, on machine: String = "one") throws -> String {
        let run = try ToolRun.mergectl(
            arguments("fetch", entity, "--store", uri, "--count", on: machine)
        )
        #expect(run.code == 0, "\(run.errors)")
        return run.output.trimmingCharacters(in: .newlines)
    }
}
#endif
