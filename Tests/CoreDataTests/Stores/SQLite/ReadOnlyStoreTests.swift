import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Stores that are only read: nothing of them changes, in whatever state they were left.
@Suite struct ReadOnlyStoreTests {
    private static func model() -> NSManagedObjectModel {
        makeModel([makeEntity("Note", [makeAttribute("name")])])
    }

    private static func add(
        _ url: URL,
        isReadOnly: Bool
    ) throws -> (NSPersistentStore, NSManagedObjectContext) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        let store = try coordinator.addPersistentStore(
            type: .sqlite,
            at: url,
            options: isReadOnly ? [NSReadOnlyPersistentStoreOption: true] : nil
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (store, context)
    }

    /// Makes a store with an object; as a process leaves it that closes it, or that is killed.
    static func make(_ folder: URL, isClosed: Bool) throws {
        let made = folder.appendingPathComponent("Made.sqlite")
        let (store, context) = try add(made, isReadOnly: false)
        try context.performAndWait {
            context.insert("Note", ["name": "n"])
            try context.save()
        }
        if isClosed { try store.persistentStoreCoordinator?.remove(store) }
        try withExtendedLifetime(context) {
            for ending in ["", "-wal"] {
                let file = URL(fileURLWithPath: made.path + ending)
                guard FileManager.default.fileExists(atPath: file.path) else { continue }
                let place = folder.appendingPathComponent("Store.sqlite\(ending)")
                try FileManager.default.copyItem(at: file, to: place)
            }
        }
        if !isClosed { try store.persistentStoreCoordinator?.remove(store) }
    }

    static func names(_ url: URL) throws -> [String] {
        let (store, context) = try add(url, isReadOnly: true)
        let names = try context.performAndWait {
            try context.objects("Note", by: "name").compactMap { $0.text("name") }
        }
        try store.persistentStoreCoordinator?.remove(store)
        return names
    }

    private func contents(_ folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.filter { $0 != "Store.sqlite-shm" }.map {
                ($0, try Data(contentsOf: folder.appendingPathComponent($0)))
            }
        )
    }

    @Test(arguments: [true, false])
    func readingChangesNoByte(isClosed: Bool) throws {
        try withTemporaryFolder { folder in
            try Self.make(folder, isClosed: isClosed)
            let url = folder.appendingPathComponent("Store.sqlite")
            let before = try contents(folder)
            #expect((before["Store.sqlite-wal"]?.count ?? 0 > 0) == !isClosed)
            #expect(try Self.names(url) == ["n"])
            _ = try SQLiteStore.metadataForPersistentStore(with: url)
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            _ = try NSPersistentStoreCoordinator.inspection(ofSQLiteStoreAt: url)
            #expect(try contents(folder) == before)
            if isClosed {
                // Nor does it leave anything beside the file.
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(names.sorted() == ["Made.sqlite", "Store.sqlite"])
            }
        }
    }

    @Test func theJournalModeStays() throws {
        try withTemporaryFolder { folder in
            try Self.make(folder, isClosed: true)
            let url = folder.appendingPathComponent("Store.sqlite")
            try SQLiteShell.run(url, "PRAGMA journal_mode=DELETE")
            let before = try contents(folder)
            #expect(try Self.names(url) == ["n"])
            #expect(try contents(folder) == before)
        }
    }

    /// Root may write anywhere, so that the test gives that up, in a process of its own.
    @Test func aFolderThatCantBeWrittenWillDo() async {
        await #expect(processExitsWith: .success) {
            for isClosed in [true, false] {
                try ReadOnlyStoreTests.readWithoutPermission(isClosed)
            }
        }
    }

    fileprivate static func readWithoutPermission(_ isClosed: Bool) throws {
        try withTemporaryFolder { folder in
            try make(folder, isClosed: isClosed)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o555],
                ofItemAtPath: folder.path
            )
            let isRoot = geteuid() == 0
            if isRoot { precondition(seteuid(65_534) == 0, "The process keeps its rights.") }
            let names = try names(folder.appendingPathComponent("Store.sqlite"))
            precondition(names == ["n"], "\(names)")
            if isRoot { precondition(seteuid(0) == 0, "The process gets its rights back.") }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let expected = ["Made.sqlite", "Store.sqlite"] + (isClosed ? [] : ["Store.sqlite-wal"])
            precondition(left == expected, "\(left)")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: folder.path
            )
        }
    }
}
