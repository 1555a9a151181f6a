import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Look-ups of rows by key, which share a read transaction if they follow each other closely.
@Suite struct LookupTests {
    private let rowCount: Int64 = 400

    /// A store with tags named after their keys, none of which is in memory.
    private func makeFixture(_ options: [AnyHashable: Any]? = nil) throws -> StoreFixture {
        let fixture = try StoreFixture(options: options)
        try fixture.insert("Tag", (1...rowCount).map { ["title": .text("\($0)")] })
        return fixture
    }

    private func title(_ key: Int64, _ fixture: StoreFixture) throws -> String? {
        let layout = try fixture.layout("Tag")
        return try fixture.store.row(layout, key)?.text("title", layout)
    }

    /// So many that the last ones share a transaction on any machine.
    private func lookUpMany(_ fixture: StoreFixture) throws {
        for key in 1...Int64(200) { #expect(try title(key, fixture) == "\(key)") }
    }

    /// Whoever commits in the midst of them: a transaction that went on would not see it.
    @Test(arguments: ["store", "other store", "other process"])
    func eachLookUpSeesWhatWasCommittedBefore(_ writer: String) throws {
        let fixture = try makeFixture()
        let other = try fixture.another()
        defer { other.close() }
        for key in Int64(300)..<320 {
            try lookUpMany(fixture)
            switch writer {
            case "other process":
                try SQLiteShell.run(
                    fixture.url,
                    "UPDATE ZTAG SET ZTITLE = 'new', Z_OPT = Z_OPT + 1 WHERE Z_PK = \(key); "
                        + "DELETE FROM ZTAG WHERE Z_PK = \(key + 20)"
                )
            default:
                let store = writer == "store" ? fixture.store : other
                let old = try #require(try store.row(try fixture.layout("Tag"), key))
                var changes = StoreChangeSet()
                changes.updates = [try fixture.update(old, ["title": .text("new")])]
                let gone = RowReference(entityIndex: old.entityIndex, primaryKey: key + 20)
                changes.deletes = [.init(reference: gone, version: 1)]
                try store.write(changes)
            }
            #expect(try title(key, fixture) == "new")
            #expect(try title(key + 20, fixture) == nil)
        }
    }

    /// Members of relationships, as their rows are read one owner after the other.
    @Test(arguments: ["store", "other process"])
    func eachRelationshipShowsWhatWasCommittedBefore(_ writer: String) throws {
        let fixture = try StoreFixture()
        let people = try fixture.insert("Person", (0..<100).map { _ in [:] })
        try fixture.insert("Dog", people.map { ["owner": .reference($0.reference)] })
        let layout = try fixture.layout("Person"), slot = try fixture.slot("Person", "pets")
        func pets(_ person: Int64) throws -> [Int64]? {
            try fixture.store.relatedRows(layout, slot, person)?.map(\.primaryKey)
        }
        // Each dog is the pet of the person with its key, until the first person gets it.
        for key in Int64(60)..<80 {
            for person in Int64(2)..<60 { #expect(try pets(person) == [person]) }
            if writer == "store" {
                let dog = try #require(try fixture.store.row(try fixture.layout("Dog"), key))
                var changes = StoreChangeSet()
                let owner = SlotValue.reference(people[0].reference)
                changes.updates = [try fixture.update(dog, ["owner": owner])]
                try fixture.store.write(changes)
            } else {
                try SQLiteShell.run(
                    fixture.url,
                    "UPDATE ZANIMAL SET ZOWNER = 1, Z_OPT = Z_OPT + 1 WHERE Z_PK = \(key)"
                )
            }
            #expect(try pets(key) == [])
            #expect(try pets(1)?.sorted() == [1] + Array(60...key))
        }
    }

    /// Keys that there are not, of rows of other entities of the table, or the same once more.
    @Test func keysAreLookedUpInAnyOrder() throws {
        let fixture = try makeFixture()
        try fixture.insert("Animal", (0..<100).map { ["name": .text("animal \($0)")] })
        try fixture.insert("Dog", (0..<100).map { ["name": .text("dog \($0)")] })
        let layouts = try ["Animal", "Dog", "Tag"].map(fixture.layout)
        var random = SplitMix(seed: 7)
        for _ in 0..<3_000 {
            let layout = layouts[Int.random(in: 0..<3, using: &random)]
            let key = Int64.random(in: 1...(layout.name == "Tag" ? 500 : 250), using: &random)
            let expected: String? =
                switch layout.name {
                case "Tag": key <= rowCount ? "\(key)" : nil
                case "Dog" where key <= 100: nil
                default: key > 200 ? nil : key > 100 ? "dog \(key - 101)" : "animal \(key - 1)"
                }
            let row = try fixture.store.row(layout, key)
            #expect(row.map { $0.primaryKey == key } ?? true)
            #expect(row?.text(layout.name == "Tag" ? "title" : "name", layout) == expected)
        }
    }

    @Test func aDamagedRowIsOneAmongOthers() throws {
        let fixture = try makeFixture()
        try SQLiteShell.run(fixture.url, "UPDATE ZTAG SET Z_OPT = 99999999999 WHERE Z_PK = 150")
        for _ in 0..<3 {
            for key in Int64(1)...rowCount {
                if key == 150 {
                    #expect(throws: CocoaError.self) { try title(key, fixture) }
                } else {
                    #expect(try title(key, fixture) == "\(key)")
                }
            }
        }
        try SQLiteShell.run(fixture.url, "UPDATE ZTAG SET Z_OPT = 1 WHERE Z_PK = 150")
        #expect(try title(150, fixture) == "150")
    }

    @Test func aClosedStoreAnswersNoLookUpAndLeavesNoLog() throws {
        let fixture = try makeFixture()
        let other = try fixture.another()
        try lookUpMany(fixture)
        // Emptying the log waits for whoever reads from it, on whatever thread.
        other.close()
        try lookUpMany(fixture)
        fixture.store.close()
        #expect(throws: CocoaError.self) { try title(1, fixture) }
        let log = try? FileManager.default.attributesOfItem(atPath: fixture.url.path + "-wal")
        #expect(log?[.size] as? Int ?? 0 == 0)
        #expect(try fixture.query("SELECT count(*) FROM ZTAG") == ["\(rowCount)"])
    }

    /// A transaction without an end would have the log grow with each commit, and whoever empties it
    /// wait in vain.
    @Test func anotherProcessEmptiesTheLogWhileRowsAreLookedUp() throws {
        let fixture = try makeFixture()
        let isDone = Locked(false)
        let readers = DispatchGroup()
        DispatchQueue.global().async(group: readers) {
            do {
                while !isDone.withLock({ $0 }) { try lookUpMany(fixture) }
            } catch {
                Issue.record(error)
            }
        }
        defer {
            isDone.withLock { $0 = true }
            readers.wait()
        }
        for _ in 0..<5 {
            try fixture.insert("Song", (0..<200).map { _ in ["title": .text("new")] })
            let result = try SQLiteShell.run(
                fixture.url,
                "PRAGMA busy_timeout = 20000; PRAGMA wal_checkpoint(TRUNCATE)"
            )
            // Whether it was in vain, and how much was and is in the log.
            #expect(result.last == "0|0|0")
        }
    }

    /// Whoever begins to look up after a commit sees it. While one is under way, rows that somebody
    /// holds may still be those before it, so that two look-ups need not agree with each other.
    @Test func rowsAreLookedUpByManyThreadsBesideAWriter() throws {
        let fixture = try makeFixture([NSSQLitePragmasOption: ["synchronous": "OFF"]])
        let layout = try fixture.layout("Tag")
        let slot = try fixture.slot("Tag", "title").index
        let committed = Locked<Int32>(1)
        DispatchQueue.concurrentPerform(iterations: 5) { thread in
            do {
                guard thread > 0 else {
                    for round in 0..<100 {
                        var changes = StoreChangeSet()
                        for key in Int64(1)...2 {
                            let old = try #require(try fixture.store.row(layout, key))
                            let update = try fixture.update(old, ["title": .text("\(round)")])
                            changes.updates.append(update)
                        }
                        try fixture.store.write(changes)
                        committed.withLock { $0 = Int32(round) + 2 }
                    }
                    return
                }
                for look in 0..<2_000 {
                    let known = committed.withLock { $0 }
                    let row = try #require(try fixture.store.row(layout, Int64(1 + look % 2)))
                    #expect(row.version >= known)
                    #expect(row.version == 1 || row.text(slot) == "\(row.version - 2)")
                }
            } catch {
                Issue.record(error)
            }
        }
    }

    /// Stores that have no log, or none that tells: each look-up reads by itself.
    @Test(arguments: ["DELETE", "MEMORY", "TRUNCATE"])
    func storesWithoutALogLetOthersWrite(_ mode: String) throws {
        let fixture = try makeFixture([NSSQLitePragmasOption: ["journal_mode": mode]])
        try lookUpMany(fixture)
        try SQLiteShell.run(fixture.url, "UPDATE ZTAG SET ZTITLE = 'new' WHERE Z_PK = 300")
        #expect(try title(300, fixture) == "new")
    }

    @Test func aThousandContextsLookUpRows() throws {
        let stack = try TestStack(.sqlite)
        let writer = stack.makeContext()
        let ids = try writer.performAndWait {
            let tags = (0..<50).map { index in
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: writer)
                tag.setValue("\(index)", forKey: "label")
                return tag
            }
            try writer.save()
            return tags.map(\.objectID)
        }
        let contexts = (0..<1_000).map { _ in stack.makeContext() }
        func connectionCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                let link = "/proc/self/fd/\(name)"
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
                return path == stack.url.path
            }
        }
        let before = try connectionCount()
        for context in contexts {
            try context.performAndWait {
                for (index, id) in ids.enumerated() {
                    let tag = try context.existingObject(with: id)
                    #expect(tag.value(forKey: "label") as? String == "\(index)")
                }
            }
        }
        #expect(try connectionCount() - before < 10)
    }
}
