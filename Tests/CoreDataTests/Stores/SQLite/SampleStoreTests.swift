import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Stores that Apple's framework wrote, where they are at hand beside the checkout.
@Suite(.enabled(if: SampleStores.areThere, "needs shared/samples"))
struct SampleStoreTests {
    @Test(arguments: SampleStores.fresh)
    func definitionsAreThoseOfApplesStores(_ sample: SampleStores.Sample) throws {
        try SampleStores.withCopy(sample) { copy in
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

    @Test(arguments: SampleStores.all)
    func applesStoresOpenAndKeepWorking(_ sample: SampleStores.Sample) throws {
        try SampleStores.withCopy(sample) { copy in
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
            #expect(total > 0 || !sample.isFresh)
        }
    }

    /// The sample's own model is not at hand; these are its names.
    @Test func triggersOfCountsAreThoseOfApplesStores() throws {
        let path = try Samples.url("sqlite/coredataplus-samplemodel2/SampleModel2_V2.sqlite").path
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

    @Test func historyTablesAreThoseOfApplesStores() throws {
        let path = try Samples.url("sqlite/coredataplus-samplemodel2/SampleModel2_V2.sqlite").path
        let settings = ConnectionSettings(path: path, isReadOnly: true, isImmutable: true)
        let sql = "SELECT sql FROM sqlite_master WHERE tbl_name GLOB 'A*' ORDER BY name"
        let connection = try SQLiteConnection(settings)
        let statement = try connection.statement(sql)
        var theirs: [String] = []
        while try statement.step() { theirs.append(statement.text(0)) }
        statement.reset()
        let options = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        let fixture = try StoreFixture(options: options)
        #expect(theirs.count == 11)
        #expect(try fixture.query(sql) == theirs)
    }
}
