import Foundation
import TestSupport
import Testing

/// `mergectl` as a user meets it: output, exit codes, errors on standard error.
@Suite struct ToolTests {
    private static let world = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/World")
    private static let model = world.appendingPathComponent("World.xcdatamodeld").path

    private func mergectl(_ arguments: String...) throws -> ToolRun {
        try ToolRun.mergectl(arguments)
    }

    @Test func helpIsEverywhere() throws {
        let overview = try mergectl("--help")
        #expect(overview.code == 0)
        for command in [
            "import", "export", "fetch", "inspect", "model", "port", "generate", "migrate", "watch",
            "demo",
        ] {
            #expect(overview.output.contains(command))
            let help = try mergectl(command, "--help")
            #expect(help.code == 0)
            #expect(help.output.contains("Usage: mergectl \(command)"))
            #expect(help.errors.isEmpty)
        }
    }

    @Test(arguments: [
        [], ["nonsense"], ["fetch"], ["fetch", "--nonsense"], ["import", "--model"],
        ["inspect", "a", "b"], ["migrate", "a"], ["watch"], ["demo", "--batch", "0"],
        ["model", "show"],
        ["model", "fly", "x"],
        ["model", "diff", "x"],
    ])
    func wrongUsageEndsWithTwo(arguments: [String]) throws {
        let run = try ToolRun.mergectl(arguments)
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(!run.errors.isEmpty)
    }

