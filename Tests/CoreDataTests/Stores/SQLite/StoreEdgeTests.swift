import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What a store answers where there is nothing to do, and where it has no place for something.
@Suite struct StoreEdgeTests {
    @Test(arguments: TestedStore.allCases)
    func aRequestForNoRowsFindsNone(kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        try fixture.insert("Tag", [["title": .text("a")]])
        let plan = try fixture.plan("Tag", keys: [])
        #expect(try fixture.store.rows(plan).isEmpty && fixture.store.references(plan).isEmpty)
        #expect(try fixture.store.count(plan) == 0)
        let columns = ColumnPlan(columns: [.keyPath("title")])
        #expect(try fixture.store.values(plan, columns: columns).isEmpty)
        if let store = fixture.store.batches {
            let slot = try fixture.slot("Tag", "title")
            let update = BatchUpdate(
                plan: plan,
                values: [(slot, .constant(.text("b")))],
                origin: ChangeOrigin()
            )
            #expect(try store.update(update).isEmpty)
            #expect(try store.delete(plan, origin: ChangeOrigin()).isEmpty)
        }
        #expect(try fixture.store.rows(try fixture.plan("Tag")).count == 1)
    }

    /// A store of the model's entities but songs.
    private func withoutSongs(_ body: (StoreFixture, SQLiteStore) throws -> Void) throws {
        let fixture = try StoreFixture()
        fixture.store.close()
        let store = SQLiteStore(
            persistentStoreCoordinator: nil,
            configurationName: nil,
            at: fixture.folder.appendingPathComponent("Part.sqlite"),
            options: nil
        )
        try store.open(
            model: fixture.model.layout,
            entities: fixture.model.layout.entities.filter { $0.name != "Song" }
        )
        defer { store.close() }
        try body(fixture, store)
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "nothing thrown"
        } catch {
            return error.localizedDescription
        }
    }

    @Test func rowsOfAnEntityThatTheStoreLacksAreRefused() throws {
        try withoutSongs { fixture, store in
            var changes = StoreChangeSet()
            changes.inserts = [try fixture.row("Song", 1, ["title": .text("s")])]
            #expect(message { try store.write(changes) }.contains("Song"))
            changes.updates = [try fixture.update(changes.inserts[0], ["title": .text("u")])]
            changes.inserts = []
            #expect(message { try store.write(changes) }.contains("Song is not in the store's"))
            let plan = try fixture.plan("Song")
            #expect(message { _ = try store.rows(plan) }.contains("Song"))
            #expect(message { _ = try store.count(plan) }.contains("Song"))
        }
    }

    @Test func relationshipsThatLeadOutOfTheStoreAreEmptyAndCanNotBeChanged() throws {
        try withoutSongs { fixture, store in
            let tag = try fixture.row("Tag", 1, ["title": .text("t")])
            var changes = StoreChangeSet()
            changes.inserts = [tag]
            try store.write(changes)
            let layout = try fixture.layout("Tag"), slot = try fixture.slot("Tag", "attachments")
            #expect(try store.related(layout, slot, 1).isEmpty)
            #expect(try store.related(layout, slot, of: [1]).isEmpty)
            let song = try fixture.row("Song", 1)
            changes = StoreChangeSet()
            changes.toManyChanges = [
                StoreChangeSet.ToManyChange(
                    owner: tag.reference,
                    slot: slot.index,
                    added: [song.reference],
                    removed: [],
                    order: nil
                )
            ]
            let message = message { try store.write(changes) }
            #expect(message.contains("Tag.attachments leads out of the store's configuration"))
        }
    }

    @Test func aStoreThatIsOnlyReadGivesNoKeysAway() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Tag", [["title": .text("a")]])
        let reader = try fixture.another(options: [NSReadOnlyPersistentStoreOption: true])
        defer { reader.close() }
        let root = try fixture.layout("Tag").rootIndex
        let error = #expect(throws: CocoaError.self) {
            try reader.claimPrimaryKeys(rootIndex: root, count: 1)
        }
        #expect(error?.code == .fileWriteNoPermission)
        #expect(try fixture.store.claimPrimaryKeys(rootIndex: root, count: 1) == 2)
    }

    /// An insert that stands on a row's being gone is a conflict where the row is there.
    @Test func aRowThatIsInsertedAgainMeetsTheOneThatSomebodyElseHasInserted() throws {
        let fixture = try StoreFixture()
        let row = try fixture.insert("Tag", [["title": .text("theirs")]])[0]
        var changes = StoreChangeSet()
        changes.inserts = [try fixture.row("Tag", row.primaryKey, ["title": .text("mine")])]
        changes.reinserts = [row.reference]
        let conflicts = #expect(throws: RowConflicts.self) { try fixture.store.write(changes) }
        #expect(conflicts?.conflicts.map(\.reference) == [row.reference])
        changes.reinserts = []
        #expect(throws: PrimaryKeysTaken.self) { try fixture.store.write(changes) }
        #expect(try fixture.query("SELECT ZTITLE FROM ZTAG") == ["theirs"])
    }

    /// More shapes of updates than statements are kept for.
    @Test func updatesOfManyShapesAreAllWritten() throws {
        let fixture = try StoreFixture()
        let names = ["name", "age", "weight", "balance", "born", "isActive", "count32", "count64"]
        let rows = try fixture.insert("Person", (0..<255).map { _ in [:] })
        let values: [String: SlotValue] = [
            "name": .text("n"), "age": .integer(1), "weight": .real(2), "balance": .text("3"),
            "born": .real(4), "isActive": .integer(1), "count32": .integer(5),
            "count64": .integer(6),
        ]
        var changes = StoreChangeSet()
        changes.updates = try rows.enumerated().map { index, row in
            let changed = names.indices.filter { (index + 1) & (1 << $0) != 0 }.map { names[$0] }
            return try fixture.update(row, values.filter { changed.contains($0.key) })
        }
        try fixture.store.write(changes)
        let half = ["128|128|128|128|128|128|128|128"]
        #expect(
            try fixture.query(
                "SELECT count(ZNAME), count(ZAGE), count(ZWEIGHT), count(ZBALANCE), count(ZBORN), "
                    + "count(ZISACTIVE), count(ZCOUNT32), count(ZCOUNT64) FROM ZPERSON"
            ) == half
        )
    }

    /// A number in the column that says of which entity a to-one's row is.
    @Test(arguments: [0, 99, -1])
    func aReferenceToAnImpossibleEntityIsNoValue(number: Int) throws {
        let fixture = try StoreFixture()
        let dog = try fixture.insert("Dog", [["name": .text("d")]])[0]
        let person = try fixture.insert("Person", [["favourite": .reference(dog.reference)]])[0]
        let layout = try fixture.layout("Person")
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        let columns = try fixture.query("SELECT name FROM pragma_table_info('ZPERSON')")
        let column = try #require(columns.first { $0.hasSuffix("FAVOURITE") && $0 != "ZFAVOURITE" })
        try editor.execute("UPDATE ZPERSON SET \(column) = \(number)")
        let other = try fixture.another()
        defer { other.close() }
        let error = #expect(throws: CocoaError.self) {
            try other.row(layout, person.primaryKey)
        }
        #expect(error?.localizedDescription.contains("Person") == true)
    }

    /// A fetch is cancelled by whoever takes what it has read so far.
    @Test func aFetchEndsWhereItIsCancelled() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Tag", (0..<1_000).map { ["title": .text("\($0)")] })
        let cancellation = FetchCancellation { _ in }
        var plan = try fixture.plan("Tag")
        plan.cancellation = cancellation
        var count = 0
        let error = #expect(throws: CocoaError.self) {
            try fixture.store.rows(plan) { batch in
                count += batch.count
                if count == FetchCancellation.step { cancellation.cancel() }
            }
        }
        #expect(error?.code == .userCancelled && count < 1_000)
    }
}
