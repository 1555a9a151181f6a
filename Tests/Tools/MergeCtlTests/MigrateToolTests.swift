import Foundation
import Testing

/// `mergectl migrate` as a user meets it.
@Suite struct MigrateToolTests {
    @Test func aForecastWritesNothing() throws {
        try NotesStore.with { store, models in
            let before = try Data(contentsOf: URL(fileURLWithPath: store))
            let run = try NotesStore.migrate(store, models, to: "Notes 2", "--dry-run")
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.contains("Note.text  is renamed from body"))
            #expect(run.output.contains("Old        is removed with its 0 objects"))
            #expect(run.output.contains("Nothing was written."))
            let wrong = try NotesStore.migrate(store, models, to: "Wrong", "--dry-run")
            #expect(wrong.code == 1)
            #expect(wrong.output.contains("Note.title  Source and destination attribute types"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        }
    }

    @Test func aStoreGoesThroughItsVersions() throws {
        try NotesStore.with { store, models in
            // The first name of the attribute is known to the second version only.
            let run = try NotesStore.migrate(
                store,
                models,
                to: "Notes 10",
                "--through",
                models.path
            )
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.contains("Step 1 of 2: to Notes 2"))
            #expect(run.output.contains("Step 2 of 2: to Notes 10"))
            let rows = try ToolRun.mergectl([
                "fetch", "--model", models.path + "/Notes 10.xcdatamodel", "--store", store,
                "Note", "--format", "csv",
            ])
            #expect(rows.output.contains("content,scan,stars,title\nx,"))
            #expect(rows.output.contains(",3,a\n"))
            let again = try NotesStore.migrate(store, models, to: "Notes 10")
            #expect(again.code == 0)
            #expect(again.output.contains("is of this version already"))
        }
    }

    @Test func entitiesWithObjectsGoOnlyIfAsked() throws {
        try NotesStore.with { store, models in
            let other = models.deletingLastPathComponent()
                .appendingPathComponent("Other.xcdatamodel")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            let text =
                "<model><entity name=\"Old\"><attribute name=\"name\" "
                + "attributeType=\"String\"/></entity></model>"
            try Data(text.utf8).write(to: other.appendingPathComponent("contents"))
            let before = try Data(contentsOf: URL(fileURLWithPath: store))
            for more in [[], ["--dry-run"]] {
                let run = try ToolRun.mergectl(["migrate", store, "--to", other.path] + more)
                #expect(run.code == 1)
                #expect(run.errors.contains("would drop Note (1 object) without replacement"))
                #expect(run.errors.contains("--drop-entities"))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
            let run = try ToolRun.mergectl([
                "migrate", store, "--to", other.path, "--drop-entities",
            ])
            #expect(run.code == 0, "\(run.errors)")
        }
    }

    @Test func whatFailsLeavesTheStore() throws {
        try NotesStore.with { store, models in
            let before = try Data(contentsOf: URL(fileURLWithPath: store))
            let run = try NotesStore.migrate(store, models, to: "Wrong")
            #expect(run.code == 1)
            #expect(run.errors.contains("Note.title"))
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
            // Looking into a store of another version does not migrate it.
            let fetch = try ToolRun.mergectl([
                "fetch", "--model", models.path + "/Notes 2.xcdatamodel", "--store", store, "Note",
            ])
            #expect(fetch.code == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        }
    }
}
