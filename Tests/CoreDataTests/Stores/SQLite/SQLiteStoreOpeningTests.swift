import CSQLite
import Foundation
import Testing

@testable import CoreData

@Suite struct SQLiteStoreOpeningTests {
    private func code(_ error: any Error) -> Int { (error as NSError).code }
    private func sqliteCode(_ error: any Error) -> Int? {
        let underlying = (error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? NSError
        return underlying?.domain == NSSQLiteErrorDomain ? underlying?.code : nil
    }

    @Test func newStoreHasTheDocumentedLayout() throws {
        let fixture = try StoreFixture()
        #expect(try fixture.query("PRAGMA page_size") == ["4096"])
        #expect(try fixture.query("PRAGMA auto_vacuum") == ["2"])
        #expect(try fixture.query("PRAGMA journal_mode") == ["wal"])
        let keys = try fixture.query("SELECT * FROM Z_PRIMARYKEY")
        #expect(
            keys == [
                "1|Animal|0|0", "2|Dog|1|0", "3|Person|0|0", "4|Playlist|0|0", "5|Song|0|0",
                "6|Tag|0|0",
            ]
        )
        let ddl = try fixture.query("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        for expected in [
            "CREATE TABLE ZANIMAL ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZOWNER INTEGER, ZNAME VARCHAR, ZBREED VARCHAR )",
            "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZAGE INTEGER, ZCOUNT32 INTEGER, ZCOUNT64 INTEGER, ZISACTIVE INTEGER, "
                + "ZFAVOURITE INTEGER, Z1_FAVOURITE INTEGER, ZBORN TIMESTAMP, ZRATIO FLOAT, "
                + "ZWEIGHT FLOAT, ZBALANCE DECIMAL, ZEMAIL VARCHAR, ZNAME VARCHAR, ZSITE VARCHAR, "
                + "ZTOKEN BLOB, ZPHOTO BLOB, ZPORTRAIT BLOB )",
            "CREATE TABLE ZSONG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZPLAYLIST INTEGER, Z6ATTACHMENTS INTEGER, Z_FOK_PLAYLIST INTEGER, ZTITLE VARCHAR )",
            "CREATE TABLE Z_3TAGS ( Z_3PEOPLE INTEGER, Z_6TAGS INTEGER, "
                + "PRIMARY KEY (Z_3PEOPLE, Z_6TAGS) )",
            "CREATE TABLE Z_3FRIENDS ( REFLEXIVE INTEGER, Z_3FRIENDS INTEGER, "
                + "PRIMARY KEY (REFLEXIVE, Z_3FRIENDS) )",
            "CREATE TABLE Z_4LABELS ( Z_4PLAYLISTS INTEGER, Z_6LABELS INTEGER, "
                + "Z_FOK_4PLAYLISTS INTEGER, PRIMARY KEY (Z_4PLAYLISTS, Z_6LABELS) )",
            "CREATE UNIQUE INDEX Z_Person_UNIQUE_email ON ZPERSON (ZEMAIL COLLATE BINARY ASC)",
            "CREATE INDEX ZANIMAL_Z_ENT_INDEX ON ZANIMAL (Z_ENT)",
            "CREATE INDEX Z_3TAGS_Z_6TAGS_INDEX ON Z_3TAGS (Z_6TAGS, Z_3PEOPLE)",
        ] {
            #expect(ddl.contains(expected), "\(expected)")
        }
    }

