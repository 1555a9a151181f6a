import Foundation
import Testing

@testable import CoreData

@Suite struct StoreRowTests {
    @Test(arguments: TestedStore.allCases)
    func insertedRowsAreFetchedWithAllKindsOfValues(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let uuid = Data((0..<16).map { UInt8($0) })
        let values: [String: SlotValue] = [
            "name": .text("Zoë \u{0} end"), "age": .integer(-32768), "weight": .real(81.5),
            "balance": .text("10.11"), "born": .real(700_000_000), "isActive": .integer(1),
            "token": .bytes(uuid), "photo": .bytes(Data([0, 1, 2, 255])),
            "portrait": .bytes(Data([9, 8])), "site": .text("https://example.org/?q=1"),
            "count32": .integer(Int64(Int32.max)), "count64": .integer(.min),
            "ratio": .real(Double(Float(0.1))), "email": .text(""),
        ]
        let inserted = try fixture.insert("Person", [values])
        let layout = try fixture.layout("Person")
        let store = kind == .sqlite ? try fixture.another() : fixture.store
        defer { if kind == .sqlite { store.close() } }
        let row = try #require(try store.rows(fixture.plan("Person")).first)
        #expect(row.primaryKey == inserted[0].primaryKey)
        #expect(row.version == 1)
        for slot in layout.slots where slot.kind.isInRow {
            let expected = values[slot.name] ?? .null
            #expect(
                "\(row.value(slot.index, slot.kind))" == "\(expected)",
                "\(slot.name)"
            )
        }
    }

    @Test(arguments: TestedStore.allCases)
    func subEntitiesComeWithTheirParentAndAlone(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        try fixture.insert("Animal", [["name": .text("cat")]])
        try fixture.insert("Dog", [["name": .text("rex"), "breed": .text("poodle")]])
        let dog = try fixture.layout("Dog")
        let all = try fixture.store.rows(fixture.plan("Animal"))
        #expect(all.map(\.primaryKey) == [1, 2])
        #expect(all.last?.text("breed", dog) == "poodle")
        #expect(try fixture.store.rows(fixture.plan("Dog")).map(\.primaryKey) == [2])
        var alone = try fixture.plan("Animal")
        alone.includesSubentities = false
        #expect(try fixture.store.references(alone).map(\.primaryKey) == [1])
        #expect(try fixture.store.count(alone) == 1)
        #expect(try fixture.store.row(dog, 1) == nil)
        #expect(try fixture.store.row(fixture.layout("Animal"), 2)?.entityIndex == dog.index)
    }

    @Test(arguments: TestedStore.allCases)
    func limitOffsetAndKeysApplyToFetchesAndCounts(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        try fixture.insert("Tag", (1...10).map { ["title": .text("t\($0)")] })
        var plan = try fixture.plan("Tag", keys: [2, 4, 6, 99])
        #expect(try fixture.store.references(plan).map(\.primaryKey) == [2, 4, 6])
        plan.offset = 1
        plan.limit = 1
        #expect(try fixture.store.references(plan).map(\.primaryKey) == [4])
        #expect(try fixture.store.count(plan) == 1)
        plan = try fixture.plan("Tag")
        plan.offset = 8
        #expect(try fixture.store.count(plan) == 2)
        #expect(try fixture.store.rows(fixture.plan("Tag", keys: [])).isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func updateWritesOnlyWhatChangedAndRaisesTheVersion(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let old = try fixture.insert("Person", [["name": .text("Ann"), "age": .integer(3)]])[0]
        var changes = StoreChangeSet()
        changes.updates = [try fixture.update(old, ["age": .integer(4)])]
        try fixture.store.write(changes)
        let row = try #require(try fixture.store.rows(fixture.plan("Person")).first)
        #expect(row.version == 2)
        #expect(row.text("name", try fixture.layout("Person")) == "Ann")
        #expect(row === changes.updates[0].row)
    }

    @Test(arguments: TestedStore.allCases)
    func staleUpdatesAndDeletesConflictAndWriteNothing(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let rows = try fixture.insert(
            "Tag",
            [["title": .text("a")], ["title": .text("b")], ["title": .text("c")]]
        )
        var first = StoreChangeSet()
        first.updates = [try fixture.update(rows[0], ["title": .text("a2")])]
        first.deletes = [.init(reference: rows[1].reference, version: 1)]
        try fixture.store.write(first)

        var second = StoreChangeSet()
        second.updates = [
            try fixture.update(rows[0], ["title": .text("a3")]),
            try fixture.update(rows[2], ["title": .text("c2")]),
        ]
        second.deletes = [.init(reference: rows[1].reference, version: 1)]
        second.inserts = [try fixture.row("Tag", 50)]
        let error = try #require(throws: RowConflicts.self) { try fixture.store.write(second) }
        let layout = try fixture.layout("Tag")
        #expect(error.conflicts.count == 2)
        for conflict in error.conflicts {
            #expect(conflict.expectedVersion == 1)
            if conflict.reference == rows[1].reference {
                #expect(conflict.stored == nil)
            } else {
                #expect(conflict.stored?.version == 2)
                #expect(conflict.stored?.text("title", layout) == "a2")
            }
        }
        let left = try fixture.store.rows(fixture.plan("Tag"))
        #expect(left.map { $0.text("title", layout) } == ["a2", "c"])
    }

    @Test(arguments: TestedStore.allCases)
    func uniqueValuesAreKeptUnique(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let rows = try fixture.insert(
            "Person",
            [["email": .text("a")], ["email": .text("b")], [:], [:]]
        )
        let error = try #require(throws: UniquenessViolations.self) {
            try fixture.insert("Person", [["email": .text("a")]])
        }
        #expect(error.violations.map(\.constraint) == [["email"]])
        #expect(error.violations.first?.other?.primaryKey == rows[0].primaryKey)
        #expect(try fixture.store.count(fixture.plan("Person")) == 4)

        // Two rows exchange their values; a third takes that of a deleted one.
        var swap = StoreChangeSet()
        swap.updates = [
            try fixture.update(rows[0], ["email": .text("b")]),
            try fixture.update(rows[1], ["email": .text("a")]),
        ]
        try fixture.store.write(swap)
        var replace = StoreChangeSet()
        replace.deletes = [.init(reference: rows[0].reference, version: 2)]
        replace.inserts = [try fixture.row("Person", 9, ["email": .text("b")])]
        try fixture.store.write(replace)
        let layout = try fixture.layout("Person")
        let emails = try fixture.store.rows(fixture.plan("Person"))
            .map { $0.text("email", layout) }
        #expect(emails == ["a", nil, nil, "b"])
    }

    @Test(arguments: TestedStore.allCases)
    func keysAreNeverUsedAgain(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let rows = try fixture.insert("Tag", [[:], [:], [:]])
        var changes = StoreChangeSet()
        changes.deletes = rows.map { .init(reference: $0.reference, version: 1) }
        try fixture.store.write(changes)
        #expect(try fixture.insert("Tag", [[:]])[0].primaryKey == 4)
        #expect(try fixture.store.row(fixture.layout("Tag"), 2) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func rowsAreSharedWhileSomeoneHoldsThem(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let row = try fixture.insert("Tag", [["title": .text("x")]])[0]
        #expect(try fixture.store.rows(fixture.plan("Tag")).first === row)
        #expect(try fixture.store.row(fixture.layout("Tag"), row.primaryKey) === row)
    }
}
