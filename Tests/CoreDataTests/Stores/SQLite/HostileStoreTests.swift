import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Stores whose tables hold mutated metadata, model caches and values: each opens, or is refused
/// with an error of Core Data and left as it is.
@Suite struct HostileStoreTests {
    private static let rounds = 120

    private static func model() -> NSManagedObjectModel {
        let note = StoreModel.entity(
            "Note",
            [
                StoreModel.attribute("title", .stringAttributeType),
                StoreModel.attribute("value", .transformableAttributeType),
            ]
        )
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    private static func addStore(
        at url: URL,
        to coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStore {
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url
        )
    }

    /// The bytes of a store with one object.
    private func makeStore(at url: URL) throws -> Data {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try Self.addStore(at: url, to: coordinator)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            let value: [String: Any] = ["a": [1, "x"], "b": Set(["y"]), "c": Date()]
            note.setValue(value, forKey: "value")
            try context.save()
        }
        try coordinator.remove(store)
        return try Data(contentsOf: url)
    }

    private func blob(_ column: String, of table: String, in url: URL) throws -> Data {
        let connection = try SQLiteConnection(ConnectionSettings(path: url.path))
        let statement = try connection.statement("SELECT \(column) FROM \(table)")
        defer { statement.reset() }
        _ = try statement.step()
        return statement.bytes(0)
    }

    private func put(_ data: Data, in column: String, of table: String, _ url: URL) throws {
        let connection = try SQLiteConnection(ConnectionSettings(path: url.path))
        let statement = try connection.statement("UPDATE \(table) SET \(column) = ?")
        statement.bind(1, data)
        try statement.run()
    }

    /// Opens the store once for each mutant of a column's bytes.
    ///
    /// - Returns: How many mutants were refused.
    private func attack(
        _ column: String,
        of table: String,
        _ open: (URL) throws -> Void
    ) throws -> Int {
        try withTemporaryFolder { folder in
            let original = folder.appendingPathComponent("Original.sqlite")
            let whole = try makeStore(at: original)
            let seed = try blob(column, of: table, in: original)
            var random = SplitMix(seed: 20_090_101)
            var refused = 0
            for round in 0..<Self.rounds {
                let url = folder.appendingPathComponent("\(round).sqlite")
                try whole.write(to: url)
                try put(ByteMutation.mutated(seed, &random), in: column, of: table, url)
                let before = try Data(contentsOf: url)
                do {
                    try open(url)
                } catch {
                    #expect((error as NSError).domain == NSCocoaErrorDomain)
                    #expect(try Data(contentsOf: url) == before, "round \(round)")
                    refused += 1
                }
            }
            return refused
        }
    }

    /// The values as text; nil for those that could not be read.
    private func readAll(_ url: URL, _ model: NSManagedObjectModel) throws -> [String?] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try Self.addStore(at: url, to: coordinator)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        let values = try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                .map { note in note.value(forKey: "value").map { "\($0)" } }
        }
        _ = "\(coordinator.metadata(for: store))"
        try coordinator.remove(store)
        return values
    }

    @Test func mutatedMetadataOpenOrAreRefused() throws {
        let refused = try attack("Z_PLIST", of: "Z_METADATA") { url throws in
            #expect(try readAll(url, Self.model()).count == 1)
        }
        #expect(refused > 0 && refused < Self.rounds)
    }

    @Test func mutatedModelCachesOpenOrAreRefused() throws {
        let refused = try attack("Z_CONTENT", of: "Z_MODELCACHE") { url throws in
            _ = try readAll(url, Self.model())
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        }
        #expect(refused > 0 && refused < Self.rounds)
    }

    @Test func mutatedValuesAreReadOrReadAsNil() throws {
        let nils = Locked(0)
        let refused = try attack("ZVALUE", of: "ZNOTE") { url throws in
            let values = try readAll(url, Self.model())
            #expect(values.count == 1)
            if values == [nil] { nils.withLock { $0 += 1 } }
        }
        #expect(refused == 0 && nils.withLock { $0 } > 0)
    }
}