    @Test func aJoinTableOrderedAtBothEndsHasTheOrdersAsTheKeys() throws {
        let album = makeEntity("Album"), song = makeEntity("Song")
        let songs = makeRelationship("songs", to: song, many: true)
        let albums = makeRelationship("albums", to: album, many: true)
        songs.isOrdered = true
        albums.isOrdered = true
        album.properties = [songs]
        song.properties = [albums]
        connect(songs, albums)
        let layout = makeModel([album, song]).layout
        #expect(
            StoreSchema(model: layout, entities: layout.entities).definitions().contains(
                "CREATE TABLE Z_1SONGS ( Z_1ALBUMS INTEGER, Z_2SONGS INTEGER, "
                    + "Z_FOK_1ALBUMS INTEGER, Z_FOK_2SONGS INTEGER, "
                    + "PRIMARY KEY (Z_1ALBUMS, Z_2SONGS) )"
            )
        )
    }

    @Test func rowsHaveTheDocumentedForm() throws {
        let fixture = try StoreFixture()
        try fixture.insert(
            "Person",
            [
                [
                    "balance": .text("10.11"), "born": .real(1), "portrait": .bytes(Data([7])),
                    "isActive": .integer(1),
                ], ["balance": .text("30"), "born": .real(1.5)], ["balance": .text("NaN")],
            ]
        )
        let rows = try fixture.query(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZBALANCE, typeof(ZBALANCE), ZBORN, typeof(ZBORN), "
                + "hex(ZPORTRAIT), ZISACTIVE FROM ZPERSON"
        )
        #expect(
            rows == [
                "1|3|1|10.11|real|1|integer|0107|1", "2|3|1|30|integer|1.5|real||",
                "3|3|1|NaN|text||null||",
            ]
        )
        #expect(try fixture.query("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 3") == ["3"])
    }

    @Test func metadataStaysWithTheFile() throws {
        let fixture = try StoreFixture()
        let uuid = try #require(fixture.store.identifier)
        var metadata: [String: Any] = fixture.store.metadata
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(metadata[NSStoreUUIDKey] as? String == uuid)
        metadata["note"] = "kept"
        metadata["NSStoreModelVersionHashes"] = nil
        fixture.store.metadata = metadata
        try fixture.insert("Tag", [[:]])
        let read = try SQLiteStore.metadataForPersistentStore(with: fixture.url)
        #expect(read["note"] as? String == "kept")
        #expect(read[NSStoreUUIDKey] as? String == uuid)
        #expect((read["NSStoreModelVersionHashes"] as? [String: Data])?.count == 6)
        fixture.store.metadata["note"] = "again"
        fixture.store.close()
        #expect(
            try SQLiteStore.metadataForPersistentStore(with: fixture.url)["note"] as? String
                == "again"
        )
        let again = try fixture.another()
        #expect(again.identifier == uuid)
        again.close()
    }

    @Test func closingLeavesOneFileAndRemovingNone() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Tag", [[:]])
        fixture.store.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(names == ["Store.sqlite"])
        #expect(throws: CocoaError.self) { try fixture.store.count(fixture.plan("Tag")) }
        #expect(throws: CocoaError.self) { try fixture.store.write(StoreChangeSet()) }
        try SQLiteStore.removeStore(at: fixture.url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).isEmpty)
    }

    @Test(arguments: ["just some text", String(repeating: "long enough a text ", count: 50)])
    func anotherKindOfFileIsRefusedAndKept(_ text: String) throws {
        let fixture = try StoreFixture()
        let file = fixture.folder.appendingPathComponent("Text.sqlite")
        try Data(text.utf8).write(to: file)
        let error = try #require(throws: CocoaError.self) {
            try StoreFixture.open(.sqlite, model: fixture.model, url: file)
        }
        #expect(code(error) == 259)
        #expect(try Data(contentsOf: file) == Data(text.utf8))
        #expect(throws: CocoaError.self) { try SQLiteStore.metadataForPersistentStore(with: file) }
    }

    @Test func truncatedStoreIsCorruptAndNotACrash() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Tag", (0..<500).map { ["title": .text("title \($0)")] })
        fixture.store.close()
        let whole = try Data(contentsOf: fixture.url)
        for part in [120, 4096, 3 * 4096, whole.count / 2, whole.count - 4096] {
            let cut = whole.prefix(part)
            try cut.write(to: fixture.url)
            #expect(throws: CocoaError.self) {
                let store = try fixture.another()
                defer { store.close() }
                for entity in ["Tag", "Person", "Animal", "Song", "Playlist"] {
                    _ = try store.rows(fixture.plan(entity))
                }
            }
        }
    }

    @Test func otherDatabasesAndModelsAreRefused() throws {
        let fixture = try StoreFixture()
        let other = fixture.folder.appendingPathComponent("Other.sqlite")
        do {
            let connection = try SQLiteConnection(
                ConnectionSettings(path: other.path),
                mayCreate: true
            )
            try connection.execute("CREATE TABLE notes (text TEXT)")
        }
        let schema = try #require(throws: CocoaError.self) {
            try StoreFixture.open(.sqlite, model: fixture.model, url: other)
        }
        #expect(code(schema) == NSPersistentStoreIncompatibleSchemaError)

        fixture.store.close()
        let model = StoreModel.make()
        let tag = try #require(model.entitiesByName["Tag"])
        tag.properties.append(StoreModel.attribute("colour", .stringAttributeType))
        let version = try #require(throws: CocoaError.self) {
            try StoreFixture.open(.sqlite, model: model, url: fixture.url)
        }
        #expect(code(version) == NSPersistentStoreIncompatibleVersionHashError)
        #expect(version.localizedDescription.contains("Tag"))
    }

    @Test func missingTableAndColumnAreNamed() throws {
        let fixture = try StoreFixture()
        fixture.store.close()
        let connection = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try connection.execute("ALTER TABLE ZTAG RENAME COLUMN ZTITLE TO ZOTHER")
        let column = try #require(throws: CocoaError.self) { try fixture.another() }
        #expect(column.localizedDescription.contains("ZTITLE"))
        try connection.execute("DROP TABLE ZTAG")
        let table = try #require(throws: CocoaError.self) { try fixture.another() }
        #expect(code(table) == NSPersistentStoreIncompatibleSchemaError)
        #expect(table.localizedDescription.contains("ZTAG"))
    }

    @Test func lockOfAnotherConnectionEndsInATimeout() throws {
        let fixture = try StoreFixture(options: [NSPersistentStoreTimeoutOption: 0.05])
        let locker = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try locker.execute("BEGIN IMMEDIATE")
        let error = try #require(throws: CocoaError.self) { try fixture.insert("Tag", [[:]]) }
        #expect(code(error) == NSPersistentStoreTimeoutError)
        #expect(sqliteCode(error) == 5)
        #expect(try fixture.store.count(fixture.plan("Tag")) == 0)
        try locker.execute("ROLLBACK")
        try fixture.insert("Tag", [[:]])
        #expect(try fixture.store.count(fixture.plan("Tag")) == 1)
    }

    @Test func foldersThatAreNotThereAreNamed() throws {
        let fixture = try StoreFixture()
        let missing = fixture.folder.appendingPathComponent("no/such/folder/Store.sqlite")
        let error = try #require(throws: CocoaError.self) {
            try StoreFixture.open(.sqlite, model: fixture.model, url: missing)
        }
        #expect(code(error) == NSPersistentStoreOpenError)
        #expect(sqliteCode(error) == 14)
        for path in [fixture.url.path + "/Store.sqlite", "/proc/Store.sqlite"] {
            #expect(throws: CocoaError.self) {
                try StoreFixture.open(
                    .sqlite,
                    model: fixture.model,
                    url: URL(fileURLWithPath: path)
                )
            }
        }
        #expect(throws: CocoaError.self) {
            try StoreFixture.open(
                .sqlite,
                model: fixture.model,
                url: missing,
                options: [NSReadOnlyPersistentStoreOption: true]
            )
        }
    }

    @Test func readOnlyStoreReadsAndRefusesToWrite() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Tag", [["title": .text("a")]])
        let reader = try fixture.another(options: [NSReadOnlyPersistentStoreOption: true])
        defer { reader.close() }
        #expect(try reader.rows(fixture.plan("Tag")).count == 1)
        #expect(throws: CocoaError.self) { try reader.write(StoreChangeSet()) }
        #expect(throws: CocoaError.self) { try reader.reservePrimaryKeys(rootIndex: 0, count: 1) }
    }

    @Test func nullDeviceIsAThrowawayStore() throws {
        let fixture = try StoreFixture()
        let store = try StoreFixture.open(
            .sqlite,
            model: fixture.model,
            url: URL(fileURLWithPath: "/dev/null")
        )
        var changes = StoreChangeSet()
        changes.inserts = [try fixture.row("Tag", 1)]
        try store.write(changes)
        #expect(try store.count(fixture.plan("Tag")) == 1)
        #expect(try fixture.store.count(fixture.plan("Tag")) == 0)
        store.close()
    }

    @Test func badPragmasAreRefused() throws {
        #expect(throws: CocoaError.self) {
            try StoreFixture(options: [NSSQLitePragmasOption: ["synchronous": "OFF; DROP TABLE x"]])
        }
        let fixture = try StoreFixture(options: [NSSQLitePragmasOption: ["synchronous": "NORMAL"]])
        try fixture.insert("Tag", [[:]])
    }

    /// Migrations renumber entities, and some names of Apple's are known as patterns only.
    @Test func numbersInNamesMayDiffer() throws {
        let fixture = try StoreFixture()
        let person = try fixture.insert("Person", [[:]])[0]
        let tag = try fixture.insert("Tag", [[:]])[0]
        let slot = try fixture.slot("Person", "tags")
        var changes = StoreChangeSet()
        changes.toManyChanges = [
            .init(
                owner: person.reference,
                slot: slot.index,
                added: [tag.reference],
                removed: [],
                order: nil
            )
        ]
        try fixture.store.write(changes)
        fixture.store.close()
        let editor = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        let layout = fixture.model.layout
        let schema = StoreSchema(model: layout, entities: layout.entities)
        let join = try #require(schema.joinTables.first { $0.name.hasSuffix("TAGS") })
        let suffix = join.destinationColumn.drop { !$0.isNumber }.drop(while: \.isNumber)
        try editor.execute(
            "ALTER TABLE \(join.name) RENAME COLUMN \(join.destinationColumn) TO Z_77\(suffix)"
        )
        try editor.execute("ALTER TABLE \(join.name) RENAME TO Z_88TAGS")
        let store = try fixture.another()
        defer { store.close() }
        let tags = try store.related(fixture.layout("Person"), slot, person.primaryKey)
        #expect(tags == [tag.reference])
    }
}
