#if PostgreSQL
import Foundation
import TestSupport
import Testing

/// `mergectl bench --postgresql`, over few rows: what it measures, not how long that takes.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct ServerBenchTests {
    @Test func aServerIsMeasuredBesideLibpqAndLeftAsItWas() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        // A server of its own, in which nobody else makes schemas meanwhile.
        let server = try PostgreSQLServer()
        let uri = server.url.absoluteString
        let run = try ToolRun.mergectl([
            "bench", "--postgresql", uri, "--rows", "500", "--rounds", "1", "--output", folder.path,
        ])
        #expect(run.code == 0, "\(run.errors)")
        let data = try Data(contentsOf: folder.appendingPathComponent("postgresql.json"))
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let lines = try #require(json["lines"] as? [[String: Any]])
        #expect(lines.count == 10, "\(run.output)")
        for line in lines { #expect(line["store"] as? Double ?? 0 > 0, "\(line)") }
        // The server's own work makes no machine busy with others'.
        #expect(!run.output.contains("used by others"), "\(run.output)")
        #expect(!run.output.contains("others used"), "\(run.output)")
        for word in ["unnest", "SQLite store", "two processes", "first copy", "16 writers"] {
            #expect(run.output.contains(word), "\(run.output)")
        }
        let schemas = try InstalledProgram.run(
            "psql",
            [
                "-At", "-h", server.folder.path, "-U", "postgres", "-c",
                "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'bench%'", "postgres",
            ]
        )
        #expect(schemas.output == "0\n", "\(schemas.errors)")
        try server.stop()
    }

    @Test func whatHasNothingToDoWithServersIsRefusedBesideOne() throws {
        for others in [["--layer"], ["--stacks", "main"], ["--rows", "100,200"]] {
            let run = try ToolRun.mergectl(["bench", "--postgresql", "postgresql:///x"] + others)
            #expect(run.code == 2, "\(others): \(run.errors)")
        }
        #expect(try ToolRun.mergectl(["bench", "--postgresql", "World.sqlite"]).code == 2)
    }
}
#endif
