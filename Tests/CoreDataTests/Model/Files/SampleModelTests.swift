import TestSupport
import Testing

@testable import CoreData

extension Samples {
    /// All model versions of the sample models.
    static func models() throws -> [URL] {
        try files(in: "xcdatamodel", extensions: ["xcdatamodel", "xcdatamodeld"])
    }
}

/// Sources of models that Xcode wrote, where they are at hand beside the checkout.
@Suite(.enabled(if: Samples.areThere("xcdatamodel"), "needs shared/samples/xcdatamodel"))
struct SampleModelTests {
    @Test func everySampleModelLoadsAndCompiles() throws {
        let models = try Samples.models()
        #expect(!models.isEmpty)
        for url in models {
            let model = try NSManagedObjectModel(readingFrom: url)
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            #expect(model.layout.entities.count == model.entities.count)
            #expect(model.unrecognizedParts == [], "\(url.path)")
            #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
            #expect(copy.layout.entities.map(\.name) == model.layout.entities.map(\.name))
        }
    }

    @Test func publishedHashesComeOutOfTheSamples() throws {
        let root = try Samples.url("xcdatamodel")
        func model(_ path: String) throws -> NSManagedObjectModel {
            try NSManagedObjectModel(readingFrom: root.appendingPathComponent(path))
        }
        let third = try model(
            "coredataplus-samplemodel3/SampleModel3.xcdatamodeld/SampleModel3_v3.xcdatamodel"
        )
        let hashes = third.entityVersionHashesByName
        #expect(
            hashes["Pet"]?.hexadecimal
                == "767342262a6458730c78aae73c5328d0fcaa4e3596d2f87f22e366eb46a9f46f"
        )
        #expect(
            hashes["User"]?.hexadecimal
                == "b71589f64466356efd31321ead6c293ade8edaddf6cfd7093144c073c3ac3c3b"
        )
        #expect(third.versionChecksum == "HFFd7j8Z9/s0tJ1vqPzVSPX/pNYEbNAlXayypitIFow=")
        let first = try model(
            "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"
        ).entityVersionHashesByName
        #expect(
            first["Car"]?.hexadecimal
                == "9e555529072158220d1bacd2f80a3dad4919f74a32aa8be9ee22a6a7b4126c8f"
        )
        #expect(
            first["SportCar"]?.hexadecimal
                == "514ec1907a568299f9fb6851106516136f0755f45fa53a823a0e4d44013d5313"
        )
        #expect(
            first["Person"]?.hexadecimal
                == "164268551b45108ae763aa2ba61ff32d32d32323850987c3e21607c8da44b72b"
        )
    }

    /// Compiled models keep the hashes that Xcode computed for each version.
    @Test(
        .enabled(if: Samples.areThere("mom"), "needs shared/samples/mom"),
        arguments: [
            ("coredataplus-samplemodel", "SampleModel"),
            ("coredataplus-samplemodel3", "SampleModel3"),
        ]
    )
    func hashesEqualThoseOfTheCompiledModels(folder: String, name: String) throws {
        let compiled = try Samples.url("mom/\(folder)/\(name).momd")
        let source = try Samples.url("xcdatamodel/\(folder)/\(name).xcdatamodeld")
        let data = try Data(contentsOf: compiled.appendingPathComponent("VersionInfo.plist"))
        let plist = try PropertyListSerialization.propertyList(from: data, format: nil)
        let info = try #require(plist as? [String: Any])
        let hashes = try #require(
            info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
        )
        let checksums = info["NSManagedObjectModel_VersionChecksums"] as? [String: String]
        #expect(!hashes.isEmpty)
        for (version, expected) in hashes {
            let model = try NSManagedObjectModel(
                readingFrom: source.appendingPathComponent("\(version).xcdatamodel")
            )
            #expect(model.entityVersionHashesByName == expected, "\(name) \(version)")
            if let checksum = checksums?[version] { #expect(model.versionChecksum == checksum) }
        }
    }

    @Test func theCurrentVersionIsTheOneThatTheModelNames() throws {
        let url = try Samples.url("xcdatamodel/ddg-bookmarks/BookmarksModel.xcdatamodeld")
        let current = try NSManagedObjectModel(readingFrom: url)
        let version = url.appendingPathComponent("BookmarksModel 6.xcdatamodel")
        #expect(
            current.entityVersionHashesByName
                == (try NSManagedObjectModel(readingFrom: version)).entityVersionHashesByName
        )
        #expect(ModelFile.versionURLs(of: url).count == 6)
    }
}
