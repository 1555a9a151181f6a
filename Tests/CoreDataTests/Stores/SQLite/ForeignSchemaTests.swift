import Foundation
import Testing

@testable import CoreData

/// Files whose schema is not what a store's should be, or numbers rows and names otherwise.
@Suite struct ForeignSchemaTests {
    private static let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT"

    /// A store of the test model that is closed, after statements of someone else.
    private func makeStore(_ sql: String, _ fill: (StoreFixture) throws -> Void = { _ in }) throws
        -> StoreFixture
    {
        let fixture = try StoreFixture()
        try fill(fixture)
        fixture.store.close()
        let connection = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try connection.execute(sql)
        return fixture
    }

    static let substitutes = [
        "DROP TABLE ZTAG; CREATE VIEW ZTAG AS \(endless) x AS Z_PK, 5 AS Z_ENT, 1 AS Z_OPT, "
            + "'t' AS ZTITLE FROM c",
        "DROP TABLE Z_PRIMARYKEY; CREATE VIEW Z_PRIMARYKEY AS \(endless) x AS Z_ENT, 'n' AS Z_NAME, "
            + "0 AS Z_SUPER, 1 AS Z_MAX FROM c",
        "DROP TABLE Z_METADATA; CREATE VIEW Z_METADATA AS \(endless) x AS Z_VERSION, 'u' AS Z_UUID, "
            + "x'00' AS Z_PLIST FROM c",
        "ALTER TABLE ZTAG DROP COLUMN ZTITLE; "
            + "ALTER TABLE ZTAG ADD COLUMN ZTITLE VARCHAR AS (hex(zeroblob(100000000)))",
        "DROP TABLE ZTAG; CREATE VIRTUAL TABLE ZTAG USING fts5(Z_PK, Z_ENT, Z_OPT, ZTITLE)",
    ]

    @Test(arguments: ForeignSchemaTests.substitutes)
    func whatIsNoTableOrColumnIsRefused(_ sql: String) throws {
        let fixture = try makeStore(sql)
        #expect(throws: CocoaError.self) { try fixture.another() }
    }

    @Test func aTriggerThatDoesNotEndIsEnded() throws {
        let fixture = try makeStore(
            "CREATE VIEW v AS \(Self.endless) x FROM c; CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN "
                + "INSERT INTO ZSONG (Z_PK) SELECT max(x) FROM v; END"
        )
        let store = try #require(try fixture.another() as? SQLiteStore)
        defer { store.close() }
        let open = try store.opened()
        try open.withWriter {
            try open.schema.boundForeignTriggers(on: $0.connection, base: 3_000_000)
        }
        var changes = StoreChangeSet()
        changes.inserts = [try fixture.row("Tag", 1, ["title": .text("t")])]
        let error = #expect(throws: CocoaError.self) { try store.write(changes) }
        #expect(error?.localizedDescription.contains("triggers") == true)
        // Other entities are as good as ever.
        changes.inserts = [try fixture.row("Animal", 1, ["name": .text("n")])]
        try store.write(changes)
        #expect(try store.count(fixture.plan("Animal")) == 1)
        #expect(try store.count(fixture.plan("Tag")) == 0)
    }

    @Test func triggersOfClientsThatEndAreLetAlone() throws {
        let fixture = try makeStore(
            "CREATE TABLE log (t); CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN "
                + "INSERT INTO log VALUES (NEW.ZTITLE); END"
        )
        let store = try fixture.another()
        defer { store.close() }
        var changes = StoreChangeSet()
        changes.inserts = [try fixture.row("Tag", 1, ["title": .text("t")])]
        try store.write(changes)
        #expect(try fixture.query("SELECT t FROM log") == ["t"])
    }

    // MARK: Other numbers

