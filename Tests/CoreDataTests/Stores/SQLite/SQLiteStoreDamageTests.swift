import CSQLite
import Foundation
import Testing

@testable import CoreData

/// What a store file may hold that no program of ours wrote.
@Suite struct SQLiteStoreDamageTests {
    @Test(arguments: [
        "UPDATE ZPERSON SET ZAGE = 40000", "UPDATE ZPERSON SET ZAGE = 'many'",
        "UPDATE ZPERSON SET ZCOUNT32 = 5000000000",
        "UPDATE ZPERSON SET Z_PK = -1", "UPDATE ZPERSON SET Z_PK = 9223372036854775807",
        "UPDATE ZPERSON SET ZFAVOURITE = -7", "UPDATE ZPERSON SET ZFAVOURITE = 'x'",
        "UPDATE ZPERSON SET ZFAVOURITE = 1, Z1_FAVOURITE = 5",
        "UPDATE ZPERSON SET Z_OPT = 4294967297", "UPDATE ZPERSON SET Z_OPT = -4294967295",
        "UPDATE ZPERSON SET ZBORN = x'00'", "UPDATE ZPERSON SET ZBALANCE = x'00'",
    ])
    func impossibleValuesAreErrors(_ sql: String) throws {
        let fixture = try StoreFixture()
        try fixture.insert("Person", [["age": .integer(1)]])
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try editor.execute(sql)
        let store = try fixture.another()
        defer { store.close() }
        let error = try #require(throws: CocoaError.self) {
            try store.rows(fixture.plan("Person"))
        }
        #expect(error.code == .fileReadCorruptFile)
    }

    /// Of which entity a row is, only its number tells where a table has several.
    @Test(arguments: ["99", "NULL", "3"])
    func numbersOfNoEntityOfATableAreErrors(_ number: String) throws {
        let fixture = try StoreFixture()
        try fixture.insert("Animal", [["name": .text("n")]])
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try editor.execute("UPDATE ZANIMAL SET Z_ENT = \(number)")
        let store = try fixture.another()
        defer { store.close() }
        let error = try #require(throws: CocoaError.self) {
            try store.rows(fixture.plan("Animal"))
        }
        #expect(error.code == .fileReadCorruptFile)
    }

    @Test func metadataThatIsDamagedIsAnError() throws {
        let fixture = try StoreFixture()
        fixture.store.close()
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        let read = try editor.statement("SELECT Z_PLIST FROM Z_METADATA")
        _ = try read.step()
        let plist = read.bytes(0)
        read.reset()
        var random = SystemRandomNumberGenerator()
        for round in 0..<300 {
            var damaged = plist
            for _ in 0..<(1 + round % 4) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            if round % 5 == 0 { damaged = damaged.prefix(round) }
            do {
                _ = try PropertyList.read(damaged)
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
        try editor.execute("UPDATE Z_METADATA SET Z_PLIST = x'62706c697374'")
        let error = try #require(throws: CocoaError.self) { try fixture.another() }
        #expect(error.code == .fileReadCorruptFile)
        try editor.execute("DELETE FROM Z_METADATA")
        #expect(throws: CocoaError.self) { try fixture.another() }
    }

    @Test func aDiskWithoutRoomForAReadersFileIsFull() {
        // SQLITE_IOERR_SHMSIZE: SQLite could not make the file that users of a log share.
        let error = SQLiteError(extendedCode: 4_874, message: "disk I/O error").cocoaError(nil)
        #expect(error.code == .fileWriteOutOfSpace)
    }

    @Test func fullDiskLeavesTheStoreAsItWas() throws {
        let fixture = try StoreFixture(options: [NSSQLitePragmasOption: ["max_page_count": 60]])
        try fixture.insert("Tag", [["title": .text("kept")]])
        let big = SlotValue.text(String(repeating: "x", count: 400_000))
        let error = try #require(throws: CocoaError.self) {
            try fixture.insert("Tag", [["title": .text("a")], ["title": big]])
        }
        #expect(error.code == .fileWriteOutOfSpace)
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(underlying?.code == 13)
        #expect(try fixture.store.count(fixture.plan("Tag")) == 1)
        try fixture.insert("Tag", [["title": .text("small")]])
        #expect(try fixture.store.count(fixture.plan("Tag")) == 2)
        #expect(try fixture.query("PRAGMA integrity_check") == ["ok"])
    }

    @Test func externalValuesAreReadFromTheirFolder() throws {
        let fixture = try StoreFixture()
        let name = UUID().uuidString
        let folder = fixture.folder.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: folder.appendingPathComponent(name))
        try fixture.insert("Person", [[:], [:], [:]])
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        let hex = name.utf8.map { String(format: "%02x", $0) }.joined()
        try editor.execute("UPDATE ZPERSON SET ZPORTRAIT = x'02\(hex)00' WHERE Z_PK = 1")
        let gone = UUID().uuidString.utf8.map { String(format: "%02x", $0) }.joined()
        try editor.execute("UPDATE ZPERSON SET ZPORTRAIT = x'02\(gone)00' WHERE Z_PK = 2")
        try editor.execute("UPDATE ZPERSON SET ZPORTRAIT = x'0505' WHERE Z_PK = 3")
        let store = try fixture.another()
        defer { store.close() }
        let slot = try fixture.slot("Person", "portrait").index
        let rows = try store.rows(fixture.plan("Person"))
        #expect(rows[0].bytes(slot) == Data([1, 2, 3]))
        #expect(rows[1].isNull(slot))
        #expect(rows[2].bytes(slot) == Data([5, 5]))
    }

    @Test func triggersOfDerivedAttributesRunAndReachTheCache() throws {
        let fixture = try StoreFixture()
        let person = try fixture.insert("Person", [["count64": .integer(0)]])[0]
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try editor.execute(
            "CREATE TRIGGER t AFTER INSERT ON ZANIMAL FOR EACH ROW WHEN (NEW.ZOWNER NOT NULL) BEGIN "
                + "UPDATE ZPERSON SET ZCOUNT64 = IFNULL(ZCOUNT64, 0) + 1 WHERE Z_PK = NEW.ZOWNER; "
                + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZPERSON', Z_ENT, Z_PK, "
                + "'count64', ZCOUNT64) FROM ZPERSON WHERE Z_PK = NEW.ZOWNER; END"
        )
        try fixture.insert("Animal", [["owner": .reference(person.reference)]])
        let slot = try fixture.slot("Person", "count64").index
        let row = try #require(try fixture.store.row(fixture.layout("Person"), person.primaryKey))
        #expect(row.integer(slot) == 1)
    }
}
