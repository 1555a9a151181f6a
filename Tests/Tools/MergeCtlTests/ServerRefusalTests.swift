#if !PostgreSQL
import Testing

/// What a build without the trait says of stores on servers.
@Suite struct ServerRefusalTests {
    private static let uri = "postgresql://db.example.org/notes"

    @Test(
        arguments: [
            ["fetch", "Note", "--store", uri], ["fetch", "Note", "--store=\(uri)"],
            ["inspect", uri, "--schema", "notes"], ["migrate", "Notes.sqlite", "--to", uri],
        ]
    )
    func aStoreOnAServerIsRefusedWithTheWayToBuildTheTool(arguments: [String]) throws {
        let run = try ToolRun.mergectl(arguments)
        #expect(run.code == 1 && run.output.isEmpty)
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        #expect(run.errors.contains("--product mergectl --traits PostgreSQL"), "\(run.errors)")
    }

    @Test func theHelpDoesNotTellOfServers() throws {
        let page = try ToolRun.mergectl(["manual"]).output
        #expect(!page.contains("postgresql") && !page.contains("schema"))
    }
}
#endif
