import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// How commits of others to a store's file are noticed.
@Suite struct WatchedFileTests {
    @Test func aStoreThatMovesIsWatchedAtItsNewPlace() async throws {
        let stack = try TestStack(
            .sqlite,
            options: [
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)
            ]
        )
        let context = stack.makeContext()
        try await context.perform {
            context.insert("Tag", ["label": "a"])
            try context.save()
        }
        let store = try #require(stack.coordinator.persistentStores.first as? SQLiteStore)
        let copy = stack.url.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
        try stack.coordinator.replacePersistentStore(
            at: copy,
            withPersistentStoreFrom: stack.url,
            type: .sqlite
        )
        #expect(stack.coordinator.setURL(copy, for: store))
        #expect(store.watcher != nil)
        let log = RemoteChanges(of: stack.coordinator)
        _ = try MigrationFixture.shell("UPDATE ZTAG SET ZLABEL = 'b'", copy)
        #expect(await log.next() == copy.path)
        // One that can't be opened there stays where it is, and watched.
        let other = stack.url.deletingLastPathComponent().appendingPathComponent("Other.sqlite")
        try Data(repeating: 1, count: 5_000).write(to: other)
        #expect(!stack.coordinator.setURL(other, for: store))
        #expect(store.watcher != nil)
        _ = try MigrationFixture.shell("UPDATE ZTAG SET ZLABEL = 'c'", copy)
        #expect(await log.next() == copy.path)
    }

    /// Numbers of two connections say nothing beside each other: both may be the same.
    @Test func aCommitIsNoticedAcrossAnExchangeOfTheWriter() throws {
        let fixture = try StoreFixture()
        let store = try #require(fixture.store as? SQLiteStore)
        let open = try store.opened()
        let probe = ForeignCommitProbe(open)
        var seen = [try #require(probe.version)]
        for _ in 0..<2 {
            // A connection that could not be set up again after a save is given up.
            try open.withWriter { $0.connection.isMisconfigured = true }
            let other = try fixture.another()
            defer { other.close() }
            var changes = StoreChangeSet()
            let root = try fixture.layout("Tag").rootIndex
            let key = try other.reservePrimaryKeys(rootIndex: root, count: 1)
            changes.inserts = [try fixture.row("Tag", key)]
            try other.write(changes)
            let now = try #require(probe.version)
            #expect(!seen.contains(now) && probe.version == now)
            seen.append(now)
        }
    }

    /// The kernel keeps some thousand events for who does not read them, and tells of the rest that
    /// there were more.
    @Test func whatHasNoRoomAmongTheEventsIsNoticed() async throws {
        let text = try String(
            contentsOfFile: "/proc/sys/fs/inotify/max_queued_events",
            encoding: .utf8
        )
        let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Events-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let queue = DispatchQueue(label: "test")
        let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
        DispatchQueue.global().asyncAfter(deadline: .now() + 600) { continuation.finish() }
        let events = FolderEvents(folder: folder.path, names: ["watched"], queue: queue) {
            continuation.yield()
        }
        queue.suspend()
        // By turns, since the kernel takes the same event twice in a row for one.
        for number in 0...limit {
            let path = folder.appendingPathComponent("\(number % 2)").path
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            #expect(descriptor >= 0)
            close(descriptor)
        }
        try Data([1]).write(to: folder.appendingPathComponent("watched"))
        queue.resume()
        var iterator = calls.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        withExtendedLifetime(events) {}
    }
}
