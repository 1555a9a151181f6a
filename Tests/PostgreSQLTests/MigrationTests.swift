#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Stores that go to a server and come back.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct MigrationTests {
    private static func context(
        _ coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private static func lines(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        let context = context(coordinator)
        return try context.performAndWait { try context.sampleLines() }
    }

    /// A coordinator with an SQLite store that has the sample.
    private static func file(_ folder: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        _ = try coordinator.addPersistentStore(
            type: .sqlite,
            at: folder.appendingPathComponent("Store.sqlite")
        )
        let context = context(coordinator)
        try context.performAndWait {
            for _ in 0..<3 { context.insertSample() }
            try context.save()
        }
        return coordinator
    }

    private static func migrate(
        _ coordinator: NSPersistentStoreCoordinator,
        to database: SharedDatabase
    ) throws {
        let store = try #require(coordinator.persistentStores.first)
        store.metadata = store.metadata.merging(["colour": "red"]) { $1 }
        _ = try coordinator.migratePersistentStore(
            store,
            to: database.url,
            options: database.options("one"),
            type: .postgreSQL
        )
    }

    private static func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    @Test func aFileGoesToAServerAndComesBackWithItsKeys() throws {
        let database = try SharedDatabase()
        try withTemporaryFolder { folder in
            let coordinator = try Self.file(folder)
            let before = try Self.lines(coordinator)
            try Self.migrate(coordinator, to: database)
            #expect(coordinator.persistentStores.map(\.type) == ["PostgreSQL"])
            #expect(try Self.lines(coordinator) == before)
            // It is a store as any other: others read it, and add to it under keys of their own.
            let two = try database.machine("two")
            try database.expectSameRows(two)
            #expect(try two.perform { try $0.sampleLines() } == before)
            #expect(two.store.metadata["colour"] as? String == "red")
            try two.perform { context in
                context.insertSample()
                try context.save()
            }
            try two.catchUp()
            let grown = try two.perform { try $0.sampleLines() }
            #expect(Set(grown).count == before.count / 3 * 4)
            // And back, from there.
            _ = try two.coordinator.migratePersistentStore(
                two.store,
                to: folder.appendingPathComponent("Back.sqlite"),
                type: .sqlite
            )
            #expect(try Self.lines(two.coordinator) == grown)
            try Self.close(coordinator)
            two.close()
        }
    }

    @Test func aPlaceThatHasAStoreIsRefusedAndLeftAlone() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        try withTemporaryFolder { folder in
            let coordinator = try Self.file(folder)
            let before = try Self.lines(coordinator)
            let error = #expect(throws: CocoaError.self) {
                try Self.migrate(coordinator, to: database)
            }
            #expect(error?.code.rawValue == NSPersistentStoreOpenError)
            #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
            #expect(try Self.lines(coordinator) == before)
            try Self.close(coordinator)
        }
        try database.expectSameRows(one)
        #expect(try one.values("Tag", "label") == ["a"])
    }

    /// A server can't have the text; what had been copied by then goes.
    @Test func aCopyThatFailsLeavesNothingOnTheServer() throws {
        let database = try SharedDatabase()
        try withTemporaryFolder { folder in
            let coordinator = try Self.file(folder)
            let context = Self.context(coordinator)
            try context.performAndWait {
                let song = NSEntityDescription.insertNewObject(
                    forEntityName: "Song",
                    into: context
                )
                song.setValue("a\u{0}b", forKey: "title")
                try context.save()
            }
            let error = #expect(throws: CocoaError.self) {
                try Self.migrate(coordinator, to: database)
            }
            #expect(error?.localizedDescription.contains("U+0000") == true)
            #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
            let schemas = try database.run(
                "SELECT 1 FROM pg_namespace WHERE nspname = '\(database.schema)'"
            )
            #expect(schemas.rowCount == 0)
            try Self.close(coordinator)
        }
    }

    /// The way to another version of a model: to a file, which is migrated, and from there to a new
    /// place on the server.
    @Test func aStoreOfAnOlderModelIsMigratedByWayOfAFile() throws {
        let old = try SharedDatabase(), new = try SharedDatabase()
        let one = try old.machine("one")
        try one.perform { context in
            context.insertSample()
            try context.save()
        }
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Way.sqlite")
            try one.catchUp()
            _ = try one.coordinator.migratePersistentStore(one.store, to: url, type: .sqlite)
            let before = try Self.lines(one.coordinator)
            one.close()
            func model() throws -> NSManagedObjectModel {
                let model = SampleModel.make()
                let weight = NSAttributeDescription()
                weight.name = "weight"
                weight.attributeType = .integer32AttributeType
                weight.defaultValue = 7
                let tag = try #require(model.entitiesByName["Tag"])
                tag.properties.append(weight)
                return model
            }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model())
            _ = try coordinator.addPersistentStore(
                type: .sqlite,
                at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ]
            )
            try Self.migrate(coordinator, to: new)
            let two = try new.machine("two", model: try model())
            #expect(try two.values("Tag", "weight") == ["7"])
            let after = try two.perform { try $0.sampleLines() }
            #expect(after.map { $0.replacingOccurrences(of: " weight=7", with: "") } == before)
            try Self.close(coordinator)
        }
    }
}
#endif
