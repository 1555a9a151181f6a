import Foundation
import TestSupport
import Testing

/// What `mergectl` says of mistakes that users make every day: the file, and what to do.
@Suite struct PlainMistakeTests {
    /// Runs the tool in a folder, as somebody does who has gone there.
    private func mergectl(_ arguments: [String], in folder: URL) throws -> ToolRun {
        try InstalledProgram.run(ToolRun.tool.path, arguments, in: folder)
    }

    private func check(_ run: ToolRun, code: Int32 = 1, _ texts: String...) {
        #expect(run.code == code && run.output.isEmpty, "\(run.code): \(run.output)")
        for text in texts { #expect(run.errors.contains(text), "\(text): \(run.errors)") }
    }

    // MARK: Paths

    @Test(arguments: ["x", "7"])
    func aTargetOfOneCharacterIsRefusedForItsEnding(name: String) throws {
        try NotesStore.with { store, models in
            let folder = models.deletingLastPathComponent()
            let source = URL(fileURLWithPath: store).lastPathComponent
            // Its ending says no format.
            let export = ["export", name, "--entity", "Note", "--store", source]
            check(try mergectl(export, in: folder), "must end in .csv")
            let model = models.appendingPathComponent("Short.xcdatamodel").path
            let compile = ["model", "compile", model, name]
            check(try mergectl(compile, in: folder), "ends in .momd or .mom")
        }
    }

    /// The copy that is made before values are dropped is told as a path beside it.
    @Test func aStoreOfOneCharacterIsMigrated() throws {
        try NotesStore.with { store, models in
            let folder = models.deletingLastPathComponent()
            let short = models.appendingPathComponent("Short.xcdatamodel").path
            try FileManager.default.moveItem(
                at: URL(fileURLWithPath: store),
                to: folder.appendingPathComponent("n")
            )
            let run = try mergectl(["migrate", "n", "--to", short, "--yes"], in: folder)
            #expect(run.code == 0, "\(run.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let copy = try #require(names.first { $0.hasPrefix("n ") || $0.hasPrefix("n-") })
            #expect(run.output.contains(copy), "\(names): \(run.output)")
        }
    }

    // MARK: Nothing to import

    @Test(arguments: [("a.csv", "name,iata\n"), ("a.json", "[]")])
    func aFileWithoutRecordsIsNamed(name: String, text: String) throws {
        try ImportDesk.with { desk in
            let run = try desk.importing("Airport", try desk.file(name, Data(text.utf8)))
            #expect(run.code == 2 && run.errors.contains("\(name) has no records"), "\(run.errors)")
        }
    }

    // MARK: Permissions

    @Test(.enabled(if: OtherUser.isThere, "root needs setpriv, and nobody a way to the tool"))
    func whatMayNotBeReadIsNamed() throws {
        try NotesStore.with { _, models in
            let folder = models.deletingLastPathComponent()
            let sources = folder.appendingPathComponent("Sources")
            let inner = sources.appendingPathComponent("Inner")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            let swift = sources.appendingPathComponent("A.swift")
            try Data("import CoreData\n".utf8).write(to: swift)
            let version = models.appendingPathComponent("Short.xcdatamodel/contents")
            for (closed, arguments) in [
                (version, ["generate", version.path, "--output", folder.path + "/Out"]),
                (version, ["model", "show", version.deletingLastPathComponent().path]),
                (models, ["model", "show", models.path]),
                (swift, ["port", swift.path]), (inner, ["port", sources.path]),
            ] {
                let run = try OtherUser.with(0, closed.path) { try OtherUser.mergectl(arguments) }
                check(run, closed.lastPathComponent, "permissions")
                #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            }
        }
    }

    @Test func aBenchThatCouldNotWriteItsReportDoesNotBegin() throws {
        try NotesStore.with { store, _ in
            for option in ["--quick", "--layer", "--growth"] {
                let run = try ToolRun.mergectl(["bench", option, "--output", store])
                check(run, "\(store) is a file, not a folder", "--output")
            }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func anOutputThatCanNotBeWrittenIsSaidToBeOne() throws {
        try NotesStore.with { store, _ in
            let line = "exec \"$1\" fetch Note --store \"$2\" > /dev/full"
            let run = try InstalledProgram.run("sh", ["-c", line, "sh", ToolRun.tool.path, store])
            check(run, "The output can't be written: its disk is full.")
        }
    }

    // MARK: Words

    @Test(arguments: [
        (["model"], "Something is missing: show|diff|hashes|compile MODEL"),
        (["model", "diff", "A"], "The action diff takes OLD and NEW."),
        (["model", "show", "A", "B"], "The action show takes MODEL."),
        (["model", "shwo", "A"], "Did you mean show?"),
        (["fetch", "A", "--modle", "B"], "Did you mean --model?"),
        (["fecth"], "did you mean fetch?"),
    ])
    func aWrongLineSaysWhatIsMeant(arguments: [String], text: String) throws {
        check(try ToolRun.mergectl(arguments), code: 2, text)
    }

    @Test func whatEntitiesLackForClassesIsSaid() throws {
        try NotesStore.with { _, models in
            let model = models.appendingPathComponent("Short.xcdatamodel").path
            let line = ["generate", model, "--output", models.path + "-classes"]
            #expect(try ToolRun.mergectl(line).output.contains("--all writes"))
            let all = try ToolRun.mergectl(line + ["--all"])
            #expect(all.output.contains("No entity has a class of its own"))
        }
    }

    @Test func aMalformedPatternIsSaidToBeOne() throws {
        try NotesStore.with { store, _ in
            let filter = "title MATCHES \"(\""
            let run = try ToolRun.mergectl(["fetch", "Note", "--store", store, "--where", filter])
            check(run, "\"(\"", "malformed", "parentheses")
        }
    }

    // MARK: Imports

    @Test(.enabled(if: SQLiteShell.isThere))
    func aDryRunSaysOfAStoreWhatAnImportWould() throws {
        try ImportDesk.with { desk in
            let continents = ImportDesk.world.appendingPathComponent("continents.json").path
            try Data().write(to: desk.store)
            let run = try desk.importing("Continent", continents, "--dry-run")
            #expect(run.code == 0 && run.output.contains("7 created"), "\(run.errors)")
            #expect(try Data(contentsOf: desk.store).isEmpty)
            let folder = ImportDesk(folder: desk.folder.appendingPathComponent("other"))
            try FileManager.default.createDirectory(
                at: folder.store,
                withIntermediateDirectories: true
            )
            let inFolder = try folder.importing("Continent", continents, "--dry-run")
            #expect(inFolder.code == 1 && inFolder.errors.contains("is a folder, not a store"))
            try SQLiteShell.run(desk.store, "CREATE TABLE a(b);")
            let refused = try desk.importing("Continent", continents, "--dry-run")
            #expect(refused.code == 1)
            #expect(refused.errors.contains("\(desk.store.path) is a database, but no store"))
        }
    }

    @Test func recordsWithoutTheirKeyCountAsErrorsAsTheyAreRead() throws {
        try ImportDesk.with { desk in
            let lines = (0..<5_000).map { "{\"number\": \($0)}" }.joined(separator: "\n")
            let file = try desk.file("keyless.jsonl", Data(lines.utf8))
            let run = try desk.importing(
                "Continent",
                file,
                "--max-errors",
                "20",
                "--batch",
                "100"
            )
            #expect(run.code == 2)
            #expect(run.errors.contains("Too many failures"), "\(run.errors)")
            #expect(run.output.contains("100 failed"), "\(run.output)")
        }
    }

    @Test func aFileThatIsNotThereCountsAsNothingThatCanBeRead() throws {
        try ImportDesk.with { desk in
            let run = try desk.importing("Continent", desk.folder.path + "/none.csv")
            check(run, code: 2, "There is no file", "none.csv", "Check the path.")
        }
    }
}
