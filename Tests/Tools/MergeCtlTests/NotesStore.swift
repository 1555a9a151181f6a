import Foundation
import Testing

/// A store of the first version of a model, made by the tool, and the model's other versions.
enum NotesStore {
    private static let versions = [
        "Notes": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="body" attributeType="String" optional="YES"/>
        <attribute name="scan" attributeType="Binary" optional="YES"
        allowsExternalBinaryDataStorage="YES"/></entity>
        <entity name="Old"><attribute name="name" attributeType="String"/></entity>
        """,
        "Notes 2": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="text" attributeType="String" optional="YES" elementID="body"/>
        <attribute name="scan" attributeType="Binary" optional="YES"
        allowsExternalBinaryDataStorage="YES"/></entity>
        """,
        "Notes 10": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="content" attributeType="String" optional="YES" elementID="text"/>
        <attribute name="scan" attributeType="Binary" optional="YES"
        allowsExternalBinaryDataStorage="YES"/>
        <attribute name="stars" attributeType="Integer 16" defaultValueString="3"/></entity>
        """,
        "Short": """
        <entity name="Note"><attribute name="title" attributeType="String"/></entity>
        """,
        "Strict": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="body" attributeType="String" optional="YES"/>
        <attribute name="rank" attributeType="String"/>
        <attribute name="scan" attributeType="Binary" optional="YES"
        allowsExternalBinaryDataStorage="YES"/></entity>
        """,
        "Wrong": """
        <entity name="Note"><attribute name="title" attributeType="Double"/></entity>
        """,
    ]

    /// A folder with the model and a store of its first version, removed after the body.
    ///
    /// - Parameter rowCount: How many notes it has, the first with a text and a file of its own.
    static func with(
        rowCount: Int = 1,
        _ body: (_ store: String, _ models: URL) throws -> Void
    ) throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let models = folder.appendingPathComponent("Notes.xcdatamodeld")
        for (name, content) in versions {
            let version = models.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let text = "<?xml version=\"1.0\"?><model documentVersion=\"1.0\">\(content)</model>"
            try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
        }
        let scan = Data(repeating: 7, count: 200_000).base64EncodedString()
        var lines = ["{\"title\": \"a\", \"body\": \"x\", \"scan\": \"\(scan)\"}"]
        let body100 = String(repeating: "words ", count: 16)
        lines += (1..<rowCount).map { "{\"title\": \"\($0)\", \"body\": \"\(body100)\"}" }
        let rows = folder.appendingPathComponent("notes.jsonl")
        try Data(lines.joined(separator: "\n").utf8).write(to: rows)
        let store = folder.appendingPathComponent("Notes.sqlite").path
        let made = try ToolRun.mergectl([
            "import", "--model", models.path + "/Notes.xcdatamodel", "--store", store,
            "--entity", "Note", rows.path,
        ])
        #expect(made.code == 0, "\(made.errors)")
        try body(store, models)
    }

    static func migrate(_ store: String, _ models: URL, to version: String, _ more: String...)
        throws -> ToolRun
    {
        try ToolRun.mergectl(
            ["migrate", store, "--to", models.path + "/\(version).xcdatamodel"] + more
        )
    }

    /// The names of the stores in the folder, sorted.
    static func stores(beside store: String) throws -> [String] {
        let folder = (store as NSString).deletingLastPathComponent
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.contains("Notes") && !$0.hasSuffix(".xcdatamodeld") }.sorted()
    }

    /// What a store has of a note's property.
    static func values(_ store: String, _ predicate: String = "title == 'a'") throws -> String {
        try ToolRun.mergectl([
            "fetch", "--store", store, "Note", "--where", predicate, "--format", "json",
        ]).output
    }
}
