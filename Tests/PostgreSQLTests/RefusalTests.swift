#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What can't be is said in one sentence, and nothing is lost.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct RefusalTests {
    @Test func aStoreOfAnotherModelIsRefused() throws {
        let database = try SharedDatabase()
        _ = try database.machine("one")
        let model = SampleModel.make()
        model.entitiesByName["Tag"]?.attributesByName["label"]?.isOptional = false
        let error = #expect(throws: CocoaError.self) {
            try database.machine("two", model: model)
        }
        #expect(error?.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
    }

    @Test func aSchemaThatAnAdministratorHasMadeIsEnoughForAUserWithoutOtherRights() throws {
        let database = try SharedDatabase()
        let user = "u" + database.schema.dropFirst()
        try database.run("CREATE ROLE \(user) LOGIN")
        try database.run("CREATE SCHEMA \(database.schema) AUTHORIZATION \(user)")
        let text = database.url.absoluteString.replacingOccurrences(
            of: "user=postgres",
            with: "user=\(user)"
        )
        let machine = try Machine(
            try #require(URL(string: text)),
            SampleModel.make(),
            database.options("one"),
            database: database
        )
        try machine.insert("Tag", ["label": "a"])
        try machine.catchUp()
        #expect(try machine.values("Tag", "label") == ["a"])
    }

    @Test func tablesOfAnotherFormAreRefused() throws {
        let database = try SharedDatabase()
        try database.machine("one").close()
        try database.run("UPDATE $z_metadata SET format = 1")
        let error = #expect(throws: CocoaError.self) { try database.machine("one") }
        #expect(error?.code.rawValue == NSPersistentStoreIncompatibleSchemaError)
    }

    @Test func aNameThatTheServerWouldCutOffIsRefused() throws {
        let model = SampleModel.make()
        let name = String(repeating: "n", count: 63)
        model.entitiesByName["Tag"]?.attributesByName["label"]?.name = name
        let database = try SharedDatabase()
        let error = #expect(throws: CocoaError.self) {
            try database.machine("one", model: model)
        }
        #expect(error?.code.rawValue == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains(name.uppercased()) == true)
    }

    @Test func aTextWithAZeroIsRefusedAndTheContextKeepsIt() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        let context = one.context()
        try context.performAndWait {
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue("a\u{0}b", forKey: "label")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.localizedDescription.contains("U+0000") == true)
            #expect(context.insertedObjects == [tag])
            tag.setValue("ab", forKey: "label")
            try context.save()
        }
        #expect(try one.values("Tag", "label") == ["ab"])
    }

    @Test func aReadOnlyStoreReadsAndRefusesSaves() throws {
        let database = try SharedDatabase()
        let options: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: true]
        #expect(throws: CocoaError.self) { try database.machine("one", options: options) }
        try database.machine("two").insert("Tag", ["label": "a"])
        let reader = try database.machine("one", options: options)
        #expect(try reader.values("Tag", "label") == ["a"])
        #expect(throws: (any Error).self) { try reader.insert("Tag", ["label": "b"]) }
        // It follows, and leaves the numbers to others.
        let writer = try database.machine("three")
        try writer.insert("Tag", ["label": "c"])
        try writer.catchUp()
        try reader.catchUp()
        #expect(try reader.values("Tag", "label") == ["a", "c"])
    }

    @Test func withoutItsServerAStoreReadsAndSavesAreKeptForLater() throws {
        let server = try PostgreSQLServer()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        try withTemporaryFolder { folder in
            let store = try coordinator.addPersistentStore(
                type: .postgreSQL,
                at: server.url,
                options: [PostgreSQLReplicaFolderOption: folder]
            )
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                    .setValue("a", forKey: "label")
                try context.save()
                try server.stop()
                #expect(
                    try context.first("Tag", by: "label").value(forKey: "label") as? String == "a"
                )
                let tag = try context.first("Tag", by: "label")
                tag.setValue("b", forKey: "label")
                let error = #expect(throws: CocoaError.self) { try context.save() }
                #expect(error?.localizedDescription.contains("does not accept") == true)
                #expect(context.updatedObjects == [tag])
            }
            try coordinator.remove(store)
        }
    }

    @Test func aConnectionThatWasEndedIsMadeAnewForTheNextSave() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        try database.run(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                + "WHERE query LIKE '%\(database.schema)%' AND pid <> pg_backend_pid()"
        )
        try one.insert("Tag", ["label": "b"])
        #expect(try database.run("SELECT count(*) FROM $\"ZTAG\"").integer(0, 0) == 2)
    }

    @Test func metadataThatAClientSetsIsReadByOthers() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        one.store.metadata = one.store.metadata.merging(["colour": "red"]) { $1 }
        try one.insert("Tag", ["label": "a"])
        #expect(try database.machine("two").store.metadata["colour"] as? String == "red")
    }
}
#endif
