#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

/// Saves of one machine that come while another one is under way.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct SaveGroupTests {
    /// Has threads save at once while nobody may write, so that all but the first one wait.
    ///
    /// - Returns: What each of them has thrown.
    private static func saveAtOnce(
        _ machine: Machine,
        _ count: Int,
        _ save: @escaping @Sendable (Int) throws -> Void
    ) throws -> [(any Error)?] {
        let open = try machine.store.opened()
        let errors = Locked([(any Error)?](repeating: nil, count: count))
        let group = DispatchGroup()
        try open.replica.opened().withWriter { _ in
            for index in 0..<count {
                group.enter()
                Thread.detachNewThread {
                    do {
                        try save(index)
                    } catch {
                        errors.withLock { $0[index] = error }
                    }
                    group.leave()
                }
                // In their order: the first one leads.
                while open.groups.state.withLock({ !$0.isLed || $0.waiting.count < index }) {
                    Thread.sleep(forTimeInterval: 0.001)
                }
            }
        }
        group.wait()
        return errors.withLock { $0 }
    }

    @Test func savesThatMeetAreOneTransactionAndKeepTheirAuthors() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        let errors = try Self.saveAtOnce(one, 9) { index in
            try one.perform { context in
                context.transactionAuthor = "author \(index)"
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                tag.setValue("tag \(index)", forKey: "label")
                try context.save()
            }
        }
        #expect(errors.allSatisfy { $0 == nil })
        // The first one was alone.
        let transactions = try database.run("SELECT count(DISTINCT xmin::text) FROM $\"ZTAG\"")
        #expect(transactions.integer(0, 0) == 2)
        try two.catchUp()
        #expect(try two.values("Tag", "label") == (0..<9).map { "tag \($0)" })
        let authors = try two.perform { context -> [String] in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let history = try #require(result?.result as? [NSPersistentHistoryTransaction])
            #expect(history.allSatisfy { $0.changes?.count == 1 })
            return history.compactMap(\.author).sorted()
        }
        #expect(authors == (0..<9).map { "author \($0)" })
    }

    @Test func aSaveInConflictFailsWithoutTheOthersOfItsGroup() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try two.store.opened().feed.stop()
        try one.insert("Person", ["name": "Ann"])
        try two.catchUp()
        let stale = two.context()
        try stale.performAndWait {
            try stale.first("Person", by: "name").setValue("Annie", forKey: "name")
        }
        try one.perform { context in
            try context.first("Person", by: "name").setValue("Anna", forKey: "name")
            try context.save()
        }
        let errors = try Self.saveAtOnce(two, 4) { index in
            guard index != 2 else { return try stale.performAndWait { try stale.save() } }
            try two.insert("Tag", ["label": "tag \(index)"])
        }
        #expect(errors.map { $0 == nil } == [true, true, false, true])
        #expect((errors[2] as? CocoaError)?.code.rawValue == NSManagedObjectMergeError)
        try one.catchUp()
        #expect(try one.values("Tag", "label") == ["tag 0", "tag 1", "tag 3"])
        #expect(try one.values("Person", "name") == ["Anna"])
    }

    // MARK: Without a server

    private static func changes(_ key: Int64) -> StoreChangeSet {
        var changes = StoreChangeSet()
        changes.deletes = [
            .init(reference: RowReference(entityIndex: 0, primaryKey: key), version: 1)
        ]
        changes.isWholeSave = true
        return changes
    }

    /// Has saves wait for one that goes on when all are there.
    ///
    /// - Returns: The keys of the saves of each group, those of saves that were alone, and the keys of
    ///   those that have thrown.
    private static func run(
        _ keys: [Int64],
        together: @escaping @Sendable ([StoreChangeSet]) throws -> Void
    ) -> (groups: [[Int64]], alone: [Int64], failed: [Int64]) {
        let groups = SaveGroups(), outcome = Locked((g: [[Int64]](), a: [Int64](), f: [Int64]()))
        let all = DispatchGroup(), areThere = DispatchSemaphore(value: 0)
        for (index, key) in keys.enumerated() {
            all.enter()
            Thread.detachNewThread {
                do {
                    try groups.run(changes(key)) {
                        if index == 0 { areThere.wait() }
                        outcome.withLock { $0.a.append(key) }
                    } together: { group in
                        outcome.withLock {
                            $0.g.append(group.flatMap(\.deletes).map(\.reference.primaryKey))
                        }
                        try together(group)
                    }
                } catch {
                    outcome.withLock { $0.f.append(key) }
                }
                all.leave()
            }
            while groups.state.withLock({ !$0.isLed || $0.waiting.count < index }) {
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
        areThere.signal()
        all.wait()
        let found = outcome.withLock { $0 }
        return (found.g, found.a.sorted(), found.f.sorted())
    }

    @Test func savesOfOneRowAreInGroupsOfTheirOwn() {
        let found = Self.run([1, 2, 3, 2, 4]) { _ in }
        #expect(found.groups == [[2, 3], [2, 4]])
        #expect(found.alone == [1])
    }

    @Test func whatAGroupCannotDoEachSaveDoesAlone() {
        let found = Self.run([1, 2, 3]) { _ in throw CocoaError(.persistentStoreSave) }
        #expect(found.groups == [[2, 3]])
        #expect(found.alone == [1, 2, 3])
        #expect(found.failed.isEmpty)
    }

    @Test func savesWhoseOutcomeIsUnknownAreNotMadeAgain() {
        let found = Self.run([1, 2, 3]) { _ in throw CocoaError.saveOutcomeUnknown(nil) }
        #expect(found.alone == [1])
        #expect(found.failed == [2, 3])
    }
}
#endif
