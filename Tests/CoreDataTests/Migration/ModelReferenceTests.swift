import Foundation
import Testing

@testable import CoreData

/// References to versions of a model, and stages between them.
@Suite struct ModelReferenceTests {
    private static let versions = Dictionary(
        uniqueKeysWithValues: (1...4).map { number in
            let attributes = (1...number).map {
                "<attribute name=\"a\($0)\" attributeType=\"String\" optional=\"YES\"/>"
            }
            return ("V\(number)", "<entity name=\"Note\">\(attributes.joined())</entity>")
        }
    )

    private struct Place {
        let models: ModelFolder
        let bundle: Bundle
        let versions: [NSManagedObjectModel]
    }

    private func withPlace(_ body: (Place) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("References-\(UUID().uuidString)", isDirectory: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                Issue.record(error)
            }
        }
        let models = try ModelFolder(in: folder, versions: Self.versions, current: "V3")
        let bundle = try #require(Bundle(url: folder))
        let versions = try (1...4).map { try models.version("V\($0)") }
        try body(Place(models: models, bundle: bundle, versions: versions))
    }

    @Test func aVersionIsFoundByFileHashesOrName() throws {
        try withPlace { place in
            let model = place.versions[1]
            let checksum = model.versionChecksum
            let hashes = model.entityVersionHashesByName as [AnyHashable: Any]
            let references = [
                NSManagedObjectModelReference(
                    fileURL: place.models.url.appendingPathComponent("V2.xcdatamodel"),
                    versionChecksum: checksum
                ),
                NSManagedObjectModelReference(
                    entityVersionHashes: hashes,
                    in: place.bundle,
                    versionChecksum: checksum
                ),
                NSManagedObjectModelReference(
                    name: "V2",
                    in: place.bundle,
                    versionChecksum: checksum
                ),
                NSManagedObjectModelReference(
                    name: "Model",
                    in: place.bundle,
                    versionChecksum: checksum
                ),
            ]
            for reference in references {
                let found = reference.resolvedModel
                #expect(found.entityVersionHashesByName == model.entityVersionHashesByName)
                // The same instance each time.
                #expect(reference.resolvedModel === found)
            }
        }
    }

    @Test func aVersionThatIsNotThereIsAnError() throws {
        try withPlace { place in
            let checksum = place.versions[0].versionChecksum
            for reference in [
                NSManagedObjectModelReference(
                    fileURL: place.models.url.appendingPathComponent("V9.xcdatamodel"),
                    versionChecksum: checksum
                ),
                NSManagedObjectModelReference(
                    entityVersionHashes: ["Note": "no hash"],
                    in: nil,
                    versionChecksum: checksum
                ),
                NSManagedObjectModelReference(name: "V1", in: nil, versionChecksum: checksum),
                // It is there, in another version.
                NSManagedObjectModelReference(
                    name: "V2",
                    in: place.bundle,
                    versionChecksum: checksum
                ),
            ] {
                let error = #expect(throws: CocoaError.self) { try reference.model() }
                #expect(error?.errorCode == NSManagedObjectModelReferenceNotFoundError)
            }
        }
    }

    // MARK: Stages

    private func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    private func open(
        _ fixture: MigrationFixture,
        _ model: NSManagedObjectModel,
        _ stages: [NSMigrationStage]
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            type: .sqlite,
            at: fixture.url,
            options: [
                NSPersistentStoreStagedMigrationManagerOptionKey:
                    NSStagedMigrationManager(stages),
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ]
        )
        try coordinator.remove(store)
    }

    private func store(_ model: NSManagedObjectModel) throws -> MigrationFixture {
        try MigrationFixture(model) { $0.insert("Note", ["a1": "x"]) }
    }

    private func titles(_ fixture: MigrationFixture, _ model: NSManagedObjectModel) throws
        -> [String?]
    {
        try fixture.open(model) { try $0.objects("Note", by: "a1").map { $0.text("a1") } }
    }

    /// Its model stands beside the destination, and the stages lead there from another one.
    @Test func aStoreThatStagesDoNotBeginWithIsRefused() throws {
        try withPlace { place in
            let fixture = try store(place.versions[0])
            let current = try place.models.current()
            let stage = NSCustomMigrationStage(
                migratingFrom: reference(place.versions[1]),
                to: reference(place.versions[2])
            )
            let error = #expect(throws: CocoaError.self) { try open(fixture, current, [stage]) }
            #expect(error?.errorCode == NSManagedObjectModelReferenceNotFoundError)
            #expect(try titles(fixture, place.versions[0]) == ["x"])
        }
    }

    @Test func aStoreWhoseModelIsNowhereIsRefused() throws {
        try withPlace { place in
            let fixture = try store(makeModel([makeEntity("Note", [makeAttribute("a1")])]))
            // What the store itself keeps of its model.
            _ = try fixture.shell("DELETE FROM Z_MODELCACHE")
            let other = makeModel([makeEntity("Note", [makeAttribute("b")])])
            let error = #expect(throws: CocoaError.self) {
                try open(fixture, other, [NSLightweightMigrationStage(["x", "y"])])
            }
            #expect(error?.errorCode == NSMigrationMissingSourceModelError)
        }
    }

    /// Stages that know neither the store's version nor the destination are passed over.
    @Test func withoutAStageThatFitsTheWayIsInferred() throws {
        try withPlace { place in
            let fixture = try store(place.versions[0])
            let current = try place.models.current()
            let stage = NSCustomMigrationStage(
                migratingFrom: reference(place.versions[1]),
                to: reference(place.versions[3])
            )
            stage.willMigrateHandler = { _, _ in Issue.record("It is of another version.") }
            try open(fixture, current, [NSMigrationStage(), stage])
            #expect(try titles(fixture, current) == ["x"])
        }
    }

    /// The first stage ends at version 2; the second one begins at 3, and its handlers are not
    /// called; versions are found beside the destination, though a reference to one is broken.
    @Test func stagesThatDoNotFollowEachOtherArePassedOver() throws {
        try withPlace { place in
            let fixture = try store(place.versions[0])
            let broken = NSManagedObjectModelReference(
                fileURL: place.models.url.appendingPathComponent("V9.xcdatamodel"),
                versionChecksum: place.versions[1].versionChecksum
            )
            let other = NSCustomMigrationStage(
                migratingFrom: reference(place.versions[2]),
                to: broken
            )
            other.willMigrateHandler = { _, _ in Issue.record("It is of another version.") }
            let first = NSLightweightMigrationStage(
                place.versions[0...1].map(\.versionChecksum)
            )
            let last = NSLightweightMigrationStage([place.versions[3].versionChecksum])
            let end = try NSManagedObjectModel(
                readingFrom: place.models.url.appendingPathComponent("V4.xcdatamodel")
            )
            try open(fixture, end, [first, other, NSMigrationStage(), last])
            #expect(try titles(fixture, end) == ["x"])
        }
    }
}
