import Foundation
import TestSupport
import Testing

/// `mergectl migrate` where something would be lost: whom it asks, what it keeps, how it ends.
@Suite struct MigrateConsentTests {
    private static let mergectl = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("mergectl").path

    @Test func valuesThatGoAreNamedAndNeedConsent() throws {
        try NotesStore.with { store, models in
            let before = try Data(contentsOf: URL(fileURLWithPath: store))
            for more in [[], ["--drop-entities"], ["--dry-run"]] {
                let run = try ToolRun.mergectl(
                    ["migrate", store, "--to", models.path + "/Short.xcdatamodel"] + more
                )
                #expect(run.code == 1)
                #expect(
                    run.output.contains("Note.body  is removed with its values, of 1 object\n")
                )
                #expect(run.errors.split(separator: "\n").count == 1)
                #expect(
                    run.errors.contains("would drop Note.body (1 object), Note.scan (1 object)")
                )
                #expect(run.errors.contains("add --yes to agree"))
                #expect(run.errors.contains(store))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
            #expect(try !NotesStore.stores(beside: store).contains { $0.contains("before") })
            let run = try NotesStore.migrate(store, models, to: "Short", "--yes")
            #expect(run.code == 0, "\(run.errors)")
            #expect(try !NotesStore.values(store).contains("body"))
        }
    }

    @Test func entitiesThatGoNeedOneOfTheTwoOptions() throws {
        for option in ["--yes", "--drop-entities"] {
            try NotesStore.with { store, models in
                let rows = URL(fileURLWithPath: store).deletingLastPathComponent()
                    .appendingPathComponent("old.json")
                try Data("[{\"name\": \"o\"}, {\"name\": \"p\"}]".utf8).write(to: rows)
                let made = try ToolRun.mergectl([
                    "import", "--model", models.path + "/Notes.xcdatamodel", "--store", store,
                    "--entity", "Old", rows.path,
                ])
                #expect(made.code == 0)
                let refused = try NotesStore.migrate(store, models, to: "Notes 2")
                #expect(refused.code == 1)
                #expect(refused.errors.contains("drop Old (2 objects)"))
                #expect(refused.errors.contains("add --yes or --drop-entities to agree"))
                let run = try NotesStore.migrate(store, models, to: "Notes 2", option)
                #expect(run.code == 0, "\(run.errors)")
            }
        }
    }

    @Test func onATerminalTheUserIsAsked() throws {
        try NotesStore.with { store, models in
            let arguments = ["migrate", store, "--to", models.path + "/Short.xcdatamodel"]
            let folder = URL(fileURLWithPath: store).deletingLastPathComponent()
            for (answer, code) in [("n", Int32(1)), ("", 1), ("yes", 0)] {
                let terminal = try PseudoTerminal(Self.mergectl, arguments, in: folder)
                try terminal.wait(for: "Note.body  is removed with its values, of 1 object")
                try terminal.wait(for: "Migrate, and drop this? [y/N] ")
                try terminal.type(answer + "\n")
                #expect(try terminal.finish() == code)
                let end = code == 0 ? "is migrated" : "Nothing was written"
                #expect(terminal.shown.contains(end), "\(terminal.shown)")
                #expect(try NotesStore.values(store).contains("body") == (code != 0))
            }
        }
    }

    @Test(.enabled(if: SQLiteShell.isThere))
    func aCopyHasAllThatTheStoreHad() throws {
        try NotesStore.with { store, models in
            // What is in the journal only, as after a process that was killed.
            let shell = try HeldStore(
                store,
                "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; "
                    + "UPDATE ZNOTE SET ZBODY = 'later';"
            )
            let first = try NotesStore.migrate(store, models, to: "Notes 2")
            #expect(first.code == 0, "\(first.errors)")
            shell.release()
            let copy = store.replacingOccurrences(of: ".sqlite", with: "-before-migration.sqlite")
            #expect(first.output.contains("As it was, it is in \(copy)\n"))
            let note = try NotesStore.values(copy)
            #expect(note.contains("\"body\"") && note.contains("later"), "\(note)")
            let blobs =
                (store as NSString).deletingLastPathComponent
                + "/.Notes-before-migration_SUPPORT/_EXTERNAL_DATA"
            #expect(try FileManager.default.contentsOfDirectory(atPath: blobs).count == 1)
            let second = try NotesStore.migrate(store, models, to: "Notes 10")
            #expect(second.output.contains("Notes-before-migration-2.sqlite\n"))
            #expect(try NotesStore.values(copy) == note)
        }
    }

    @Test func noCopyIsKeptIfNoneIsWanted() throws {
        try NotesStore.with { store, models in
            let run = try NotesStore.migrate(store, models, to: "Notes 2", "--no-copy")
            #expect(run.code == 0, "\(run.errors)")
            #expect(!run.output.contains("As it was"))
            #expect(try NotesStore.stores(beside: store) == [".Notes_SUPPORT", "Notes.sqlite"])
        }
    }

    @Test func aFailedStepNamesThePropertyAndLeavesStoreAndFolder() throws {
        try NotesStore.with { store, models in
            let run = try NotesStore.migrate(store, models, to: "Strict")
            #expect(run.code == 1)
            #expect(run.errors.contains(store) && run.errors.contains("rank"), "\(run.errors)")
            #expect(run.errors.contains("It is as it was."))
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(try NotesStore.stores(beside: store) == [".Notes_SUPPORT", "Notes.sqlite"])
            #expect(try NotesStore.values(store).contains("body"))
        }
    }

    @Test func programsReadTheResultAsJSON() throws {
        try NotesStore.with { store, models in
            func result(_ more: String...) throws -> [String: Any] {
                let run = try ToolRun.mergectl(
                    [
                        "migrate", store, "--to", models.path + "/Short.xcdatamodel", "--format",
                        "json",
                    ] + more
                )
                let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
                return object as? [String: Any] ?? [:]
            }
            let refused = try result()
            #expect(refused["isMigrated"] as? Bool == false)
            let dropped = refused["dropped"] as? [[String: Any]] ?? []
            #expect(dropped.map { $0["property"] as? String } == ["body", "scan"])
            #expect(dropped.map { $0["objectCount"] as? Int } == [1, 1])
            let done = try result("--yes")
            #expect(done["isMigrated"] as? Bool == true)
            #expect((done["copy"] as? String)?.hasSuffix("Notes-before-migration.sqlite") == true)
            #expect((done["steps"] as? [[String: Any]])?.first?["to"] as? String == "Short")
            #expect((try result()["steps"] as? [Any])?.isEmpty == true)
        }
    }

    @Test(.enabled(if: SQLiteShell.isThere))
    func anInterruptedStepLeavesTheStore() throws {
        try NotesStore.with { store, models in
            // The step waits for the other process to let go.
            let held = try HeldStore(store, "PRAGMA journal_mode=WAL; BEGIN IMMEDIATE;")
            let tool = try RunningTool([
                "migrate", store, "--to", models.path + "/Notes 2.xcdatamodel", "--no-copy",
            ])
            try tool.waitForOutput("Step 1 of 1")
            tool.interrupt()
            let run = try tool.finish()
            held.release()
            #expect(run.code == 130)
            #expect(run.errors.contains("\(store) is whole, as it was before this step"))
            #expect(try NotesStore.values(store).contains("body"))
            let again = try NotesStore.migrate(store, models, to: "Notes 2", "--no-copy")
            #expect(again.code == 0, "\(again.errors)")
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible))
    func aFullDiskLeavesTheStore() throws {
        try NotesStore.with(rowCount: 10_000) { store, models in
            let tool =
                "'\(Self.mergectl)' migrate Notes.sqlite --to '\(models.path)/Short.xcdatamodel'"
            // Too little for a copy, and then for the table that changes.
            let size = try FileManager.default.attributesOfItem(atPath: store)[.size] as? Int ?? 0
            let run = try SmallDisk.run(
                kilobytes: size / 1_024 + 800,
                """
                cp '\(store)' Notes.sqlite
                \(tool) --yes; echo "code $?"
                ls -A
                head -c 2000000 /dev/zero >filler 2>/dev/null
                truncate -s -200000 filler
                \(tool) --yes --no-copy; echo "code $?"
                rm filler
                '\(Self.mergectl)' fetch --store Notes.sqlite Note --where "title == '9999'"
                """
            )
            let lines = run.errors.split(separator: "\n")
            try #require(lines.count == 2, "\(run.errors)")
            #expect(lines[0].contains("Notes.sqlite can't be copied"))
            #expect(lines[0].contains("The disk is full: free some space, or add --no-copy"))
            #expect(lines[1].contains("The disk of Notes.sqlite is full"))
            #expect(lines[1].contains("It is as it was."))
            #expect(run.output.contains("code 1\nNotes.sqlite\n"), "\(run.output)")
            #expect(run.output.contains("words words"), "\(run.output)")
        }
    }
}
