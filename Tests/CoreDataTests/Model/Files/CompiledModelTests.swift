import StoreInspection
import TestSupport
import Testing

@testable import CoreData

/// Models that Xcode compiled, where they are at hand beside the checkout.
@Suite(.enabled(if: Samples.areThere("mom", "xcdatamodel"), "needs shared/samples"))
struct CompiledModelTests {

    /// What `VersionInfo.plist` says, read by Foundation.
    private func statedHashes(beside version: URL) throws -> [String: Data] {
        let folder = version.deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("VersionInfo.plist"))
        let plist = try PropertyListSerialization.propertyList(from: data, format: nil)
        let info = try #require(plist as? [String: Any])
        let hashes = info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
        return try #require(hashes?[version.deletingPathExtension().lastPathComponent])
    }

    @Test func everyCompiledModelHasTheHashesThatXcodeStates() throws {
        let versions = try Samples.files(in: "mom", extensions: ["mom"])
        #expect(!versions.isEmpty)
        for url in versions {
            let model = try NSManagedObjectModel(readingFrom: url)
            #expect(model.entityVersionHashesByName == (try statedHashes(beside: url)), "\(url)")
            #expect(model.unrecognizedParts == [], "\(url)")
            #expect(model.layout.entities.count == model.entities.count)
        }
    }

    /// Where a source was edited after the compiled form at hand was made of it.
    private static let laterEdits: Set<String> = [
        "attribute color: value class – → Color",
        "- index maker_numberPlate", "+ index byMakerAndNumberPlate: over maker, numberPlate",
    ]

    @Test func sourcesAndTheirCompiledFormsAreEqual() throws {
        let compiled = try Samples.url("mom"), sources = try Samples.url("xcdatamodel")
        let pairs: [(compiled: String, source: String, names: [String])] = [
            (
                "coredataplus-samplemodel/SampleModel.momd",
                "coredataplus-samplemodel/SampleModel.xcdatamodeld",
                ["SampleModel", "SampleModel2", "SampleModel3"]
            ),
            (
                "coredataplus-samplemodel-old/SampleModel.momd",
                "coredataplus-samplemodel/SampleModel.xcdatamodeld",
                ["SampleModel2", "SampleModel3"]
            ),
            (
                "coredataplus-samplemodel3/SampleModel3.momd",
                "coredataplus-samplemodel3/SampleModel3.xcdatamodeld",
                ["SampleModel3", "SampleModel3_v2", "SampleModel3_v3"]
            ),
        ]
        for pair in pairs {
            for name in pair.names {
                let left = try NSManagedObjectModel(
                    readingFrom: compiled.appendingPathComponent("\(pair.compiled)/\(name).mom")
                )
                let right = try NSManagedObjectModel(
                    readingFrom: sources.appendingPathComponent(
                        "\(pair.source)/\(name).xcdatamodel"
                    )
                )
                let changes = ModelChanges(from: ModelOutline(left), to: ModelOutline(right))
                let lines = changes.changedEntities.flatMap(\.lines)
                #expect(
                    lines.filter { !Self.laterEdits.contains($0) } == [] && !changes.needsMigration,
                    "\(pair.compiled) \(name)"
                )
            }
        }
    }

    @Test func aDirectoryIsItsCurrentVersion() throws {
        let root = try Samples.url("mom")
        func model(_ path: String) throws -> NSManagedObjectModel {
            try NSManagedObjectModel(readingFrom: root.appendingPathComponent(path))
        }
        let current = try model("sfmc/SFMCModel.momd")
        #expect(ModelOutline(current) == ModelOutline(try model("sfmc/SFMCModel.momd/244.01.mom")))
        #expect(current.entities.count == 13)
        let folder = root.appendingPathComponent("sfmc/SFMCModel.momd")
        #expect(ModelFile.versionURLs(of: folder).count == 15)
        // One has no current version's name, the other has; both lists of versions are XML.
        let models = try ["a", "b"].map {
            try model("restkit-2012/bundle-\($0)/RestKitCoreData.momd")
        }
        #expect(ModelOutline(models[0]) == ModelOutline(models[1]))
        #expect(models[0].entitiesByName["RKSearchableManagedObject"]?.isAbstract == true)
    }
}
