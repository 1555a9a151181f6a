import TestSupport
import Testing

@testable import CoreData

@Suite struct ModelDirectoryTests {
    private func write(_ xml: String, _ path: String, in directory: URL) throws {
        let url = directory.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(xml.utf8).write(to: url)
    }

    private func pointer(_ name: String) -> String {
        "<plist><dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict></plist>"
    }

    @Test func theCurrentVersionIsRead() throws {
        try withTemporaryFolder { directory in
            let model = directory.appendingPathComponent("M.xcdatamodeld")
            try write("<model><entity name='A'/></model>", "M.xcdatamodel/contents", in: model)
            #expect(try NSManagedObjectModel(readingFrom: model).entities[0].name == "A")
            try write("<plist><dict/></plist>", ".xccurrentversion", in: model)
            #expect(try NSManagedObjectModel(readingFrom: model).entities[0].name == "A")
            try write("<model><entity name='B'/></model>", "M 2.xcdatamodel/contents", in: model)
            #expect(try NSManagedObjectModel(readingFrom: model).entities[0].name == "A")
            try write(pointer("M 2.xcdatamodel"), ".xccurrentversion", in: model)
            #expect(try NSManagedObjectModel(readingFrom: model).entities[0].name == "B")
            #expect(NSManagedObjectModel(contentsOf: model)?.entities[0].name == "B")
            try write(pointer("../../M.xcdatamodel"), ".xccurrentversion", in: model)
            let text = message { _ = try NSManagedObjectModel(readingFrom: model) }
            #expect(text.contains("current version \"../../M.xcdatamodel\" is missing"))
            #expect(NSManagedObjectModel(contentsOf: model) == nil)
        }
    }

    @Test func whatIsNoModelIsRefused() throws {
        try withTemporaryFolder { directory in
            func error(_ path: String) -> CocoaError? {
                do {
                    _ = try NSManagedObjectModel(
                        readingFrom: directory.appendingPathComponent(path)
                    )
                    return nil
                } catch { return error as? CocoaError }
            }
            #expect(error("None.xcdatamodeld")?.code == .fileReadNoSuchFile)
            #expect(error("None.xcdatamodel")?.code == .fileReadNoSuchFile)
            #expect(error("None.momd")?.code == .fileReadNoSuchFile)
            #expect(error("None.mom")?.code == .fileReadNoSuchFile)
            try write("momv2$", "Some.momd/Some.omo", in: directory)
            #expect(error("Some.momd")?.localizedDescription.contains("no .mom inside") == true)
            #expect(error("Some.momd/Some.omo")?.localizedDescription.contains(".mom") == true)
            try write("bplist00", "Cut.mom", in: directory)
            #expect(error("Cut.mom")?.code == .fileReadCorruptFile)
            #expect(error("World.txt")?.localizedDescription.contains("does not end in") == true)
            try write("<model", "Cut.xcdatamodel/contents", in: directory)
            #expect(error("Cut.xcdatamodel")?.localizedDescription.contains("line 1:") == true)
            try write("<plist/>", "Other.xcdatamodel/contents", in: directory)
            #expect(error("Other.xcdatamodel")?.localizedDescription.contains("<plist>") == true)
            try write("", "Old.xcdatamodel/elements", in: directory)
            #expect(error("Old.xcdatamodel")?.localizedDescription.contains("\"contents\"") == true)
            try write("", "Dir.xcdatamodel/contents/x", in: directory)
            #expect(error("Dir.xcdatamodel")?.localizedDescription.contains("regular file") == true)
            try write("", "Empty.xcdatamodeld/x", in: directory)
            #expect(error("Empty.xcdatamodeld")?.localizedDescription.contains("add one") == true)
        }
    }

    @Test func ofAMappingModelInBothFormsTheCompiledOneCounts() throws {
        try withTemporaryFolder { directory in
            for path in ["A.xcmappingmodel/xcmapping.xml", "B.cdm", "B.xcmappingmodel/x", "C.cdm"] {
                try write("", path, in: directory)
            }
            let none = directory.appendingPathComponent("None")
            #expect(
                MappingModelFile.urls(in: [none, directory]).map(\.lastPathComponent)
                    == ["B.cdm", "C.cdm", "A.xcmappingmodel"]
            )
        }
    }

    @Test func modelsOfABundleAreFoundAndMerged() throws {
        try withTemporaryFolder { directory in
            try write("<model><entity name='A'/></model>", "M.xcdatamodel/contents", in: directory)
            try write(
                "<model><entity name='B'/></model>",
                "N.xcdatamodeld/N.xcdatamodel/contents",
                in: directory
            )
            #expect(
                ModelFile.modelURLs(in: directory).map(\.lastPathComponent)
                    == ["M.xcdatamodel", "N.xcdatamodeld"]
            )
            let bundle = try #require(Bundle(path: directory.path))
            let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
            #expect(merged.entities.map(\.name) == ["A", "B"])
            let metadata = [ModelVersion.metadataKey: ["B": merged.entities[1].versionHash]]
            let part = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
            #expect(part?.entities.map(\.name) == ["B"])
            try write("compiled", "M.momd/M.mom", in: directory)
            #expect(
                ModelFile.modelURLs(in: directory).map(\.lastPathComponent)
                    == ["M.momd", "N.xcdatamodeld"]
            )
        }
    }
}
