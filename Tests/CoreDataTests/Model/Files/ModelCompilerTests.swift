import TestSupport
import Testing

@testable import CoreData

/// Sources of models and what is compiled of them.
@Suite struct ModelCompilerTests {
    private func write(_ xml: String, to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(xml.utf8).write(to: url)
    }

    /// A source with one entity.
    private func source(_ folder: URL, attributes: String = "") throws -> URL {
        let url = folder.appendingPathComponent("Notes.xcdatamodel")
        try write(
            "<model><entity name='Note' representedClassName='.Note'>\(attributes)</entity></model>",
            to: url.appendingPathComponent("contents")
        )
        return url
    }

    @Test func classesGetTheModuleOfTheProgram() throws {
        try withTemporaryFolder { folder in
            let source = try source(folder)
            let compiled = folder.appendingPathComponent("Notes.mom")
            for (module, name) in [("Shop", "Shop.Note"), (nil, "Note")] as [(String?, String)] {
                let notes = try NSManagedObjectModel.compile(source, to: compiled, module: module)
                #expect(notes.isEmpty)
                let model = try NSManagedObjectModel(readingFrom: compiled)
                #expect(model.entitiesByName["Note"]?.managedObjectClassName == name)
            }
        }
    }

    @Test func aDirectoryIsReplacedAsAWhole() throws {
        try withTemporaryFolder { folder in
            let source = try source(folder)
            let compiled = folder.appendingPathComponent("Notes.momd")
            try write("old", to: compiled.appendingPathComponent("Old.mom"))
            _ = try NSManagedObjectModel.compile(source, to: compiled)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: compiled.path).sorted()
                    == ["Notes.mom", "VersionInfo.plist"]
            )
            #expect(try NSManagedObjectModel(readingFrom: compiled).entities.count == 1)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                    == ["Notes.momd", "Notes.xcdatamodel"]
            )
        }
    }

    @Test func whatHasNoFormIsSaidWithTheFilesName() throws {
        try withTemporaryFolder { folder in
            let source = try source(
                folder,
                attributes: "<attribute name='a' attributeType='String' storedInTruthFile='YES'/>"
            )
            let compiled = folder.appendingPathComponent("Notes.mom")
            let notes = try NSManagedObjectModel.compile(source, to: compiled)
            #expect(notes.count == 1)
            #expect(notes.first?.hasPrefix("Notes.xcdatamodel: Note.a: it is to be stored") == true)
        }
    }

    @Test func whereNothingCanBeWrittenIsSaid() throws {
        try withTemporaryFolder { folder in
            let source = try source(folder)
            func code(_ path: String) -> CocoaError.Code? {
                let error = #expect(throws: CocoaError.self) {
                    try NSManagedObjectModel.compile(
                        source,
                        to: folder.appendingPathComponent(path)
                    )
                }
                return error?.code
            }
            #expect(code("None/Notes.mom") == .fileWriteNoPermission)
            #expect(code("Notes.txt") == .featureUnsupported)
        }
    }

    // MARK: Versions

    /// A directory with two versions, the second current.
    private func versions(in folder: URL) throws -> URL {
        let source = folder.appendingPathComponent("Notes.xcdatamodeld")
        for (version, entity) in [("Notes", "Old"), ("Notes 2", "New")] {
            try write(
                "<model><entity name='\(entity)'/></model>",
                to: source.appendingPathComponent("\(version).xcdatamodel/contents")
            )
        }
        try write(
            "<plist><dict><key>_XCCurrentVersionName</key><string>Notes 2.xcdatamodel</string>"
                + "</dict></plist>",
            to: source.appendingPathComponent(".xccurrentversion")
        )
        let compiled = folder.appendingPathComponent("Notes.momd")
        _ = try NSManagedObjectModel.compile(source, to: compiled)
        return compiled
    }

    @Test func statementsOfVersionsAreChecked() throws {
        try withTemporaryFolder { folder in
            let compiled = try versions(in: folder)
            #expect(try NSManagedObjectModel(readingFrom: compiled).entities[0].name == "New")
            let information = compiled.appendingPathComponent("VersionInfo.plist")
            func state(_ values: [String: PropertyListValue]) throws {
                try BinaryPropertyListWriter.data(.dictionary(values)).write(to: information)
            }
            func text() -> String {
                message { _ = try NSManagedObjectModel(readingFrom: compiled) }
            }
            let current = CompiledVersions.currentVersionKey
            try state([current: .string("../Notes")])
            #expect(text().contains("its current version \"../Notes\" is missing"))
            let hashes = PropertyListValue.dictionary([
                "Notes": .dictionary(["Old": .data(Data(repeating: 1, count: 32))]),
                "Notes 2": .string("none"),
            ])
            try state([current: .string("Notes"), CompiledVersions.hashesKey: hashes])
            let old = try NSManagedObjectModel(readingFrom: compiled)
            #expect(old.entities[0].name == "Old")
            #expect(old.unrecognizedParts.count == 1)
            #expect(old.unrecognizedParts.first?.contains("states another version hash") == true)
            try state([current: .string("Notes 2"), CompiledVersions.hashesKey: hashes])
            #expect(try NSManagedObjectModel(readingFrom: compiled).unrecognizedParts.isEmpty)
            let odd = PropertyListValue.dictionary(["Notes 2": .dictionary(["New": .integer(1)])])
            try state([current: .string("Notes 2"), CompiledVersions.hashesKey: odd])
            #expect(try NSManagedObjectModel(readingFrom: compiled).unrecognizedParts.isEmpty)
            try Data("bplist00".utf8).write(to: information)
            #expect(text().contains("VersionInfo.plist"))
        }
    }

    @Test func withoutAStatementTheVersionOfTheModelsNameIsCurrent() throws {
        try withTemporaryFolder { folder in
            let compiled = try versions(in: folder)
            try FileManager.default.removeItem(
                at: compiled.appendingPathComponent("VersionInfo.plist")
            )
            #expect(try NSManagedObjectModel(readingFrom: compiled).entities[0].name == "Old")
            let other = folder.appendingPathComponent("Other.momd")
            try FileManager.default.moveItem(at: compiled, to: other)
            let text = message { _ = try NSManagedObjectModel(readingFrom: other) }
            #expect(text.contains("several versions and no VersionInfo.plist"))
        }
    }
}
