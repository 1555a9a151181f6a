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

    /// What code of old does to have a store in one file, before it is copied.
    @Test func aStoreMayLeaveItsLog() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let names = ["Ada", "Grace"]
            for (name, pragmas) in zip(names, [[:], ["journal_mode": "DELETE"]]) {
                let coordinator = NSPersistentStoreCoordinator(
                    managedObjectModel: SampleModel.make()
                )
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: url,
                    options: [NSSQLitePragmasOption: pragmas]
                )
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                try context.onQueue { () throws -> Void in
                    context.make("Person", ["name": name])
                    try context.save()
                    #expect(try context.number("Person") == (name == "Ada" ? 1 : 2))
                }
                try coordinator.remove(store)
            }
            // The format of SQLite files: 1 at offset 18 stands for a rollback journal.
            #expect(try Array(Data(contentsOf: url)[18..<20]) == [1, 1])
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
        }
    }

    /// Linux: `/proc/self/fd` lists the open files. SQLite may keep the database's for a while, for
    /// the sake of locks, but closes a connection's log at once.
    @Test(arguments: [1, 3]) func noMoreConnectionsAreKeptThanTheOptionSays(limit: Int) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url,
                options: [NSPersistentStoreConnectionPoolMaxSizeKey: limit]
            )
            func openFiles() throws -> Int {
                let folder = "/proc/self/fd"
                return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                    let file = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "\(folder)/\($0)"
                    )
                    return file == "\(url.path)-wal"
                }.count
            }
            let atFirst = try openFiles()
            #expect(atFirst > 0)
            let writer = coordinator.makeContext()
            try writer.onQueue {
                for _ in 0..<2_000 { _ = writer.make("Tag") }
                try writer.save()
            }
            DispatchQueue.concurrentPerform(iterations: 16) { _ in
                let context = coordinator.makeContext()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                let count = context.onQueue { (try? context.fetch(request))?.count }
                #expect(count == 2_000)
            }
            #expect(try openFiles() <= atFirst + limit)
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
            try context.onQueue {
                context.make("Tag")
                try context.save()
            }
            try coordinator.remove(store)
            let bytes = try Data(contentsOf: url)
            #expect(bytes.range(of: Data("ACHANGE".utf8)) == nil)
        }
    }
}
