import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// How commits of others to a store's file are noticed.
@Suite struct WatchedFileTests {
    /// Held by a reference, for expectations change no values.
    private final class Times {
        private var times = QuestionTimes()

        func fileWasWritten(at now: DispatchTime) -> Int? { times.fileWasWritten(at: now) }
        func next(of chain: Int, at now: DispatchTime) -> DispatchTime? {
            times.next(of: chain, at: now)
        }
    }

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

    /// After some seconds of quiet the next question is far off, and is asked anew.
    @Test func aCommitAfterAPauseIsAskedForAtOnce() throws {
        let times = Times()
        let start = DispatchTime.now()
        let first = try #require(times.fileWasWritten(at: start))
        var question = start
        while question < start + .seconds(5) {
            question = try #require(times.next(of: first, at: question))
        }
        // The first chain asks at this time, and was about to wait for as long again.
        let far = try #require(times.next(of: first, at: question))
        let write = question + .milliseconds(200)
        #expect(far > write + .seconds(4))
        let second = try #require(times.fileWasWritten(at: write))
        #expect(times.next(of: second, at: write) == write + .milliseconds(10))
        #expect(times.next(of: first, at: far) == nil)
    }

    /// Else a stream of writes would put the question off for as long as it lasts.
    @Test func writesThatFollowEachOtherDoNotPutOffTheQuestion() throws {
        let times = Times()
        let start = DispatchTime.now()
        let chain = try #require(times.fileWasWritten(at: start))
        #expect(times.next(of: chain, at: start) == start + .milliseconds(10))
        for delay in [3, 6, 9] {
            #expect(times.fileWasWritten(at: start + .milliseconds(delay)) == nil)
        }
        // The question was asked; the intervals begin anew behind the last write.
        let asked = start + .milliseconds(10)
        #expect(times.next(of: chain, at: asked) == asked + .milliseconds(10))
        #expect(times.next(of: chain, at: asked) == asked + .milliseconds(20))
        // It ends when nothing more is written.
        var count = 0
        while times.next(of: chain, at: asked) != nil { count += 1 }
        #expect(count == 9)
        #expect(times.fileWasWritten(at: asked) != nil)
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
