#if PostgreSQL
import Foundation
import TestSupport
import Testing

/// `mergectl` at stores on a server, from several machines.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct ServerToolTests {
    @Test func whatOneMachineImportsAnotherOneFetchesAndExports() throws {
        try ServerDesk.with { desk in
            try desk.importWorld("continents.json", "Continent")
            // A second machine, whose replica is older than the next import.
            #expect(try desk.count("Continent", on: "two") == "7")
            try desk.importWorld("countries.json", "Country")
            #expect(try desk.count("Country", on: "two") == "252")
            let file = desk.folder.appendingPathComponent("Countries.csv")
            let run = try ToolRun.mergectl(
                desk.arguments(
                    "export",
                    file.path,
                    "--store",
                    desk.uri,
                    "--entity",
                    "Country",
                    "--where",
                    "code BEGINSWITH 'C'",
                    on: "three"
                )
            )
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("20 rows, "), "\(run.output)")
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("Switzerland") && !text.contains("Germany"))
        }
    }

    @Test func aTrialLeavesTheServerAsItIs() throws {
        try ServerDesk.with { desk in
            try desk.importWorld("continents.json", "Continent")
            let run = try ToolRun.mergectl(
                desk.importing("Country", "countries.json") + ["--dry-run"]
            )
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.contains("252 created"), "\(run.output)")
            #expect(try desk.count("Country") == "0")
        }
    }

    @Test func inspectTellsTheEntitiesAndTheSavesOfAServer() throws {
        try ServerDesk.with { desk in
            // A machine that is told of the saves that follow.
            try desk.importWorld("continents.json", "Continent")
            #expect(try desk.count("Country", on: "two") == "0")
            try desk.importWorld("countries.json", "Country")
            let text = try ToolRun.mergectl(desk.arguments("inspect", desk.uri, on: "two"))
            #expect(text.code == 0, "\(text.errors)")
            #expect(text.output.contains("  Country    252"), "\(text.output)")
            #expect(text.output.contains("the server's own"), "\(text.output)")
            let run = try ToolRun.mergectl(
                desk.arguments("inspect", desk.uri, "--format", "json", on: "two")
            )
            let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
            let report = try #require(json as? [String: Any])
            let server = try #require(report["server"] as? [String: Any])
            #expect(try #require(server["knownTransactionCount"] as? Int) > 0)
            let metadata = try #require(report["metadata"] as? [String: Any])
            #expect(metadata["NSStoreType"] as? String == "PostgreSQL")
        }
    }

    /// Two machines watch, and each sees what the other one and a third one import.
    @Test func watchersOfTwoReplicasPrintTheSameImportWithItsLateness() throws {
        try ServerDesk.with { desk in
            try desk.importWorld("continents.json", "Continent")
            let watchers = try ["two", "three"].map { machine in
                try RunningTool(
                    desk.arguments("watch", "--store", desk.uri, "--merges", "8", on: machine)
                )
            }
            for watcher in watchers { try watcher.waitForOutput("Watching") }
            let run = try ToolRun.mergectl(
                desk.importing("Country", "countries.json", batch: 60, on: "four")
            )
            #expect(run.code == 0, "\(run.errors)")
            for watcher in watchers {
                let watched = try watcher.finish(within: 60)
                #expect(watched.code == 0, "\(watched.errors)")
                let lines = watched.output.split(separator: "\n").dropFirst()
                try #require(lines.count == 8, "\(watched.output)")
                for (line, count) in zip(lines, [60, 60, 60, 60, 12]) {
                    #expect(line.hasPrefix("mergectl: Country +\(count), now "), "\(line)")
                }
                for line in lines {
                    #expect(line.hasSuffix(" ms late)"), "\(line)")
                }
                #expect(lines.last?.contains("now 252") == true)
            }
        }
    }

    @Test func aStoreIsMigratedFromAServerIntoAFile() throws {
        try ServerDesk.with { desk in
            try desk.importWorld("continents.json", "Continent")
            try desk.importWorld("countries.json", "Country")
            let file = desk.folder.appendingPathComponent("World.sqlite").path
            let migrating = desk.arguments("migrate", desk.uri, "--to", file)
            let run = try ToolRun.mergectl(migrating)
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("259 objects of "), "\(run.output)")
            let fetched = try ToolRun.mergectl([
                "fetch", "Country", "--store", file, "--where", "continent.code == 'EU'", "--count",
            ])
            #expect(fetched.output == "54\n", "\(fetched.output) \(fetched.errors)")
            // What is there is not written over.
            let again = try ToolRun.mergectl(migrating)
            #expect(again.code == 1 && again.errors.contains("already"), "\(again.errors)")
            #expect(try desk.count("Country") == "252")
        }
    }

    @Test func aStoreIsMigratedFromAFileToAServer() throws {
        try ServerDesk.with { desk in
            try ImportDesk.with { files in
                try files.importWorld("continents.json", "Continent")
                try files.importWorld("countries.json", "Country")
                let migrating =
                    ["migrate", files.store.path, "--to", desk.uri] + desk.options()
                let run = try ToolRun.mergectl(migrating)
                #expect(run.code == 0, "\(run.errors)")
                #expect(run.output.hasPrefix("259 objects of "), "\(run.output)")
                #expect(try desk.count("Country", on: "two") == "252")
                // And it goes on from there.
                try desk.importWorld("countries.json", "Country")
                #expect(try desk.count("Country", on: "two") == "252")
                // What is there is not written over.
                let again = try ToolRun.mergectl(migrating)
                #expect(again.code == 1 && again.output.isEmpty, "\(again.output)")
                #expect(try desk.count("Continent", on: "two") == "7")
                #expect(try files.count("Country") == 252)
            }
        }
    }

    @Test func whatCanNotBeDoneWithAServerIsSaidInASentence() throws {
        try ServerDesk.with { desk in
            let place = desk.options(), model = ImportDesk.model
            let file = desk.folder.appendingPathComponent("Other.sqlite").path
            let secret = "postgresql://ann:secret@db.example.org/notes"
            let cases: [([String], String)] = [
                (["fetch", "Country", "--store", desk.uri] + place, "give --model"),
                (
                    desk.arguments("fetch", "Country", "--store", desk.uri),
                    "has no store in the schema"
                ),
                (desk.arguments("fetch", "Country", "--store", secret), "~/.pgpass"),
                (desk.arguments("inspect", "postgresql:///none?host=/nowhere"), "see that it runs"),
                (
                    ["migrate", desk.uri, "--to", model, "--model", model] + place,
                    "another version"
                ),
                (desk.arguments("migrate", desk.uri, "--to", desk.uri), "name a file"),
                (["migrate", file, "--to", desk.uri] + place, "There is no store"),
            ]
            for (arguments, words) in cases {
                let run = try ToolRun.mergectl(arguments)
                #expect(run.code == 1 && run.output.isEmpty, "\(arguments)")
                #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
                #expect(run.errors.contains(words), "\(run.errors)")
                #expect(!run.errors.contains("secret"), "\(run.errors)")
            }
            let usage: [[String]] = [
                ["fetch", "Country", "--store", file, "--schema", "notes"],
                desk.arguments("migrate", desk.uri, "--to", file) + ["--dry-run"],
                ["migrate", file, "--to", model, "--model", model],
            ]
            for arguments in usage {
                #expect(try ToolRun.mergectl(arguments).code == 2, "\(arguments)")
            }
        }
    }
}
#endif
