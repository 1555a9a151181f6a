import Foundation
import Testing

@testable import CoreData

/// What else belongs to a store: files of large values, derived values, the history, composites.
@Suite struct CompanionMigrationTests {
    private func photos(isExternal: Bool, more: Bool = false) -> NSManagedObjectModel {
        let data = makeAttribute("data", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = isExternal
        return makeModel([
            makeEntity(
                "Photo",
                [data, makeAttribute("name")] + (more ? [makeAttribute("more")] : [])
            )
        ])
    }

    private let large = Data(repeating: 7, count: 300_000)

    private func files(_ fixture: MigrationFixture) throws -> Int {
        try StoreFile(fixture.url).externalData.names().count
    }

    private func check(_ fixture: MigrationFixture, _ model: NSManagedObjectModel) throws {
        try fixture.open(model) { context in
            let photos = try context.objects("Photo", by: "name")
            let data = photos.map { $0.value(forKey: "data") as? Data }
            #expect(data == [large, Data([1]), Data()])
        }
    }

    private func fill(_ context: NSManagedObjectContext) {
        context.insert("Photo", ["name": "a", "data": large])
        context.insert("Photo", ["name": "b", "data": Data([1])])
        context.insert("Photo", ["name": "c", "data": Data()])
    }

    @Test func filesOfLargeValuesStayAndGo() throws {
        let old = photos(isExternal: true)
        let fixture = try MigrationFixture(old, fill)
        #expect(try files(fixture) == 1)
        let more = photos(isExternal: true, more: true)
        try fixture.migrate(to: more)
        #expect(try files(fixture) == 1)
        try check(fixture, more)
        let inside = try MigrationFixture(old, fill)
        try inside.migrate(to: photos(isExternal: false))
        #expect(try files(inside) == 0)
        try check(inside, photos(isExternal: false))
    }

    @Test func filesOfLargeValuesGoAlongByMapping() throws {
        let old = photos(isExternal: true), new = photos(isExternal: true, more: true)
        let fixture = try MigrationFixture(old, fill)
        let names = try StoreFile(fixture.url).externalData.names()
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old,
            destinationModel: new
        )
        try StoreMigrator(SQLiteStore.self, fixture.url, from: old, to: new)
            .run(mapping: mapping, infers: false)
        let now = try StoreFile(fixture.url).externalData.names()
        #expect(now.count == 1 && now != names)
        try check(fixture, new)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(left.allSatisfy { !$0.contains("migrating") }, "\(left)")
    }

    @Test func newDerivedValuesAreWorkedOut() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            let book = makeEntity("Book", [makeAttribute("name")])
            let page = makeEntity("Page", [makeAttribute("number", .integer32AttributeType)])
            let pages = makeRelationship("pages", to: page, many: true)
            let owner = makeRelationship("book", to: book)
            book.properties.append(pages)
            page.properties.append(owner)
            connect(pages, owner)
            if isNew {
                for (name, path) in [("count", "pages.@count"), ("sum", "pages.@sum.number")] {
                    let derived = NSDerivedAttributeDescription()
                    derived.name = name
                    derived.attributeType = .integer64AttributeType
                    derived.derivationExpression = NSExpression(forKeyPath: path)
                    book.properties.append(derived)
                }
            }
            return makeModel([book, page])
        }
        let fixture = try MigrationFixture(model(false)) { context in
            let pages = (1...3).map { context.insert("Page", ["number": $0]) }
            context.insert("Book", ["name": "a", "pages": Set(pages)])
            context.insert("Book", ["name": "b"])
        }
        let new = model(true)
        try fixture.migrate(to: new)
        #expect(
            try fixture.shell("SELECT ZNAME, ZCOUNT, ZSUM FROM ZBOOK ORDER BY 1")
                == ["a|3|6", "b|0|0"]
        )
        try fixture.open(new) { context in
            let book = try context.objects("Book", by: "name")[1]
            context.insert("Page", ["number": 5, "book": book])
            try context.save()
        }
        #expect(
            try fixture.shell("SELECT ZCOUNT, ZSUM FROM ZBOOK WHERE ZNAME = 'b'") == ["1|5"]
        )
    }

    @Test func theHistoryGoesAlong() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            let note = makeEntity("Note", [makeAttribute("body"), makeAttribute("title")])
            let old = makeEntity("Old", [makeAttribute("name")])
            guard isNew else { return makeModel([note, old]) }
            note.properties.insert(makeAttribute("added"), at: 0)
            return makeModel([makeEntity("Apple"), note])
        }
        let before = model(false)
        let fixture = try MigrationFixture(before) { _ in }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: before)
        let store = try coordinator.addPersistentStore(
            type: .sqlite,
            at: fixture.url,
            options: [NSPersistentHistoryTrackingKey: true]
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let note = context.insert("Note", ["title": "a"])
            context.insert("Old", ["name": "o"])
            try context.save()
            note.setValue("b", forKey: "title")
            try context.save()
        }
        try coordinator.remove(store)
        // A change of one of the framework's own tables, as CloudKit mirroring leaves them.
        _ = try fixture.shell(
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
                + "VALUES (99, 16001, 0, 17001, 1, 1)"
        )
        let rows = "SELECT ZENTITY, ZCHANGETYPE, hex(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK"
        // body, title: the second bit.
        #expect(try fixture.shell(rows).sorted() == ["17001|0|", "1|0|", "1|1|40", "2|0|"])
        try fixture.migrate(to: model(true))
        // added, body, title: the third.
        #expect(try fixture.shell(rows).sorted() == ["17001|0|", "2|0|", "2|1|20"])
        #expect(
            try fixture.shell("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = 16001") == ["CHANGE"]
        )
    }
}
