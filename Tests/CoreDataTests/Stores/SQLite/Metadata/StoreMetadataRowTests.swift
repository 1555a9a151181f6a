import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The row of `Z_METADATA`: a UUID in a column, and a property list.
@Suite struct StoreMetadataRowTests {
    /// The metadata of a store whose row is changed in the file.
    private func metadata(
        changing values: [String: Any],
        _ statements: String...
    ) throws -> [String: Any] {
        let fixture = try StoreFixture()
        let stored = try #require(fixture.store.metadata)
        fixture.store.close()
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        let list = stored.merging(values) { $1 }
        let update = try editor.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        update.bind(1, try MetadataCoding.encode(list, url: fixture.url))
        try update.run()
        for statement in statements { try editor.execute(statement) }
        return try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType,
            at: fixture.url
        )
    }

    @Test func theIdentifierIsThatOfItsColumn() throws {
        let read = try metadata(
            changing: [NSStoreUUIDKey: "another", "note": 1],
            "UPDATE Z_METADATA SET Z_UUID = 'own'"
        )
        #expect(read[NSStoreUUIDKey] as? String == "own")
        #expect(read["note"] as? Int == 1)
    }

    @Test func aRowWithoutAnIdentifierIsDamaged() throws {
        for statement in ["UPDATE Z_METADATA SET Z_UUID = ''", "DELETE FROM Z_METADATA"] {
            let error = #expect(throws: CocoaError.self) {
                try metadata(changing: [:], statement)
            }
            #expect(error?.code == .fileReadCorruptFile)
            #expect(error?.localizedDescription.contains("Z_METADATA") == true)
        }
    }

    @Test func aStoreWithoutEntitiesHasNoVersionIdentifiers() throws {
        try withTemporaryFolder { folder in
            let model = NSManagedObjectModel()
            model.versionIdentifiers = ["1"]
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: folder.appendingPathComponent("Empty.sqlite"),
                options: nil
            )
            let identifiers = store.metadata[NSStoreModelVersionIdentifiersKey]
            #expect(identifiers as? [String] == [])
            try coordinator.remove(store)
        }
    }
}
