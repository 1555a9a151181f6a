import CSQLite
import Foundation
import Testing

@testable import CoreData

/// Stores that Apple's framework wrote, where they are at hand beside the checkout.
@Suite struct SampleStoreTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let store: String
        let model: String
        var testDescription: String { store }
    }

    private static let samples: URL? = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            for name in ["shared/samples", "../shared/samples"] {
                let candidate = folder.appendingPathComponent(name).standardizedFileURL
                if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            }
        }
        print("No sample stores beside the checkout: their tests are skipped.")
        return nil
    }()

    private static let all: [Sample] = [
        Sample(
            store: "coredataplus-samplemodel/SampleModel_V1.sqlite",
            model: "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"
        ),
        Sample(
            store: "coredataplus-samplemodel3/SampleModel3_V1.sqlite",
            model: "coredataplus-samplemodel3/SampleModel3.xcdatamodeld/SampleModel3.xcdatamodel"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V1.sqlite",
            model: "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel.xcdatamodel"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V2.sqlite",
            model: "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 2.xcdatamodel"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V4.sqlite",
            model: "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 4.xcdatamodel"
        ),
        Sample(
            store: "coredataplus-samplemodel-m2m/SampleModelV2.sqlite",
            model: "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel3.xcdatamodel"
        ),
        Sample(
            store: "carekit/SampleStore2.0.sqlite",
            model: "carekit/CareKitStore.xcdatamodeld/CareKitStore2.0.xcdatamodel"
        ),
    ]
    private static var available: [Sample] { samples == nil ? [] : all }

    private struct Copy {
        let folder: URL
        let url: URL
        let model: NSManagedObjectModel
    }

    private func withCopy(_ sample: Sample, _ body: (Copy) throws -> Void) throws {
        let samples = try #require(Self.samples)
        let source = samples.appendingPathComponent("sqlite/\(sample.store)")
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Samples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent(source.lastPathComponent)
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: source.path + suffix) {
            let data = try Data(contentsOf: URL(fileURLWithPath: source.path + suffix))
            try data.write(to: URL(fileURLWithPath: url.path + suffix))
        }
        let file = samples.appendingPathComponent("xcdatamodel/\(sample.model)")
        let model = try NSManagedObjectModel(readingFrom: file)
        try body(Copy(folder: folder, url: url, model: model))
    }

    @Test(arguments: SampleStoreTests.available)
    func definitionsAreThoseOfApplesStores(_ sample: Sample) throws {
        try withCopy(sample) { copy in
            let layout = copy.model.layout
            let ours = Set(StoreSchema(model: layout, entities: layout.entities).definitions())
            let connection = try SQLiteConnection(ConnectionSettings(path: copy.url.path))
            let statement = try connection.statement(
                "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name NOT GLOB 'A*'"
            )
            var theirs: Set<String> = []
            while try statement.step() { theirs.insert(statement.text(0)) }
            statement.reset()
            #expect(theirs.subtracting(ours).sorted() == [])
            #expect(ours.subtracting(theirs).sorted() == [])
        }
    }

    @Test(arguments: SampleStoreTests.available)
    func applesStoresOpenAndKeepWorking(_ sample: Sample) throws {
        try withCopy(sample) { copy in
            let store = SQLiteStore(
                persistentStoreCoordinator: nil,
                configurationName: nil,
                at: copy.url,
                options: nil
            )
            let layout = copy.model.layout
            try store.open(model: layout, entities: layout.entities)
            defer { store.close() }
            var total = 0
            for entity in layout.entities where entity.isRoot {
                let rows = try store.rows(FetchPlan(layout: entity))
                total += rows.count
                #expect(try store.count(FetchPlan(layout: entity)) == rows.count)
                for row in rows {
                    for slot in layout.entities[row.entityIndex].slots where slot.isToMany {
                        _ = try store.related(
                            layout.entities[row.entityIndex],
                            slot,
                            row.primaryKey
                        )
                    }
                }
                guard !entity.isAbstract else { continue }
                let key = try store.reservePrimaryKeys(rootIndex: entity.index, count: 1)
                var changes = StoreChangeSet()
                changes.inserts = [
                    Row.make(
                        layout: entity,
                        primaryKey: key,
                        version: 1,
                        values: [SlotValue](repeating: .null, count: entity.slots.count)
                    )
                ]
                try store.write(changes)
                #expect(try store.count(FetchPlan(layout: entity)) == rows.count + 1)
            }
            #expect(total > 0)
        }
    }

    /// The sample's own model is not at hand; these are its names.
    @Test(.enabled(if: SampleStoreTests.samples != nil))
    func triggersOfCountsAreThoseOfApplesStores() throws {
        let samples = try #require(Self.samples)
        let path = samples.path + "/sqlite/coredataplus-samplemodel2/SampleModel2_V2.sqlite"
        let settings = ConnectionSettings(path: path, isReadOnly: true, isImmutable: true)
        let connection = try SQLiteConnection(settings)
        let statement = try connection.statement(
            "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
        )
        var theirs: [String] = []
        while try statement.step() { theirs.append(statement.text(0)) }
        statement.reset()
        let layout = CountedBooks.model().layout
        let schema = StoreSchema(model: layout, entities: layout.entities)
        #expect(schema.derivationTriggers().sorted() == theirs.sorted())
    }
}
