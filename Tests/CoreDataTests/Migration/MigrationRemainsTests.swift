import CSQLite
import Foundation
import Testing

@testable import CoreData

/// What migrations carry over beside values, and what they leave behind.
@Suite struct MigrationRemainsTests {
    private func notes(_ names: [String]) -> NSManagedObjectModel {
        makeModel([makeEntity("Note", names.map { makeAttribute($0) })])
    }

    private func files(_ fixture: MigrationFixture) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted()
    }

    // MARK: In the file

    @Test func aStoreOfAnotherVersionIsNotMigrated() throws {
        let fixture = try MigrationFixture(notes(["name"])) { $0.insert("Note", ["name": "a"]) }
        let before = try fixture.definitions()
        let error = #expect(throws: CocoaError.self) {
            try fixture.migrate(from: notes(["title"]), to: notes(["title", "more"]))
        }
        #expect(error?.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try fixture.definitions() == before)
        #expect(try fixture.shell("SELECT ZNAME FROM ZNOTE") == ["a"])
    }

    /// A key leads to one object for ever, be it deleted.
    @Test func keysOfDeletedObjectsAreNotGivenOutAgain() throws {
        let old = notes(["name"])
        let fixture = try MigrationFixture(old) { context in
            let notes = ["a", "b", "c"].map { context.insert("Note", ["name": $0]) }
            try context.save()
            for note in notes { context.delete(note) }
        }
        let parent = makeEntity("Thing")
        let new = makeModel([parent, makeEntity("Note", parent: parent, [makeAttribute("name")])])
        try fixture.migrate(to: new)
        try fixture.open(new) { context in
            context.insert("Note", ["name": "d"])
            try context.save()
        }
        #expect(try fixture.shell("SELECT Z_PK FROM ZTHING") == ["4"])
    }

    /// Without an inverse, the members' rows have their places.
    @Test func membersKeepTheirOrderInAnotherTable() throws {
        func model(hasParent: Bool) -> NSManagedObjectModel {
            let item = makeEntity("Item", [makeAttribute("name")])
            let box = makeEntity("Box", [makeAttribute("name")])
            let items = makeRelationship("items", to: item, many: true)
            items.isOrdered = true
            box.properties.append(items)
            guard hasParent else { return makeModel([item, box]) }
            let thing = makeEntity("Thing")
            thing.subentities = [item]
            return makeModel([thing, item, box])
        }
        let fixture = try MigrationFixture(model(hasParent: false)) { context in
            let items = ["a", "b", "c"].map { context.insert("Item", ["name": $0]) }
            let order = NSOrderedSet(array: [items[2], items[0], items[1]])
            context.insert("Box", ["name": "B", "items": order])
        }
        let new = model(hasParent: true)
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
        try fixture.open(new) { context in
            let names = try context.objects("Box", by: "name")[0].texts("items")
            #expect(names == ["c", "a", "b"])
        }
    }

    // MARK: By mapping models

    @Test func whatKilledMigrationsHaveLeftGoesWithTheNext() throws {
        let old = notes(["name"]), new = notes(["name", "more"])
        let fixture = try MigrationFixture(old) { $0.insert("Note", ["name": "a"]) }
        let before = try files(fixture)
        // No process has the largest number.
        let left = fixture.folder.appendingPathComponent(
            ".Store-migrating-\(pid_t.max)-\(UUID().uuidString).sqlite"
        )
        try Data([1]).write(to: left)
        try StoreMigrator(SQLiteStore.self, fixture.url, from: old, to: new)
            .run(mapping: makeNameMapping(["Note"]), infers: false)
        #expect(!FileManager.default.fileExists(atPath: left.path))
        #expect(try files(fixture).filter { !before.contains($0) }.isEmpty)
        #expect(try fixture.shell("SELECT ZNAME FROM ZNOTE") == ["a"])
    }

    @Test func aMigrationThatFailsLeavesNothingBeside() throws {
        let old = notes(["name"]), new = notes(["name", "more"])
        let fixture = try MigrationFixture(old) { $0.insert("Note", ["name": "a"]) }
        let before = try files(fixture)
        // The new store is full by then: what it holds is found to be too little.
        new.entitiesByName["Note"]?.attributesByName["more"]?.isOptional = false
        #expect(throws: (any Error).self) {
            try StoreMigrator(SQLiteStore.self, fixture.url, from: old, to: new)
                .run(mapping: makeNameMapping(["Note"]), infers: false)
        }
        #expect(try files(fixture).filter { !before.contains($0) }.isEmpty)
        try fixture.open(old) { context in
            let names = try context.objects("Note", by: "name").map { $0.text("name") }
            #expect(names == ["a"])
        }
    }

    /// The new store is whole by then, and can't take the old one's place.
    @Test func aMigrationThatCannotEndLeavesNothingBeside() throws {
        let old = notes(["name"]), new = notes(["name", "more"])
        let fixture = try MigrationFixture(old) { $0.insert("Note", ["name": "a"]) }
        let before = try files(fixture)
        var writer: OpaquePointer?
        #expect(sqlite3_open(fixture.url.path, &writer) == SQLITE_OK)
        #expect(sqlite3_exec(writer, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        #expect(throws: (any Error).self) {
            try StoreMigrator(
                SQLiteStore.self,
                fixture.url,
                [NSPersistentStoreTimeoutOption: 0.1],
                from: old,
                to: new
            ).run(mapping: makeNameMapping(["Note"]), infers: false)
        }
        #expect(sqlite3_close(writer) == SQLITE_OK)
        #expect(
            try files(fixture).filter { !before.contains($0) && $0.contains("migrating") } == []
        )
        #expect(try fixture.shell("SELECT ZNAME FROM ZNOTE") == ["a"])
    }

    @Test func whatHasBecomeRequiredGetsItsDefault() throws {
        let old = notes(["name", "more"]), new = notes(["name", "more"])
        let more = new.entitiesByName["Note"]?.attributesByName["more"]
        more?.isOptional = false
        more?.defaultValue = "none"
        let fixture = try MigrationFixture(old) { context in
            context.insert("Note", ["name": "a"])
            context.insert("Note", ["name": "b", "more": "some"])
        }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old,
            destinationModel: new
        )
        try StoreMigrator(SQLiteStore.self, fixture.url, from: old, to: new)
            .run(mapping: mapping, infers: false)
        #expect(
            try fixture.shell("SELECT ZNAME, ZMORE FROM ZNOTE ORDER BY 1") == ["a|none", "b|some"]
        )
    }

    /// Sub-entities have mappings of their own.
    @Test func objectsOfSubentitiesAreMadeOnce() throws {
        func people(_ more: [String]) -> NSManagedObjectModel {
            let person = makeEntity("Person", (["name"] + more).map { makeAttribute($0) })
            return makeModel([person, makeEntity("Guest", parent: person)])
        }
        let old = people([]), new = people(["more"])
        let fixture = try MigrationFixture(old) { context in
            context.insert("Person", ["name": "p"])
            context.insert("Guest", ["name": "g"])
        }
        try StoreMigrator(SQLiteStore.self, fixture.url, from: old, to: new)
            .run(mapping: makeNameMapping(["Person", "Guest"]), infers: false)
        try fixture.open(new) { context in
            let found = try context.objects("Person", by: "name").map {
                "\($0.text("name") ?? "") \($0.entity.currentName)"
            }
            #expect(found == ["g Guest", "p Person"])
        }
    }
}
