import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A store's file while another process is at it, which here is the `sqlite3` shell.
@Suite struct SharedFileTests {
    private static var posting: [AnyHashable: Any] {
        [
            NSPersistentHistoryTrackingKey: NSNumber(value: true),
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true),
        ]
    }

    private func save(_ label: String, _ stack: TestStack) throws {
        let context = stack.makeContext()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                .setValue(label, forKey: "label")
            try context.save()
        }
    }

    /// The row that was read is held for a while, so that a cache that was not told would give it out
    /// again for ever.
    @Test func whatIsRefreshedAfterAConflictWithAnotherProcessCanBeSaved() throws {
        let stack = try TestStack(.sqlite)
        try save("before", stack)
        let context = stack.makeContext()
        try context.performAndWait {
            context.mergePolicy = NSErrorMergePolicy
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let tag = try #require(try context.fetch(request).first)
            context.refresh(tag, mergeChanges: false)
            #expect(tag.value(forKey: "label") as? String == "before")
            _ = try MigrationFixture.shell(
                "UPDATE ZTAG SET ZLABEL = 'theirs', Z_OPT = Z_OPT + 1",
                stack.url
            )
            tag.setValue("ours", forKey: "label")
            #expect(throws: CocoaError.self) { try context.save() }
            context.rollback()
            context.refresh(tag, mergeChanges: false)
            #expect(tag.value(forKey: "label") as? String == "theirs")
            tag.setValue("ours", forKey: "label")
            try context.save()
        }
        #expect(try MigrationFixture.shell("SELECT ZLABEL FROM ZTAG", stack.url) == ["ours"])
    }

    /// Whoever closes a descriptor of the file, or of the index of its log, drops SQLite's locks:
    /// the next process to leave then takes the log away, and with it what is saved later.
    @Test(arguments: ["metadata", "model", "inspection", "second coordinator", "section cache"])
    func lookingAtAStoreInUseKeepsItsLocks(_ way: String) throws {
        let stack = try TestStack(.sqlite)
        try save("before", stack)
        let locks = try lockCount(stack.url.path + "-shm")
        switch way {
        case "metadata":
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType,
                at: stack.url,
                options: nil
            )
        case "model":
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: stack.url)
        case "inspection":
            _ = try NSPersistentStoreCoordinator.inspection(ofSQLiteStoreAt: stack.url)
        case "second coordinator":
            let other = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            try other.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: stack.url,
                options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
            )
        default:
            let store = try #require(stack.coordinator.persistentStores.first as? SQLiteStore)
            #expect(store.contentStamp != nil)
        }
        #expect(try lockCount(stack.url.path + "-shm") >= locks)
        #expect(try MigrationFixture.shell("SELECT count(*) FROM ZTAG", stack.url) == ["1"])
        #expect(FileManager.default.fileExists(atPath: stack.url.path + "-wal"))
        try save("after", stack)
        #expect(try MigrationFixture.shell("SELECT count(*) FROM ZTAG", stack.url) == ["2"])
    }

    /// How many locks the kernel knows on a file.
    private func lockCount(_ path: String) throws -> Int {
        let node = try #require(
            FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber
        )
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return locks.split(separator: "\n").count { $0.contains(":\(node.uint64Value) ") }
    }

    @Test func aStampTellsEveryCommit() throws {
        let stack = try TestStack(.sqlite)
        let store = try #require(stack.coordinator.persistentStores.first as? SQLiteStore)
        var stamps = Set<String>()
        for index in 0..<20 {
            try save("\(index)", stack)
            let stamp = try #require(store.contentStamp)
            #expect(stamps.insert(stamp).inserted)
            #expect(store.contentStamp == stamp)
        }
        _ = try MigrationFixture.shell("UPDATE ZTAG SET ZLABEL = 'x'", stack.url)
        #expect(stamps.insert(try #require(store.contentStamp)).inserted)
    }

    /// What a store was at its closings, with no log, by its file alone.
    @Test(arguments: [false, true])
    func aStampTellsWhatWasWrittenMeanwhile(behindALink: Bool) throws {
        try withTemporaryFolder { folder in
            var url = folder.appendingPathComponent("Store.sqlite")
            if behindALink {
                let link = folder.appendingPathComponent("Link.sqlite")
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
                url = link
            }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            var stamps: [String] = []
            for label in ["a", "b"] {
                let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
                stamps.append(try #require((store as? SQLiteStore)?.contentStamp))
                let context = NSManagedObjectContext(.privateQueue)
                context.persistentStoreCoordinator = coordinator
                try context.performAndWait {
                    NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                        .setValue(label, forKey: "label")
                    try context.save()
                }
                try coordinator.remove(store)
            }
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            stamps.append(try #require((store as? SQLiteStore)?.contentStamp))
            #expect(Set(stamps).count == 3)
            try coordinator.remove(store)
        }
    }

    // MARK: Remote changes

    @Test(arguments: [false, true])
    func commitsOfAnotherProcessPostRemoteChanges(isReadOnly: Bool) async throws {
        let stack = try TestStack(.sqlite, options: Self.posting)
        try save("a", stack)
        var coordinator = stack.coordinator
        if isReadOnly {
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            var options = Self.posting
            options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: stack.url,
                options: options
            )
        }
        let log = RemoteChanges(of: coordinator)
        _ = try MigrationFixture.shell("UPDATE ZTAG SET ZLABEL = 'b'", stack.url)
        #expect(await log.next() == stack.url.path)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try await context.perform {
            let tags = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
            #expect(tags.map { $0.value(forKey: "label") as? String } == ["b"])
        }
    }

    /// A save's own notification comes before `save()` returns; the file's events tell nothing new.
    @Test func ownSavesAreToldOnce() async throws {
        let stack = try TestStack(.sqlite, options: Self.posting)
        let log = RemoteChanges(of: stack.coordinator)
        for index in 0..<3 { try save("\(index)", stack) }
        #expect(log.count == 3)
        // The watcher has looked at the file by the time that it tells of this.
        _ = try MigrationFixture.shell("UPDATE ZTAG SET ZLABEL = 'b'", stack.url)
        for _ in 0..<4 { #expect(await log.next() != nil) }
        #expect(log.count == 4)
    }

    /// A folder of its own may be watched again and again; nothing is left of it.
    @Test func aRemovedStoreIsWatchedNoMore() async throws {
        weak var watched: StoreWatcher?
        do {
            let stack = try TestStack(.sqlite, options: Self.posting)
            let store = try #require(stack.coordinator.persistentStores.first as? SQLiteStore)
            watched = store.watcher
            #expect(watched != nil)
            try save("a", stack)
            try stack.coordinator.remove(store)
            #expect(store.watcher == nil)
            let log = RemoteChanges(of: stack.coordinator)
            _ = try MigrationFixture.shell("UPDATE ZTAG SET ZLABEL = 'b'", stack.url)
            #expect(log.count == 0)
        }
        #expect(watched == nil)
    }

    /// The system allows a user some hundred at a time, so that descriptors left open would tell.
    @Test func watchingAFolderLeavesNoDescriptors() async throws {
        let folder = FileManager.default.temporaryDirectory.path
        let queue = DispatchQueue(label: "test")
        var count = 0, attempts = 0
        while count < 300, attempts < 60_000 {
            attempts += 1
            let events = FolderEvents(folder: folder, names: [], queue: queue) {}
            if events != nil {
                count += 1
            } else {
                // The last ones may be on their way to be closed.
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(count == 300)
    }
}
