#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Stores that need not be open: their metadata, and their end.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct PlaceTests {
    private static func metadata(
        _ database: SharedDatabase,
        _ options: [AnyHashable: Any]
    ) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .postgreSQL,
            at: database.url,
            options: options
        )
    }

    private static func destroy(_ database: SharedDatabase, by machine: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        try coordinator.destroyPersistentStore(
            at: database.url,
            type: .postgreSQL,
            options: database.options(machine)
        )
    }

    private static func tables(_ database: SharedDatabase) throws -> [String] {
        let result = try database.run(
            "SELECT relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = '\(database.schema)' AND relkind IN ('r', 'S', 'v') ORDER BY 1"
        )
        return (0..<result.rowCount).map { result.text($0, 0) }
    }

    private static func hasSchema(_ database: SharedDatabase) throws -> Bool {
        let result = try database.run(
            "SELECT 1 FROM pg_namespace WHERE nspname = '\(database.schema)'"
        )
        return result.rowCount == 1
    }

    // MARK: Metadata

    @Test func metadataIsReadAndReplacedWithoutAddingTheStore() throws {
        let database = try SharedDatabase()
        let options = database.options("one")
        let missing = #expect(throws: CocoaError.self) { try Self.metadata(database, options) }
        #expect(missing?.code.rawValue == NSPersistentStoreOpenError)
        #expect(missing?.localizedDescription.contains(database.schema) == true)
        #expect(try !Self.hasSchema(database))
        let one = try database.machine("one")
        let known = try Self.metadata(database, options)
        #expect(known[NSStoreUUIDKey] as? String == one.store.identifier)
        #expect(known[NSStoreTypeKey] as? String == "PostgreSQL")
        let model = one.coordinator.managedObjectModel
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: known))
        one.close()
        try NSPersistentStoreCoordinator.setMetadata(
            ["colour": "red"],
            type: .postgreSQL,
            at: database.url,
            options: options
        )
        #expect(try Self.metadata(database, options)["colour"] as? String == "red")
        // What the store needs has stayed.
        let two = try database.machine("two")
        #expect(two.store.metadata["colour"] as? String == "red")
        #expect(two.store.identifier == known[NSStoreUUIDKey] as? String)
    }

    // MARK: The end

    @Test func destroyingAStoreDropsItsSchemaAndTheReplica() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        let replica = try #require(try one.store.replica().url)
        #expect(FileManager.default.fileExists(atPath: replica.path))
        // A store of another schema at the same URL stays.
        let other = try SharedDatabase()
        let second = try one.coordinator.addPersistentStore(
            type: .postgreSQL,
            at: other.url,
            options: other.options("one")
        )
        try one.coordinator.destroyPersistentStore(
            at: database.url,
            type: .postgreSQL,
            options: database.options("one")
        )
        #expect(one.coordinator.persistentStores == [second])
        #expect(try !Self.hasSchema(database))
        #expect(!FileManager.default.fileExists(atPath: replica.path))
        #expect(try Self.hasSchema(other))
        try one.coordinator.remove(second)
        // Nothing there is no error, and something new can be made.
        try Self.destroy(database, by: "one")
        #expect(try database.machine("one").values("Tag", "label").isEmpty)
    }

    @Test func whatOthersHaveInTheSchemaStays() throws {
        let database = try SharedDatabase()
        try database.machine("one").close()
        try database.run("CREATE TABLE $notes (text text)")
        try Self.destroy(database, by: "one")
        #expect(try Self.tables(database) == ["notes"])
        let made = try SharedDatabase()
        try made.run("CREATE SCHEMA \(made.schema)")
        try made.machine("one").close()
        try Self.destroy(made, by: "one")
        #expect(try Self.hasSchema(made))
        #expect(try Self.tables(made).isEmpty)
    }

    /// A view of somebody else's needs a table: all stays as it was.
    @Test func aStoreThatOthersNeedIsNotDestroyedInPart() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        try database.run("CREATE VIEW $labels AS SELECT \"ZLABEL\" FROM $\"ZTAG\"")
        #expect(throws: CocoaError.self) { try Self.destroy(database, by: "two") }
        try one.insert("Tag", ["label": "b"])
        #expect(try one.values("Tag", "label") == ["a", "b"])
    }

    @Test(arguments: [false, true])
    func aMachineThatHasADestroyedStoreOpenWritesNothingMore(isMadeAnew: Bool) throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        try Self.destroy(database, by: "two")
        let two = isMadeAnew ? try database.machine("two") : nil
        let error = #expect(throws: CocoaError.self) { try one.insert("Tag", ["label": "b"]) }
        #expect(error?.localizedDescription.contains("destroyed or replaced") == true)
        #expect(throws: CocoaError.self) { try one.catchUp() }
        // What it has can still be read.
        #expect(try one.values("Tag", "label") == ["a"])
        if let two {
            #expect(try database.run("SELECT count(*) FROM $\"ZTAG\"").integer(0, 0) == 0)
            try two.catchUp()
            #expect(try two.values("Tag", "label").isEmpty)
            // Added again, it has the new one.
            one.close()
            #expect(try database.machine("one").values("Tag", "label").isEmpty)
        }
    }

    @Test func replacingAStoreIsRefusedWithTheReason() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        let error = #expect(throws: CocoaError.self) {
            try one.coordinator.replacePersistentStore(
                at: database.url,
                withPersistentStoreFrom: database.url,
                type: .postgreSQL
            )
        }
        #expect(error?.code.rawValue == NSPersistentStoreUnsupportedRequestTypeError)
        #expect(error?.localizedDescription.contains("Destroy it, and migrate") == true)
        #expect(one.coordinator.persistentStores.count == 1)
    }
}
#endif