    @Test(arguments: ["99", "0", "-1", "NULL", "2", "'x'"])
    func rowsOfATableOfOneEntityAreItsWhateverTheirNumber(_ number: String) throws {
        let fixture = try makeStore("UPDATE ZTAG SET Z_ENT = \(number)") {
            try $0.insert("Tag", [["title": .text("t")]])
        }
        let store = try fixture.another()
        defer { store.close() }
        let layout = try fixture.layout("Tag")
        let rows = try store.rows(fixture.plan("Tag"))
        #expect(rows.map { $0.text("title", layout) } == ["t"])
        #expect(try store.references(fixture.plan("Tag")).count == 1)
        let inspection = try NSPersistentStoreCoordinator.inspection(ofSQLiteStoreAt: fixture.url)
        #expect(inspection.entities.first { $0.name == "Tag" }?.rowCount == 1)
    }

    @Test func aMigrationKeepsRowsWithAWrongNumber() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            let note = makeEntity("Note", [makeAttribute("name")])
            let page = makeEntity("Page", [makeAttribute("name")])
            let pages = makeRelationship("pages", to: page, many: true)
            let notes = makeRelationship("note", to: note, many: isNew)
            note.properties.append(pages)
            page.properties.append(notes)
            connect(pages, notes)
            if isNew { note.properties.append(makeAttribute("added")) }
            return makeModel([note, page])
        }
        let fixture = try MigrationFixture(model(false)) { context in
            let note = context.insert("Note", ["name": "n"])
            note.setValue(Set([context.insert("Page", ["name": "p"])]), forKey: "pages")
        }
        _ = try fixture.shell("UPDATE ZNOTE SET Z_ENT = 77; UPDATE ZPAGE SET Z_ENT = 78")
        let new = model(true)
        try fixture.migrate(to: new)
        try fixture.open(new) { context in
            let note = try #require(try context.objects("Note", by: "name").first)
            #expect(note.text("name") == "n")
            #expect(note.texts("pages") == ["p"])
        }
    }

    @Test func rowsWithOneKeyAreOneObject() throws {
        let model = makeModel([makeEntity("Note", [makeAttribute("name")])])
        let fixture = try MigrationFixture(model) { context in
            for name in ["a", "b", "c"] { _ = context.insert("Note", ["name": name]) }
        }
        _ = try fixture.shell(
            "CREATE TABLE other AS SELECT * FROM ZNOTE; DROP TABLE ZNOTE; "
                + "ALTER TABLE other RENAME TO ZNOTE; INSERT INTO ZNOTE SELECT * FROM ZNOTE"
        )
        try fixture.open(model) { context in
            let notes = try context.objects("Note", by: "name")
            #expect(notes.map { $0.text("name") } == ["a", "a", "b", "b", "c", "c"])
            withExtendedLifetime(notes) {
                #expect(Set(notes).count == 3 && context.registeredObjects.count == 3)
            }
        }
    }

    @Test func keysOfJoinTablesMayBeNumberedOtherwise() throws {
        let fixture = try StoreFixture()
        let person = try fixture.insert("Person", [["name": .text("p")]])[0]
        let tag = try fixture.insert("Tag", [["title": .text("t")]])[0]
        let tags = try fixture.slot("Person", "tags")
        var changes = StoreChangeSet()
        changes.toManyChanges = [
            .init(owner: person.reference, slot: tags.index, added: [tag.reference], removed: [])
        ]
        try fixture.store.write(changes)
        fixture.store.close()
        let table = try #require(
            fixture.query("SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*TAGS'").first
        )
        let columns = try fixture.query("SELECT name FROM pragma_table_info('\(table)')")
        let connection = try SQLiteConnection(ConnectionSettings(path: fixture.url.path))
        try connection.execute("ALTER TABLE \(table) RENAME COLUMN \(columns[0]) TO \(columns[0])2")
        let store = try fixture.another()
        defer { store.close() }
        let found = try store.related(fixture.layout("Person"), tags, person.primaryKey)
        #expect(found == [tag.reference])
    }
}
