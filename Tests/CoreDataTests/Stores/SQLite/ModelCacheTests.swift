import CSQLite
import Foundation
import StoreInspection
import TestSupport
import Testing

@testable import CoreData

/// The models that stores keep of themselves.
@Suite struct ModelCacheTests {
    /// Each sample store with the source of its model; nil where there is none.
    private static let samples: [(store: String, source: String?)] = [
        (
            "coredataplus-samplemodel/SampleModel_V1.sqlite",
            "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"
        ),
        (
            "coredataplus-samplemodel/SampleModel_V2.sqlite",
            "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel"
        ),
        (
            "coredataplus-samplemodel-m2m/SampleModelV2.sqlite",
            "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel3.xcdatamodel"
        ),
        ("coredataplus-samplemodel2/SampleModel2_V2.sqlite", nil),
        (
            "coredataplus-samplemodel3/SampleModel3_V1.sqlite",
            "coredataplus-samplemodel3/SampleModel3.xcdatamodeld/SampleModel3.xcdatamodel"
        ),
        (
            "ddg-bookmarks/Bookmarks_V1.sqlite",
            "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel.xcdatamodel"
        ),
        (
            "ddg-bookmarks/Bookmarks_V2.sqlite",
            "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 2.xcdatamodel"
        ),
        (
            "ddg-bookmarks/Bookmarks_V4.sqlite",
            "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 4.xcdatamodel"
        ),
        (
            "apptentive/ATDataModelv6.sqlite",
            "apptentive/ATDataModel.xcdatamodeld/ATDataModel 6.xcdatamodel"
        ),
        (
            "carekit/SampleStore2.0.sqlite",
            "carekit/CareKitStore.xcdatamodeld/CareKitStore2.0.xcdatamodel"
        ),
    ]

    /// Where the sources at hand say otherwise than the models that the stores were made with: they
    /// were edited later, or the program set classes and defaults in code.
    private static let otherEdits: Set<String> = [
        "attribute color: value class – → Color",
        "attribute schemaVersion: default 2.0.1 → –",
        "attribute taskOccurrenceIndex: default – → 0", "attribute doubleValue: default – → 0.0",
        "attribute index: default – → 0", "attribute integerValue: default – → 0",
    ]

    @Test(.enabled(if: SampleStores.areThere, "needs shared/samples"))
    func storesOpenWithTheModelThatTheyKeep() throws {
        for sample in Self.samples {
            try Samples.withCopy(of: sample.store) { url in
                let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
                let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType,
                    at: url
                )
                #expect(
                    model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata),
                    "\(sample.store)"
                )
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: url,
                    options: [NSReadOnlyPersistentStoreOption: true]
                )
                guard let source = sample.source else { return }
                let changes = ModelChanges(
                    from: ModelOutline(model),
                    to: ModelOutline(
                        try NSManagedObjectModel(
                            readingFrom: try Samples.url("xcdatamodel/\(source)")
                        )
                    )
                )
                let lines = changes.changedEntities.flatMap(\.lines)
                #expect(
                    lines.filter {
                        !Self.otherEdits.contains($0) && !$0.hasPrefix("entity: class ")
                    } == [],
                    "\(sample.store)"
                )
                #expect(!changes.needsMigration, "\(sample.store)")
            }
        }
    }

    /// The model of this store was made in code, with all that the editor of models can't say.
    @Test(.enabled(if: SampleStores.areThere, "needs shared/samples"))
    func modelsMadeInCodeAreReadWhole() throws {
        try Samples.withCopy(of: "coredataplus-samplemodel2/SampleModel2_V2.sqlite") { url in
            let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            let book = try #require(model.entitiesByName["Book"])
            let author = try #require(model.entitiesByName["Author"])
            #expect(book.subentities.map(\.name) == ["GraphicNovel"])
            let count = book.attributesByName["pagesCount"] as? NSDerivedAttributeDescription
            #expect(count?.derivationExpression?.description == "pages.@count")
            let title = try #require(book.attributesByName["title"])
            #expect(
                title.validationPredicates.map { "\($0)" } == [
                    "length >= 3 AND length <= 50", "SELF CONTAINS \"title\"",
                ]
            )
            let feedbacks = author.propertiesByName["favFeedbacks"] as? NSFetchedPropertyDescription
            #expect(
                feedbacks?.fetchRequest?.predicate.map { "\($0)" }
                    == "authorAlias == $FETCH_SOURCE.alias AND "
                    + "comment CONTAINS[c] $FETCHED_PROPERTY.userInfo.search"
            )
            #expect(feedbacks?.userInfo as? [String: String] == ["search": "great"])
            #expect(
                model.configurations == [
                    "SampleConfigurationV2Part1", "SampleConfigurationV2Part2",
                ]
            )
            // The default value is an object of the program's.
            #expect(model.unrecognizedParts.contains { $0.contains("CoreDataPlus_Tests.Cover") })
        }
    }

    @Test func aStoreOfOursKeepsItsModel() throws {
        let fixture = try StoreFixture()
        fixture.store.close()
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: fixture.url)
        #expect(ModelOutline(model) == ModelOutline(fixture.model))
    }

    @Test(.enabled(if: SampleStores.areThere, "needs shared/samples"))
    func anOldStoreWithoutItsModelSaysSo() throws {
        try Samples.withCopy(of: "apptentive/ATDataModelv1.sqlite") { url in
            let before = try Data(contentsOf: url)
            let error = try #require(throws: CocoaError.self) {
                try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            }
            #expect(error.code.rawValue == NSMigrationMissingSourceModelError)
            #expect(try Data(contentsOf: url) == before)
        }
    }

    @Test func aDamagedModelSaysSo() throws {
        let fixture = try StoreFixture()
        fixture.store.close()
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try editor.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0123456789'")
        let error = try #require(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: fixture.url)
        }
        #expect(error.code == .fileReadCorruptFile)
        #expect(error.localizedDescription.contains("Z_MODELCACHE"))
    }

    @Test(arguments: ["DELETE FROM Z_MODELCACHE", "UPDATE Z_MODELCACHE SET Z_CONTENT = x''"])
    func aStoreWithoutContentInItsCacheHasNoModel(_ statement: String) throws {
        let fixture = try StoreFixture()
        fixture.store.close()
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try editor.execute(statement)
        let error = try #require(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: fixture.url)
        }
        #expect(error.code.rawValue == NSMigrationMissingSourceModelError)
    }

    /// The cache counts, and the difference is noted.
    @Test func otherHashesThanThoseOfTheMetadataAreNoted() throws {
        let fixture = try StoreFixture()
        var metadata = try #require(fixture.store.metadata)
        var hashes = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
        hashes["Tag"] = Data(repeating: 1, count: 32)
        metadata[NSStoreModelVersionHashesKey] = hashes
        fixture.store.metadata = metadata
        fixture.store.close()
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: fixture.url)
        #expect(model.unrecognizedParts.count == 1)
        #expect(model.unrecognizedParts.first?.hasPrefix("The entity Tag: the store's") == true)
        metadata[NSStoreModelVersionHashesKey] = nil
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        let update = try editor.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        update.bind(1, try MetadataCoding.encode(metadata, url: fixture.url))
        try update.run()
        let other = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: fixture.url)
        #expect(other.unrecognizedParts.isEmpty && other == model)
    }
}
