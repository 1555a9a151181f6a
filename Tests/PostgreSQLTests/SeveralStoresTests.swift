#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Saves that go to a server and to a file beside it.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct SeveralStoresTests {
    /// Entities `Shared` and `Own`, each in a configuration of its name, with a unique text.
    private static func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = ["Shared", "Own"].map { name in
            let text = NSAttributeDescription()
            text.name = "text"
            text.attributeType = .stringAttributeType
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "NSManagedObject"
            entity.properties = [text]
            entity.uniquenessConstraints = [["text"]]
            return entity
        }
        for entity in model.entities {
            model.setEntities([entity], forConfigurationName: entity.name ?? "")
        }
        return model
    }

    private static func save(
        _ coordinator: NSPersistentStoreCoordinator,
        _ texts: [(entity: String, text: String)]
    ) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for (entity, text) in texts {
                NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                    .setValue(text, forKey: "text")
            }
            try context.save()
        }
    }

    private static func count(
        _ entity: String,
        _ coordinator: NSPersistentStoreCoordinator
    ) throws -> Int {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        }
    }

    /// Between the two, a commit on a connection that was made anew would be of nothing.
    @Test func aTransactionThatIsLostBeforeItsCommitIsNotTakenForCommitted() throws {
        let database = try SharedDatabase()
        let machine = try database.machine("one")
        let store = machine.store
        _ = try machine.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType,
            configurationName: nil,
            at: nil
        )
        let process = try store.opened().session.perform { connection in
            try connection.run("SELECT pg_backend_pid()").integer(0, 0)
        }
        var changes = StoreChangeSet()
        changes.origin.author = "lost"
        let error = #expect(throws: CocoaError.self) {
            try store.write(changes) {
                try database.run("SELECT pg_terminate_backend(\(process), 10000)")
            }
        }
        #expect(error?.code.rawValue == NSPersistentStoreOperationError)
        let saves = try database.run("SELECT count(*) FROM $z_transaction WHERE author = 'lost'")
        #expect(saves.integer(0, 0) == 0)
    }

    @Test(arguments: [["Shared", "Own"], ["Own", "Shared"]])
    func aSaveIsInBothStoresOrInNone(order: [String]) throws {
        let database = try SharedDatabase()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try withTemporaryFolder { folder in
            for configuration in order {
                let isShared = configuration == "Shared"
                _ = try coordinator.addPersistentStore(
                    type: isShared ? .postgreSQL : .sqlite,
                    configuration: configuration,
                    at: isShared ? database.url : folder.appendingPathComponent("Own.sqlite"),
                    options: isShared ? database.options("one") : nil
                )
            }
            try Self.save(coordinator, [("Shared", "a"), ("Own", "a")])
            // What one of them refuses is in neither.
            for taken in ["Shared", "Own"] {
                let other = taken == "Shared" ? "Own" : "Shared"
                #expect(throws: CocoaError.self) {
                    try Self.save(coordinator, [(taken, "a"), (other, "b")])
                }
            }
            // And what the server alone can refuse.
            let store = coordinator.persistentStores.first { $0.type == "PostgreSQL" }
            try #require(store as? PostgreSQLStore).opened().feed.stop()
            try database.run("INSERT INTO $\"ZSHARED\" VALUES (1000000, 1, 1, 'c')")
            let error = #expect(throws: CocoaError.self) {
                try Self.save(coordinator, [("Shared", "c"), ("Own", "c")])
            }
            #expect(error?.code.rawValue == NSPersistentStoreSaveError)
            #expect(try Self.count("Shared", coordinator) == 1)
            #expect(try Self.count("Own", coordinator) == 1)
            #expect(try database.run("SELECT count(*) FROM $\"ZSHARED\"").integer(0, 0) == 2)
            try Self.save(coordinator, [("Shared", "d"), ("Own", "d")])
            #expect(try Self.count("Own", coordinator) == 2)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }
}
#endif
