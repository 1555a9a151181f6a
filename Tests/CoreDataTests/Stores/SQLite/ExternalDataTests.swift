import Foundation
import Testing

@testable import CoreData

/// Large values in files of their own.
@Suite struct ExternalDataTests {
    private let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func folder(_ fixture: StoreFixture) -> URL {
        fixture.folder.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
    }

    private func files(_ fixture: StoreFixture) -> [String] {
        let path = folder(fixture).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private func portrait(_ store: any RowStore, _ fixture: StoreFixture, _ key: Int64) throws
        -> Data?
    {
        let slot = try fixture.slot("Person", "portrait").index
        let row = try #require(try store.row(fixture.layout("Person"), key))
        return row.isNull(slot) ? nil : row.bytes(slot)
    }

    @Test func largeValuesGetAFileAndSmallOnesAMarker() throws {
        let fixture = try StoreFixture()
        let rows = try fixture.insert(
            "Person",
            [["portrait": .bytes(large)], ["portrait": .bytes(Data([7, 8]))], [:]]
        )
        let names = files(fixture)
        #expect(names.count == 1)
        let file = folder(fixture).appendingPathComponent(try #require(names.first))
        #expect(try Data(contentsOf: file) == large)
        let hex = names[0].utf8.map { String(format: "%02X", $0) }.joined()
        #expect(
            try fixture.query("SELECT hex(ZPORTRAIT) FROM ZPERSON ORDER BY Z_PK")
                == ["02\(hex)00", "010708", ""]
        )
        let store = try fixture.another()
        defer { store.close() }
        #expect(try portrait(store, fixture, rows[0].primaryKey) == large)
        #expect(try portrait(store, fixture, rows[1].primaryKey) == Data([7, 8]))
        #expect(try portrait(store, fixture, rows[2].primaryKey) == nil)
    }

    @Test func replacedAndDeletedValuesLoseTheirFile() throws {
        let fixture = try StoreFixture()
        let rows = try fixture.insert(
            "Person",
            (0..<3).map { _ in ["portrait": .bytes(large)] }
        )
        #expect(files(fixture).count == 3)
        let before = Set(files(fixture))
        var changes = StoreChangeSet()
        let other = Data(large.reversed())
        changes.updates = [try fixture.update(rows[0], ["portrait": .bytes(other)])]
        try fixture.store.write(changes)
        #expect(files(fixture).count == 3 && Set(files(fixture)) != before)
        #expect(try portrait(fixture.store, fixture, rows[0].primaryKey) == other)
        let kept = files(fixture)
        changes.updates = [try fixture.update(rows[1], ["name": .text("n")])]
        try fixture.store.write(changes)
        #expect(files(fixture) == kept)
        changes = StoreChangeSet()
        changes.deletes = [.init(reference: rows[2].reference, version: 1)]
        try fixture.store.write(changes)
        #expect(files(fixture).count == 2)
        let batch = try #require(fixture.store as? any BatchStore)
        _ = try batch.delete(fixture.plan("Person"), origin: ChangeOrigin())
        #expect(files(fixture).isEmpty)
    }

    @Test func aSaveThatFailsLeavesNoFileAndLosesNone() throws {
        let fixture = try StoreFixture()
        let first = try fixture.insert(
            "Person",
            [["email": .text("a"), "portrait": .bytes(large)]]
        )
        let kept = files(fixture)
        #expect(throws: (any Error).self) {
            try fixture.insert("Person", [["email": .text("a"), "portrait": .bytes(large)]])
        }
        #expect(files(fixture) == kept)
        var changes = StoreChangeSet()
        changes.updates = [try fixture.update(first[0], ["portrait": .null])]
        changes.deletes = [
            .init(
                reference: RowReference(entityIndex: first[0].entityIndex, primaryKey: 99),
                version: 1
            )
        ]
        #expect(throws: (any Error).self) { try fixture.store.write(changes) }
        #expect(files(fixture) == kept)
    }

    @Test func aFileStaysForAsLongAsAReaderMayNeedIt() throws {
        let fixture = try StoreFixture()
        let rows = try fixture.insert("Person", [["portrait": .bytes(large)]])
        let store = try #require(fixture.store as? SQLiteStore)
        try store.opened().readers.withConnection { _ in
            var changes = StoreChangeSet()
            changes.deletes = [.init(reference: rows[0].reference, version: 1)]
            try store.write(changes)
            #expect(files(fixture).count == 1)
        }
        #expect(files(fixture).isEmpty)
    }

    @Test func whatACrashLeftBehindIsSweptUpAndNothingElse() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Person", [["portrait": .bytes(large)]])
        let used = files(fixture)
        let orphan = UUID().uuidString
        for name in [orphan, "notes.txt"] {
            try Data([1]).write(to: folder(fixture).appendingPathComponent(name))
        }
        // The first store is still open, with its write-ahead log, as after a crash.
        let second = try fixture.another()
        second.close()
        #expect(files(fixture) == (used + ["notes.txt"]).sorted())
    }

    /// A save writes its files before its rows: who was killed between them has left an empty log.
    @Test func whatACrashBeforeTheFirstRowLeftIsSweptUp() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Person", [["portrait": .bytes(large)]])
        let used = files(fixture)
        try #require(fixture.store as? SQLiteStore).close()
        let log = fixture.folder.appendingPathComponent("Store.sqlite-wal")
        #expect(!FileManager.default.fileExists(atPath: log.path))
        try Data().write(to: log)
        try Data([1]).write(to: folder(fixture).appendingPathComponent(UUID().uuidString))
        try fixture.another().close()
        #expect(files(fixture) == used)
    }

    @Test func linksAreNotFollowed() throws {
        let fixture = try StoreFixture()
        let secret = fixture.folder.appendingPathComponent("secret")
        try Data("secret".utf8).write(to: secret)
        let rows = try fixture.insert("Person", [["portrait": .bytes(large)]])
        let file = folder(fixture).appendingPathComponent(files(fixture)[0])
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: secret)
        let store = try fixture.another()
        defer { store.close() }
        // Nor is the value taken for a missing one.
        #expect(throws: CocoaError.self) {
            try portrait(store, fixture, rows[0].primaryKey)
        }
    }

    @Test func theFolderGoesWithItsStore() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Person", [["portrait": .bytes(large)]])
        let target = fixture.folder.appendingPathComponent("Copy.sqlite")
        let copy = try SQLiteStore.makeCopy(of: fixture.url, beside: target)
        try copy.move(to: target)
        let store = try StoreFixture.open(.sqlite, model: StoreModel.make(), url: target)
        #expect(try portrait(store, fixture, 1) == large)
        store.close()
        try SQLiteStore.removeStore(at: target)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(!left.contains { $0.contains("Copy") })
        #expect(files(fixture).count == 1)
    }
}
