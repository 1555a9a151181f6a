import Foundation
import Testing

/// `mergectl generate` as a user meets it.
@Suite struct GenerateToolTests {
    @Test func classesAreWrittenOnce() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = folder.appendingPathComponent("Model.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let contents = """
            <model><entity name="Person" representedClassName="Person" codeGenerationType="class">
            <attribute name="name" attributeType="String"/></entity>
            <entity name="Pet" representedClassName="Pet"/></model>
            """
        try Data(contents.utf8).write(to: model.appendingPathComponent("contents"))
        let output = folder.appendingPathComponent("Generated").path
        let first = try ToolRun.mergectl(["generate", model.path, "--output", output])
        #expect(first.code == 0, "\(first.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: output).sorted()
        #expect(names == ["Person+CoreDataClass.swift", "Person+CoreDataProperties.swift"])
        let again = try ToolRun.mergectl(["generate", model.path, "--output", output])
        #expect(again.output.split(separator: "\n").allSatisfy { $0.hasSuffix(" (unchanged)") })
        let all = try ToolRun.mergectl(["generate", "--all", model.path, "--output", output])
        #expect(all.output.contains("Pet+CoreDataClass.swift"))
        // A file is where the folder is to be.
        let file = output + "/Pet+CoreDataClass.swift"
        let failed = try ToolRun.mergectl(["generate", model.path, "--output", file])
        #expect(failed.code == 1)
        #expect(failed.errors.contains(file) && failed.errors.contains("with --output"))
        #expect(failed.errors.split(separator: "\n").count == 1)
    }

    @Test func mistakesAreOneSentence() throws {
        let missing = try ToolRun.mergectl([
            "generate", "/missing.xcdatamodeld", "--output", "/tmp",
        ])
        #expect(missing.code == 1)
        #expect(missing.errors.split(separator: "\n").count == 1)
        let access = try ToolRun.mergectl(["generate", "x", "--output", "y", "--access", "secret"])
        #expect(access.code == 2)
    }
}
