import CSQLite
import Dispatch
import Foundation
import Testing

@testable import CoreData

/// Several threads, store objects or processes at one file.
@Suite struct SQLiteStoreSharingTests {
    @Test func keysThatAnotherProcessTookAreNotUsed() throws {
        let fixture = try StoreFixture()
        let other = try fixture.another()
        defer { other.close() }
        let root = try fixture.layout("Tag").rootIndex
        let mine = try fixture.store.reservePrimaryKeys(rootIndex: root, count: 2)
        let theirs = try other.reservePrimaryKeys(rootIndex: root, count: 3)
        #expect(mine == 1 && theirs == 1)
        var changes = StoreChangeSet()
        changes.inserts = try (0..<3).map { try fixture.row("Tag", theirs + $0) }
        try other.write(changes)
        changes = StoreChangeSet()
        changes.inserts = try (0..<2).map { try fixture.row("Tag", mine + $0) }
        #expect(throws: PrimaryKeysTaken.self) { try fixture.store.write(changes) }
        let again = try fixture.store.reservePrimaryKeys(rootIndex: root, count: 2)
        #expect(again == 4)
        changes.inserts = try (0..<2).map { try fixture.row("Tag", again + $0) }
        try fixture.store.write(changes)
        #expect(try other.count(fixture.plan("Tag")) == 5)
    }

    /// An object that was given its permanent ID keeps it, whatever others write before its save.
    @Test func claimedKeysAreNobodyElses() throws {
        let fixture = try StoreFixture()
        let other = try fixture.another()
        defer { other.close() }
        let root = try fixture.layout("Tag").rootIndex
        let mine = try fixture.store.claimPrimaryKeys(rootIndex: root, count: 2)
        let theirs = try other.claimPrimaryKeys(rootIndex: root, count: 3)
        #expect(theirs == mine + 2)
        var changes = StoreChangeSet()
        changes.inserts = try (0..<3).map { try fixture.row("Tag", theirs + $0) }
        try other.write(changes)
        let later = try fixture.store.reservePrimaryKeys(rootIndex: root, count: 1)
        #expect(later == theirs + 3)
        changes.inserts = try [mine, mine + 1, later].map { try fixture.row("Tag", $0) }
        try fixture.store.write(changes)
        #expect(try other.count(fixture.plan("Tag")) == 6)
        #expect(try fixture.query("SELECT max(Z_MAX) FROM Z_PRIMARYKEY") == ["6"])
    }

    /// A key leads to one object for ever, in URIs that somebody has written down.
    @Test func keysOfRowsThatAnotherProcessHasDeletedAreNotUsed() throws {
        let fixture = try StoreFixture()
        let other = try fixture.another()
        defer { other.close() }
        let root = try fixture.layout("Tag").rootIndex
        let claimed = try fixture.store.claimPrimaryKeys(rootIndex: root, count: 1)
        let mine = try fixture.store.reservePrimaryKeys(rootIndex: root, count: 1)
        let theirs = try other.reservePrimaryKeys(rootIndex: root, count: 1)
        #expect(claimed == 1 && mine == 2 && theirs == 2)
        var changes = StoreChangeSet()
        changes.inserts = [try fixture.row("Tag", theirs)]
        try other.write(changes)
        let row = try fixture.row("Tag", theirs)
        changes = StoreChangeSet()
        changes.deletes = [.init(reference: row.reference, version: row.version)]
        try other.write(changes)
        changes = StoreChangeSet()
        changes.inserts = [try fixture.row("Tag", mine)]
        #expect(throws: PrimaryKeysTaken.self) { try fixture.store.write(changes) }
        // Nor where it lies between keys that nobody else can have.
        let last = try fixture.store.claimPrimaryKeys(rootIndex: root, count: 1)
        #expect(last == 3)
        changes.inserts = try [claimed, mine, last].map { try fixture.row("Tag", $0) }
        #expect(throws: PrimaryKeysTaken.self) { try fixture.store.write(changes) }
        changes.inserts = try [claimed, last].map { try fixture.row("Tag", $0) }
        try fixture.store.write(changes)
        #expect(try other.references(fixture.plan("Tag")).map(\.primaryKey) == [claimed, last])
    }

    @Test func keysReservedBeforeAnotherSaveOfThisProcessStayGood() throws {
        let fixture = try StoreFixture()
        let root = try fixture.layout("Tag").rootIndex
        let early = try fixture.store.reservePrimaryKeys(rootIndex: root, count: 1)
        try fixture.insert("Tag", [[:], [:]])
        _ = try fixture.store.reservePrimaryKeys(rootIndex: root, count: 1)
        var changes = StoreChangeSet()
        changes.inserts = [try fixture.row("Tag", early)]
        try fixture.store.write(changes)
        #expect(try fixture.store.references(fixture.plan("Tag")).map(\.primaryKey) == [1, 2, 3])
    }

    @Test func rowsOfAnotherProcessReplaceThoseInTheCache() throws {
        let fixture = try StoreFixture()
        let old = try fixture.insert("Tag", [["title": .text("a")]])[0]
        let other = try fixture.another()
        defer { other.close() }
        var changes = StoreChangeSet()
        changes.updates = [try fixture.update(old, ["title": .text("b")])]
        try other.write(changes)
        let row = try #require(try fixture.store.rows(fixture.plan("Tag")).first)
        #expect(row.version == 2)
        #expect(row.text("title", try fixture.layout("Tag")) == "b")
        let stale = try #require(throws: RowConflicts.self) {
            try fixture.store.write(changes)
        }
        #expect(stale.conflicts.first?.stored?.version == 2)
    }

    @Test func readersSeeWholeSavesBesideAWriter() throws {
        let fixture = try StoreFixture(options: [NSSQLitePragmasOption: ["synchronous": "OFF"]])
        let store = fixture.store
        let saves = 60, batch = 20
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            do {
                if worker == 0 {
                    for save in 0..<saves {
                        let rows = try fixture.insert(
                            "Tag",
                            (0..<batch).map { ["title": .text("\(save)-\($0)")] }
                        )
                        var changes = StoreChangeSet()
                        changes.updates = try rows.map {
                            try fixture.update($0, ["title": .text("changed")])
                        }
                        try store.write(changes)
                    }
                } else {
                    let layout = try fixture.layout("Tag")
                    for _ in 0..<saves {
                        let rows = try store.rows(fixture.plan("Tag"))
                        #expect(rows.count % batch == 0)
                        for row in rows where row.version == 2 {
                            #expect(row.text("title", layout) == "changed")
                        }
                        if let row = rows.last {
                            #expect(try store.row(layout, row.primaryKey) != nil)
                        }
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try store.count(fixture.plan("Tag")) == saves * batch)
    }

    @Test func closingWaitsForWorkUnderWay() throws {
        let fixture = try StoreFixture(options: [NSSQLitePragmasOption: ["synchronous": "OFF"]])
        try fixture.insert("Tag", (0..<2_000).map { ["title": .text("title \($0)")] })
        let store = fixture.store
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            if worker == 0 { store.close(); return }
            do {
                while true {
                    _ = try store.rows(fixture.plan("Tag"))
                    try fixture.insert("Song", [[:]])
                }
            } catch {
                #expect((error as? CocoaError)?.code.rawValue == NSPersistentStoreOperationError)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).count == 1)
        #expect(try fixture.query("PRAGMA integrity_check") == ["ok"])
    }
}