    @Test func demoImportsTheWorld() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appendingPathComponent("World.sqlite").path
        let demo = try mergectl("demo", "--data", Self.world.path, "--store", store)
        #expect(demo.code == 0, "\(demo.errors)")
        #expect(demo.output.contains("Samedan"))
        #expect(demo.output.contains(store))
        let inspection = try mergectl("inspect", store, "--model", Self.model)
        #expect(inspection.code == 0, "\(inspection.errors)")
        for line in [
            "Airport    28298", "Continent  7", "Country    252", "  ok",
            "to Airport, inverse country",
            "History          none",
        ] {
            #expect(inspection.output.contains(line))
        }
        let again = try mergectl("demo", "--data", Self.world.path, "--store", store)
        #expect(again.output.contains("28298 rows, 0 created, 0 updated, 28298 unchanged"))
        let high = try mergectl(
            "fetch",
            "--model",
            Self.model,
            "--store",
            store,
            "Airport",
            "--format",
            "csv",
            "--where",
            "country.name == \"Switzerland\" AND elevation > 4000",
            "--sort",
            "-elevation"
        )
        let codes = high.output.split(separator: "\n").dropFirst().map { $0.prefix(4) }
        #expect(codes == ["LSZS", "LSPU"])
        try checkExport(of: store, to: folder)
        try checkDamageIsFound(store)
    }

    /// Exports by the model that the store keeps, and imports the file again.
    private func checkExport(of store: String, to folder: URL) throws {
        let file = folder.appendingPathComponent("airports.csv").path
        let arguments = ["--store", store, "--entity", "Airport", file]
        let export = try ToolRun.mergectl(["export"] + arguments)
        #expect(export.code == 0, "\(export.errors)")
        #expect(export.output.hasPrefix("28298 rows, "))
        let again = try ToolRun.mergectl(["import", "--model", Self.model] + arguments)
        #expect(again.output.contains("28298 rows, 0 created, 0 updated, 28298 unchanged"))
        let some = folder.appendingPathComponent("some.json").path
        let part = try mergectl(
            "export",
            "--store",
            store,
            "--entity",
            "Country",
            "--where",
            "name BEGINSWITH 'Swi'",
            some
        )
        #expect(part.output.hasPrefix("1 rows, "))
        let text = try String(contentsOfFile: some, encoding: .utf8)
        #expect(text.contains("\"Switzerland\""))
        let wrong = try mergectl("export", "--store", store, "--entity", "Nobody", some)
        #expect(wrong.code == 1)
        #expect(wrong.errors.split(separator: "\n").count == 1)
        #expect(try String(contentsOfFile: some, encoding: .utf8) == text)
    }

    /// Overwrites a page in the middle of a store and inspects it.
    private func checkDamageIsFound(_ store: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: store))
        try file.seek(toOffset: 4096 * 300)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        let inspection = try mergectl("inspect", store)
        #expect(inspection.code == 1)
        #expect(inspection.errors.split(separator: "\n").count == 1, "\(inspection.errors)")
    }

    @Test func readingLeavesTheStoreAsItIs() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appendingPathComponent("World.sqlite")
        let continents = Self.world.appendingPathComponent("continents.json").path
        let first = try mergectl(
            "import",
            "--model",
            Self.model,
            "--store",
            store.path,
            "--entity",
            "Continent",
            continents
        )
        #expect(first.code == 0, "\(first.errors)")
        // The journal of stores that were made before write-ahead logs came.
        for mode in ["WAL", "DELETE"] {
            if SQLiteShell.isThere { try SQLiteShell.run(store, "PRAGMA journal_mode=\(mode)") }
            let before = try Data(contentsOf: store)
            let list = try mergectl("fetch", "Continent", "--store", store.path)
            #expect(list.code == 0 && list.output.contains("Europe"), "\(list.errors)")
            let file = folder.appendingPathComponent("out.csv").path
            let export = try mergectl(
                "export",
                file,
                "--store",
                store.path,
                "--entity",
                "Continent"
            )
            #expect(export.code == 0, "\(export.errors)")
            try FileManager.default.removeItem(atPath: file)
            #expect(try mergectl("inspect", store.path).code == 0)
            #expect(try Data(contentsOf: store) == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["World.sqlite"])
        }
    }

    @Test func whatCannotBeDoneIsOneSentence() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appendingPathComponent("World.sqlite").path
        let continents = Self.world.appendingPathComponent("continents.json").path
        let first = try mergectl(
            "import",
            "--model",
            Self.model,
            "--store",
            store,
            "--entity",
            "Continent",
            continents
        )
        #expect(first.code == 0, "\(first.errors)")
        #expect(first.output.contains("7 rows, 7 created"))
        let text = folder.appendingPathComponent("text.sqlite")
        try Data(String(repeating: "This is no store. ", count: 100).utf8).write(to: text)
        let other = folder.appendingPathComponent("Other.xcdatamodel")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let contents = "\(Self.model)/World.xcdatamodel/contents"
        let changed = try String(contentsOf: URL(fileURLWithPath: contents), encoding: .utf8)
            .replacingOccurrences(of: "geonameid", with: "otherid")
        try Data(changed.utf8).write(to: other.appendingPathComponent("contents"))
        func fetch(_ model: String, _ store: String, _ arguments: String...) throws -> ToolRun {
            try mergectl(
                "fetch",
                "--model",
                model,
                "--store",
                store,
                "Continent",
                arguments.first ?? "--limit",
                arguments.last ?? "1"
            )
        }
        let runs = try [
            fetch(Self.model, store, "--where", "name == "),
            fetch(Self.model, store, "--where", "nokey == 1"),
            fetch(Self.model, store, "--sort", "nokey"),
            fetch(Self.model, folder.path + "/missing.sqlite"),
            fetch(folder.path + "/missing.xcdatamodeld", store),
            fetch(Self.model, text.path),
            fetch(other.path, store),
            mergectl("inspect", text.path),
        ]
        for run in runs {
            #expect(run.code == 1)
            #expect(run.output.isEmpty)
            #expect(run.errors.hasPrefix("mergectl: "), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        }
    }

    @Test func modelsAreShownComparedAndCompiled() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let compiled = folder.appendingPathComponent("World.momd").path
        let compilation = try mergectl("model", "compile", Self.model, compiled)
        #expect(compilation.code == 0, "\(compilation.errors)")
        #expect(compilation.errors.isEmpty)
        let diff = try mergectl("model", "diff", Self.model, compiled)
        #expect(diff.output == "The models say the same.\n", "\(diff.errors)")
        let show = try mergectl("model", "show", compiled)
        #expect(show.output.contains("relationship country"))
        #expect(show.output == (try mergectl("model", "show", Self.model)).output)
        let hashes = try mergectl("model", "hashes", compiled)
        #expect(hashes.output.split(separator: "\n").count == 3)
        let store = folder.appendingPathComponent("World.sqlite").path
        let continents = Self.world.appendingPathComponent("continents.json").path
        let made = try mergectl(
            "import",
            "--model",
            compiled,
            "--store",
            store,
            "--entity",
            "Continent",
            continents
        )
        #expect(made.code == 0, "\(made.errors)")
        let fetched = try mergectl("fetch", "--store", store, "Continent", "--format", "csv")
        #expect(fetched.output.contains("Europe"), "\(fetched.errors)")
        let same = try mergectl("model", "diff", store, Self.model)
        #expect(same.output == "The models say the same.\n", "\(same.errors)")
        let failure = try mergectl("model", "compile", Self.model, folder.path + "/World.txt")
        #expect(failure.code == 1)
        #expect(failure.errors.contains(".momd or .mom"))
    }
}
