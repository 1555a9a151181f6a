import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Compiled mapping models, as Xcode wrote them, where they are at hand beside the checkout.
@Suite(.enabled(if: Samples.areThere("mom", "sqlite"), "needs shared/samples"))
struct MappingModelFileTests {
    private let folder: URL

    init() throws {
        folder = try Samples.url("mom/coredataplus-samplemodel")
    }

    @Test func aMappingModelOfXcodeIsRead() throws {
        let url = folder.appendingPathComponent("V2toV3.cdm")
        let model = try NSMappingModel(readingFrom: url)
        let mappings = model.entityMappingsByName
        #expect(
            Set(mappings.keys) == [
                "CarToCar", "SportCarToSportCar", "LuxuryCarToLuxuryCar", "PersonToPerson", "Maker",
            ]
        )
        let car = try #require(mappings["CarToCar"])
        #expect(car.mappingType == .customEntityMappingType)
        #expect(car.entityMigrationPolicyClassName == "REPLACE_AT_RUNTIME.V2to3MakerPolicy")
        #expect(mappings["Maker"]?.mappingType == .addEntityMappingType)
        let values = Dictionary(
            uniqueKeysWithValues: (car.attributeMappings ?? []).map {
                ($0.name ?? "", $0.valueExpression?.description)
            }
        )
        #expect(values["model"] == "$source.model")
        let owner = car.relationshipMappings?.first { $0.name == "owner" }?.valueExpression
        #expect(
            owner?.description
                == "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:"
                + "sourceInstances:\", \"PersonToPerson\", $source.owner)"
        )
        #expect(car.sourceExpression is NSFetchRequestExpression)
        let versions = folder.appendingPathComponent("SampleModel.momd")
        let two = try NSManagedObjectModel(
            readingFrom: versions.appendingPathComponent("SampleModel2.mom")
        )
        #expect(car.sourceEntityVersionHash == two.entityVersionHashesByName["Car"])
    }

    /// The sample's mapping carries a store of its second version to the third.
    @Test func aStoreMigratesByIt() throws {
        let versions = folder.appendingPathComponent("SampleModel.momd")
        let two = try NSManagedObjectModel(
            readingFrom: versions.appendingPathComponent("SampleModel2.mom")
        )
        let three = try NSManagedObjectModel(
            readingFrom: versions.appendingPathComponent("SampleModel3.mom")
        )
        let sample = try Samples.url("sqlite/coredataplus-samplemodel/SampleModel_V2.sqlite")
        let place = FileManager.default.temporaryDirectory
            .appendingPathComponent("Mapping-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let url = place.appendingPathComponent("Store.sqlite")
        try Data(contentsOf: sample).write(to: url)
        let mapping = try NSMappingModel(
            readingFrom: folder.appendingPathComponent("V2toV3.cdm")
        )
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            entity.entityMigrationPolicyClassName = String(reflecting: MakerPolicy.self)
        }
        let before = try MigrationFixture.shell(
            "SELECT (SELECT count(*) FROM ZCAR), (SELECT count(*) FROM ZPERSON), "
                + "(SELECT count(*) FROM ZCAR WHERE ZOWNER IS NOT NULL)",
            url
        )
        let migrator = StoreMigrator(SQLiteStore.self, url, from: two, to: three)
        try migrator.run(mapping: mapping, infers: false)
        let after = try MigrationFixture.shell(
            "SELECT (SELECT count(*) FROM ZCAR), (SELECT count(*) FROM ZPERSON), "
                + "(SELECT count(*) FROM ZCAR WHERE ZOWNER IS NOT NULL)",
            url
        )
        #expect(after == before)
        #expect(
            try MigrationFixture.shell(
                "SELECT count(*) FROM ZCAR WHERE ZCREATEDBY IS NULL OR ZNUMBERPLATE IS NULL",
                url
            ) == ["0"]
        )
        #expect(try MigrationFixture.shell("PRAGMA integrity_check", url) == ["ok"])
    }

    @Test func damagedFilesAreRefused() throws {
        let whole = try Data(contentsOf: folder.appendingPathComponent("V2toV3.cdm"))
        let place = FileManager.default.temporaryDirectory
            .appendingPathComponent("Mapping-\(UUID().uuidString).cdm")
        defer { try? FileManager.default.removeItem(at: place) }
        var generator = SystemRandomNumberGenerator()
        var refused = 0
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            try bytes.write(to: place)
            if NSMappingModel(contentsOf: place) == nil { refused += 1 }
        }
        #expect(refused > 0)
        try Data("no mapping".utf8).write(to: place)
        let error = #expect(throws: CocoaError.self) { try NSMappingModel(readingFrom: place) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(NSMappingModel(contentsOf: folder.appendingPathComponent("none.cdm")) == nil)
        #expect(NSMappingModel(contentsOf: nil) == nil)
    }
}

/// Gives each car a maker, as the sample's own policy does.
final class MakerPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject,
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let cars = manager.destinationInstances(
            forEntityMappingName: mapping.name,
            sourceInstances: [sInstance]
        )
        let name = sInstance.value(forKey: "maker") as? String ?? ""
        let request = NSFetchRequest<NSManagedObject>(entityName: "Maker")
        request.predicate = NSPredicate(format: "name == %@", name)
        let context = manager.destinationContext
        let maker =
            try context.fetch(request).first
            ?? NSEntityDescription.insertNewObject(forEntityName: "Maker", into: context)
        maker.setValue(name, forKey: "name")
        for car in cars { car.setValue(maker, forKey: "createdBy") }
    }
}
