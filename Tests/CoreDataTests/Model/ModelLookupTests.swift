import CoreData
import Foundation
import Testing

/// Models under the names that client code uses, where only their sources are at hand, as Swift
/// packages copy them.
@Suite struct ModelLookupTests {
    private static func contents(_ attribute: String) -> String {
        """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"
            userDefinedModelVersionIdentifier="\(attribute)">
            <entity name="Note"><attribute name="\(attribute)" attributeType="String"/></entity>
        </model>
        """
    }

    /// A bundle with a model of two versions, the second current, and one without versions.
    private func withBundle(_ body: (Bundle) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("ModelLookupTests-\(UUID().uuidString).resources")
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [
            ("Notes.xcdatamodeld/Notes.xcdatamodel/contents", Self.contents("old")),
            ("Notes.xcdatamodeld/Notes 2.xcdatamodel/contents", Self.contents("new")),
            (
                "Notes.xcdatamodeld/.xccurrentversion",
                "<plist><dict><key>_XCCurrentVersionName</key>"
                    + "<string>Notes 2.xcdatamodel</string></dict></plist>"
            ),
            ("Plain.xcdatamodel/contents", Self.contents("plain")),
        ]
        for (path, text) in files {
            let url = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: url)
        }
        try body(try #require(Bundle(url: folder)))
    }

    private func attribute(_ url: URL?) -> String? {
        url.flatMap { NSManagedObjectModel(contentsOf: $0) }?
            .entitiesByName["Note"]?.attributesByName.keys.first
    }

    @Test func bundlesFindCompiledNames() throws {
        try withBundle { bundle in
            let current = bundle.url(forResource: "Notes", withExtension: "momd")
            #expect(attribute(current) == "new")
            let path = bundle.path(forResource: "Notes", ofType: "momd")
            #expect(attribute(path.map { URL(fileURLWithPath: $0) }) == "new")
            let plain = bundle.url(forResource: "Plain", withExtension: "mom")
            #expect(attribute(plain) == "plain")
            let old = bundle.url(
                forResource: "Notes",
                withExtension: "mom",
                subdirectory: "Notes.momd"
            )
            #expect(attribute(old) == "old")
            #expect(bundle.url(forResource: "Other", withExtension: "momd") == nil)
            #expect(bundle.url(forResource: "Notes", withExtension: "txt") == nil)
        }
    }

    @Test func listingsHaveCompiledNames() throws {
        try withBundle { bundle in
            func names(_ ext: String, in subdirectory: String? = nil) -> [String]? {
                bundle.urls(forResourcesWithExtension: ext, subdirectory: subdirectory)?
                    .map(\.lastPathComponent).sorted()
            }
            #expect(names("momd") == ["Notes.xcdatamodeld"])
            #expect(names("mom") == ["Plain.xcdatamodel"])
            let versions = ["Notes 2.xcdatamodel", "Notes.xcdatamodel"]
            #expect(names("mom", in: "Notes.momd") == versions)
            #expect(names("txt") ?? [] == [])
        }
    }

    @Test func pathsToCompiledModelsLeadToSources() throws {
        try withBundle { bundle in
            let momd = bundle.bundleURL.appendingPathComponent("Notes.momd")
            #expect(attribute(momd) == "new")
            #expect(attribute(momd.appendingPathComponent("Notes.mom")) == "old")
            let found = try #require(bundle.url(forResource: "Notes", withExtension: "momd"))
            #expect(attribute(found.appendingPathComponent("Notes 2.mom")) == "new")
            #expect(attribute(found.appendingPathComponent("Notes 3.mom")) == nil)
        }
    }

    @Test func whatIsCompiledComesFirst() throws {
        try withBundle { bundle in
            let notes = try NSManagedObjectModel.compile(
                bundle.bundleURL.appendingPathComponent("Plain.xcdatamodel"),
                to: bundle.bundleURL.appendingPathComponent("Notes.mom")
            )
            #expect(notes.isEmpty)
            #expect(attribute(bundle.url(forResource: "Notes", withExtension: "mom")) == "plain")
        }
    }

    @Test func listingsTakeCompiledModelsFirst() throws {
        try withBundle { bundle in
            _ = try NSManagedObjectModel.compile(
                bundle.bundleURL.appendingPathComponent("Plain.xcdatamodel"),
                to: bundle.bundleURL.appendingPathComponent("Made.mom")
            )
            let found = bundle.urls(forResourcesWithExtension: "mom", subdirectory: nil)
            #expect(found?.map(\.lastPathComponent) == ["Made.mom"])
            let none = bundle.urls(forResourcesWithExtension: "mom", subdirectory: "None")
            #expect(none ?? [] == [])
        }
    }

    @Test func mappingModelsGoByTheirCompiledNames() throws {
        try withBundle { bundle in
            let folder = bundle.bundleURL.appendingPathComponent("Maps")
            for path in ["One.xcmappingmodel/xcmapping.xml", "Two.cdm", "Two.xcmappingmodel/x"] {
                let url = folder.appendingPathComponent(path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data().write(to: url)
            }
            func names(_ subdirectory: String?) -> [String] {
                let found = bundle.urls(
                    forResourcesWithExtension: "cdm",
                    subdirectory: subdirectory
                )
                return found?.map(\.lastPathComponent).sorted() ?? []
            }
            #expect(names(nil) == [])
            try FileManager.default.removeItem(at: folder.appendingPathComponent("Two.cdm"))
            #expect(names("Maps") == ["One.cdm", "Two.cdm"])
            let one = bundle.url(
                forResource: "One",
                withExtension: "cdm",
                subdirectory: "Maps"
            )
            #expect(one?.lastPathComponent == "One.xcmappingmodel")
        }
    }

    @Test func aBundleWithoutModelsHasNone() throws {
        try withBundle { bundle in
            for name in ["Notes.xcdatamodeld", "Plain.xcdatamodel"] {
                try FileManager.default.removeItem(
                    at: bundle.bundleURL.appendingPathComponent(name)
                )
            }
            #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
        }
    }

    @Test func mergedModelsTakeSources() throws {
        try withBundle { bundle in
            try FileManager.default.removeItem(
                at: bundle.bundleURL.appendingPathComponent("Plain.xcdatamodel")
            )
            let model = NSManagedObjectModel.mergedModel(from: [bundle])
            #expect(model?.entitiesByName["Note"]?.attributesByName.keys.first == "new")
        }
    }
}
