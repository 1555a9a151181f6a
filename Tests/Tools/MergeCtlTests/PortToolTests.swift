import Foundation
import Testing

/// `mergectl port` as a user meets it.
@Suite struct PortToolTests {
    @Test func listsThenWritesThenHasNothingToDo() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Person.swift")
        try Data("import CoreData\n\n@objc(Person) class Person: NSManagedObject {}\n".utf8)
            .write(to: file)
        let listing = try ToolRun.mergectl(["port", folder.path])
        #expect(listing.code == 0, "\(listing.errors)")
        #expect(listing.output.contains("Person.swift:3: note: @objc(Person)"))
        #expect(listing.output.contains("To rewrite with --write: 1. Left to you: 0."))
        let writing = try ToolRun.mergectl(["port", "--write", folder.path])
        #expect(writing.code == 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("#if canImport(ObjectiveC)\n@objc(Person)\n#endif\nclass Person"))
        let again = try ToolRun.mergectl(["port", "--write", folder.path])
        #expect(again.output == "Files: 0. Rewritten: 0. Left to you: 0.\n")
    }

    @Test func whatIsLeftEndsWithOne() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("\nlet action = #selector(run)\n".utf8)
            .write(to: folder.appendingPathComponent("Action.swift"))
        let run = try ToolRun.mergectl(["port", folder.path])
        #expect(run.code == 1)
        #expect(run.output.contains("Action.swift:2: warning: #selector needs Objective-C"))
        let missing = try ToolRun.mergectl(["port", folder.path + "/missing"])
        #expect(missing.code == 1)
        #expect(missing.output.isEmpty)
        #expect(missing.errors.split(separator: "\n").count == 1)
    }
}
