import CoreData
import TestSupport
import Testing

@Suite struct StoreOptionTests {
    private func add(_ url: URL, _ options: [AnyHashable: Any]) throws -> NSPersistentStore {
        try NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            .addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url,
                options: options
            )
    }

    @Test(arguments: [
        ["cache_size; DROP TABLE ZTAG": "1"], ["cache_size": "1; DROP TABLE ZTAG"], ["": "1"],
        ["cachesize": "1"],
    ])
    func aPragmaThatIsNoneIsNamed(pragmas: [String: String]) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let error = caughtError { _ = try add(url, [NSSQLitePragmasOption: pragmas]) }
            #expect(error?.code == NSPersistentStoreOpenError)
            let name = try #require(pragmas.keys.first)
            #expect(error?.localizedDescription.contains("\"\(name)\"") == true)
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test func pragmasReachTheDatabase() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let pragmas: [String: NSObject] = ["user_version": NSNumber(value: 7)]
            let store = try add(url, [NSSQLitePragmasOption: pragmas])
            try store.persistentStoreCoordinator?.remove(store)
            // The format of SQLite files: the user version is at offset 60, big-endian.
            let header = try Data(contentsOf: url).prefix(64)
            #expect(Array(header[60..<64]) == [0, 0, 0, 7])
        }
    }

    @Test(arguments: [nil, false])
    func historyIsOffUnlessAskedFor(option: Bool?) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url,
                options: option.map { [NSPersistentHistoryTrackingKey: $0] }
            )
            let context = coordinator.makeContext()
            try context.performAndWait {
                context.make("Tag")
                try context.save()
            }
            try coordinator.remove(store)
            let bytes = try Data(contentsOf: url)
            #expect(bytes.range(of: Data("ACHANGE".utf8)) == nil)
        }
    }
}
