import Foundation
import Testing

/// `mergectl migrate` as a user meets it.
@Suite struct MigrateToolTests {
    private static let versions = [
        "Notes": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="body" attributeType="String" optional="YES"/></entity>
        <entity name="Old"><attribute name="name" attributeType="String"/></entity>
        """,
        "Notes 2": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="text" attributeType="String" optional="YES" elementID="body"/></entity>
        """,
        "Notes 10": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="content" attributeType="String" optional="YES" elementID="text"/>
        <attribute name="stars" attributeType="Integer 16" defaultValueString="3"/></entity>
        """,
        "Wrong": """
        <entity name="Note"><attribute name="title" attributeType="Double"/></entity>
        """,
    ]

    /// A folder with the model and a store of its first version, removed after the body.
    private func withStore(_ body: (_ store: String, _ models: URL) throws -> Void) throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let models = folder.appendingPathComponent("Notes.xcdatamodeld")
        for (name, content) in Self.versions {
            let version = models.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let text = "<?xml version=\"1.0\"?><model documentVersion=\"1.0\">\(content)</model>"
            try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
        }
        let rows = folder.appendingPathComponent("notes.json")
        try Data("[{\"title\": \"a\", \"body\": \"x\"}]".utf8).write(to: rows)
        let store = folder.appendingPathComponent("Notes.sqlite").path
        let made = try ToolRun.mergectl([
            "import", "--model", models.path + "/Notes.xcdatamodel", "--store", store,
            "--entity", "Note", rows.path,
        ])
        #expect(made.code == 0, "\(made.errors)")
        try body(store, models)
    }

    private func migrate(_ store: String, _ models: URL, to version: String, _ more: String...)
        throws -> ToolRun
    {
        try ToolRun.mergectl(
            ["migrate", store, "--to", models.path + "/\(version).xcdatamodel"] + more
        )
    }

    @Test func aForecastWritesNothing() throws {
        try withStore { store, models in
            let before = try Data(contentsOf: URL(fileURLWithPath: store))
            let run = try migrate(store, models, to: "Notes 2", "--dry-run")
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.contains("Note.text  is renamed from body"))
            #expect(run.output.contains("Old        is removed with its 0 objects"))
            #expect(run.output.contains("Nothing was written."))
            let wrong = try migrate(store, models, to: "Wrong", "--dry-run")
            #expect(wrong.code == 1)
            #expect(wrong.output.contains("Note.title  Source and destination attribute types"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        }
    }

    @Test func aStoreGoesThroughItsVersions() throws {
        try withStore { store, models in
            // The first name of the attribute is known to the second version only.
            let run = try migrate(store, models, to: "Notes 10", "--through", models.path)
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.contains("Step 1 of 2: to Notes 2"))
            #expect(run.output.contains("Step 2 of 2: to Notes 10"))
            let rows = try ToolRun.mergectl([
                "fetch", "--model", models.path + "/Notes 10.xcdatamodel", "--store", store,
                "Note", "--format", "csv",
            ])
            #expect(rows.output.contains("content,stars,title"))
            #expect(rows.output.contains("x,3,a"))
            let again = try migrate(store, models, to: "Notes 10")
            #expect(again.code == 0)
            #expect(again.output.contains("is of this version already"))
        }
    }

    @Test func entitiesWithObjectsGoOnlyIfAsked() throws {
        try withStore { store, models in
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
                #expect(run.errors.contains("would drop Note (1 objects) without replacement"))
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
        try withStore { store, models in
            let before = try Data(contentsOf: URL(fileURLWithPath: store))
            let run = try migrate(store, models, to: "Wrong")
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
