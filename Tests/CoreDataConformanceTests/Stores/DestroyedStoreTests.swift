import CoreData
import TestSupport
import Testing

/// What `destroyPersistentStore` leaves: an empty database, as many clients expect that remove the
/// file themselves afterwards.
@Suite struct DestroyedStoreTests {
    private static var migrating: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
    }

    private func coordinator(_ model: NSManagedObjectModel = SampleModel.make())
        -> NSPersistentStoreCoordinator
    {
        NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    /// Makes a store with one tag, which stays added.
    private func fill(_ url: URL, _ coordinator: NSPersistentStoreCoordinator) throws {
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: Self.migrating
        )
        let context = coordinator.makeContext()
        try context.onQueue {
            context.make("Tag", ["label": "old"])
            try context.save()
        }
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func theFileIsThereAndHoldsNothing() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let coordinator = coordinator()
            try fill(url, coordinator)
            try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            #expect(coordinator.persistentStores.isEmpty)
            #expect(try names(folder) == ["Store.sqlite"])
            if SQLiteShell.isThere {
                #expect(try SQLiteShell.rows(url, "SELECT * FROM sqlite_master").isEmpty)
            }
            // As clients of Apple's framework do, since the file stays there.
            try FileManager.default.removeItem(at: url)
        }
    }

    @Test func theStoreCanBeAddedAgainAndIsANewOne() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let coordinator = coordinator()
            try fill(url, coordinator)
            let identifier = coordinator.persistentStores.first?.identifier
            for options in [nil, Self.migrating] {
                try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: url,
                    options: options
                )
                #expect(store.identifier != identifier)
                let context = coordinator.makeContext()
                try context.onQueue {
                    #expect(try context.number("Tag") == 0)
                    context.make("Tag", ["label": "new"])
                    try context.save()
                    #expect(try context.only("Tag").text("label") == "new")
                }
            }
            try coordinator.persistentStores.forEach(coordinator.remove)
            if SQLiteShell.isThere {
                #expect(try SQLiteShell.rows(url, "PRAGMA auto_vacuum") == ["2"])
                #expect(try SQLiteShell.rows(url, "PRAGMA integrity_check") == ["ok"])
            }
        }
    }

    @Test func aStoreOfAnotherModelMayTakeThePlace() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try fill(url, coordinator())
            let other = coordinator(RulesModel.make())
            try other.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            _ = try other.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url,
                options: Self.migrating
            )
        }
    }

    @Test func anotherStoreMovesOrIsCopiedToThePlace() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let place = folder.appendingPathComponent("Place.sqlite")
            let coordinator = coordinator()
            try fill(place, coordinator)
            try coordinator.destroyPersistentStore(at: place, ofType: NSSQLiteStoreType)
            try fill(url, coordinator)
            try coordinator.replacePersistentStore(
                at: place,
                withPersistentStoreFrom: url,
                ofType: NSSQLiteStoreType
            )
            try coordinator.destroyPersistentStore(at: place, ofType: NSSQLiteStoreType)
            let store = try #require(coordinator.persistentStore(for: url))
            let moved = try coordinator.migratePersistentStore(
                store,
                to: place,
                withType: NSSQLiteStoreType
            )
            #expect(moved.url == place)
            let context = coordinator.makeContext()
            try context.onQueue {
                let tag = try context.only("Tag")
                #expect(tag.text("label") == "old")
            }
        }
    }

    @Test func externalValuesGo() throws {
        try withTemporaryFolder { folder in
            let model = SampleModel.make()
            let photo = try #require(model.entitiesByName["Person"]?.attributesByName["photo"])
            photo.allowsExternalBinaryDataStorage = true
            let url = folder.appendingPathComponent("Store.sqlite")
            let coordinator = coordinator(model)
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url
            )
            let context = coordinator.makeContext()
            try context.onQueue {
                context.make("Person", ["name": "n", "photo": Data(repeating: 1, count: 300_000)])
                try context.save()
            }
            try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            #expect(try names(folder) == ["Store.sqlite"])
        }
    }

    /// Stores whose names differ in the extension only have one folder for their large values.
    @Test func aStoreOfTheSameNameKeepsItsExternalValues() throws {
        try withTemporaryFolder { folder in
            let model = SampleModel.make()
            let photo = try #require(model.entitiesByName["Person"]?.attributesByName["photo"])
            photo.allowsExternalBinaryDataStorage = true
            let bytes = Data(repeating: 1, count: 300_000)
            let kept = folder.appendingPathComponent("Store.sqlite")
            let other = folder.appendingPathComponent("Store.other")
            let coordinator = coordinator(model)
            func use(_ url: URL) throws -> [Data?] {
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: url
                )
                let context = coordinator.makeContext()
                let photos = try context.onQueue {
                    context.make("Person", ["name": "n", "photo": bytes])
                    try context.save()
                    context.reset()
                    return try context.all("Person").map { $0.value(forKey: "photo") as? Data }
                }
                try coordinator.remove(store)
                return photos
            }
            #expect(try use(kept) == [bytes])
            #expect(try use(other) == [bytes])
            try coordinator.destroyPersistentStore(at: other, ofType: NSSQLiteStoreType)
            #expect(try use(other) == [bytes])
            #expect(try use(kept) == [bytes, bytes])
        }
    }

    @Test func whatIsNoDatabaseIsReplacedByAnEmptyFile() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try Data("This is no database, and it is long enough to be looked at.".utf8)
                .write(to: url)
            let coordinator = coordinator()
            try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            #expect(try Data(contentsOf: url).isEmpty)
            try fill(url, coordinator)
        }
    }

    /// As it comes where a store was: clients remove the file afterwards, and expect it to be there.
    @Test func whereNothingIsAnEmptyDatabaseComes() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let coordinator = coordinator()
            for _ in 0..<2 {
                try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
                #expect(try names(folder) == ["Store.sqlite"])
                try FileManager.default.removeItem(at: url)
            }
            let missing = folder.appendingPathComponent("None").appendingPathComponent("Store")
            try coordinator.destroyPersistentStore(at: missing, ofType: NSSQLiteStoreType)
            #expect(try names(folder).isEmpty)
        }
    }

    @Test(arguments: [StoreKind.binary, .xml])
    func whereNoOtherStoreIsNothingComes(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            try coordinator().destroyPersistentStore(at: url, ofType: kind.type)
            #expect(try names(folder).isEmpty)
        }
    }

    /// A program that was killed while it made a store leaves such a file.
    @Test(.enabled(if: SQLiteShell.isThere), arguments: [true, false])
    func anEmptyDatabaseIsSetUpAsAStore(migrates: Bool) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try SQLiteShell.run(url, "PRAGMA auto_vacuum=2; PRAGMA journal_mode=WAL")
            #expect(FileManager.default.fileExists(atPath: url.path))
            let description = NSPersistentStoreDescription(url: url)
            description.shouldMigrateStoreAutomatically = migrates
            var failure: (any Error)?
            let coordinator = coordinator()
            coordinator.addPersistentStore(with: description) { _, error in failure = error }
            #expect(failure == nil)
            let context = coordinator.makeContext()
            try context.onQueue {
                context.make("Tag", ["label": "t"])
                try context.save()
            }
        }
    }
}
