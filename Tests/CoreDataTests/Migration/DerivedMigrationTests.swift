import Foundation
import Testing

@testable import CoreData

/// Derived values, composites and preserved values in migrations in place.
@Suite struct DerivedMigrationTests {
    private static func derived(
        _ name: String,
        _ format: String,
        _ type: NSAttributeType = .stringAttributeType
    ) -> NSDerivedAttributeDescription {
        let derived = NSDerivedAttributeDescription()
        derived.name = name
        derived.attributeType = type
        derived.derivationExpression = NSExpression(format: format)
        return derived
    }

    /// Authors and their books; derived values of books in the second version, and of the books'
    /// other name in the third.
    private func library(version: Int) -> NSManagedObjectModel {
        let author = makeEntity("Author", [makeAttribute("name")])
        let book = makeEntity(version == 3 ? "Volume" : "Book", [makeAttribute("title")])
        if version == 3 { book.renamingIdentifier = "Book" }
        let books = makeRelationship("books", to: book, many: true)
        let owner = makeRelationship("author", to: author)
        connect(books, owner)
        author.properties.append(books)
        book.properties.append(owner)
        if version > 1 {
            author.properties.append(Self.derived("count", "books.@count", .integer64AttributeType))
            book.properties += [
                Self.derived("authorName", "author.name"),
                Self.derived("folded", "canonical:(author.name)"),
            ]
        }
        return makeModel([author, book])
    }

    @Test func valuesOfOtherObjectsAreWorkedOutAndKept() throws {
        let fixture = try MigrationFixture(library(version: 1)) { context in
            let ann = context.insert("Author", ["name": "Ann"])
            context.insert("Book", ["title": "a", "author": ann])
            context.insert("Book", ["title": "b"])
        }
        let second = library(version: 2)
        try fixture.migrate(to: second)
        #expect(
            try fixture.shell("SELECT ZTITLE, ZAUTHORNAME FROM ZBOOK ORDER BY 1") == [
                "a|Ann", "b|",
            ]
        )
        try fixture.open(second) { context in
            let book = try context.objects("Book", by: "title")[1]
            book.setValue(try context.objects("Author", by: "name")[0], forKey: "author")
            try context.save()
            // What functions give follows with a save of the object.
            context.refresh(book, mergeChanges: false)
            #expect(book.text("authorName") == "Ann" && book.text("folded") == "ann")
        }
        // Its triggers speak of tables that are renamed now.
        let third = library(version: 3)
        try fixture.migrate(from: second, to: third)
        try fixture.expectDefinitions(ofNew: third)
        #expect(
            try fixture.shell("SELECT ZTITLE, ZAUTHORNAME FROM ZVOLUME ORDER BY 1")
                == ["a|Ann", "b|Ann"]
        )
        try fixture.open(third) { context in
            let author = try context.objects("Author", by: "name")[0]
            context.insert("Volume", ["title": "c", "author": author])
            try context.save()
        }
        #expect(try fixture.shell("SELECT ZCOUNT FROM ZAUTHOR") == ["3"])
    }

    /// Apple's framework gives entities with derived attributes other hashes.
    @Test func aStoreWhoseTablesFitIsNotMigratedForItsHashes() throws {
        let model = library(version: 2)
        let fixture = try MigrationFixture(model) { $0.insert("Author", ["name": "Ann"]) }
        let hash = try #require(model.entityVersionHashesByName["Author"])
        func hexadecimal(_ data: Data) -> String {
            data.map { String(format: "%02X", $0) }.joined()
        }
        let metadata = try #require(try fixture.shell("SELECT hex(Z_PLIST) FROM Z_METADATA").first)
        let other = metadata.replacingOccurrences(
            of: hexadecimal(hash),
            with: hexadecimal(Data(hash.reversed()))
        )
        #expect(other != metadata)
        _ = try fixture.shell("UPDATE Z_METADATA SET Z_PLIST = x'\(other)'")
        let plan = try StoreMigrationPlan(forStoreAt: fixture.url, to: model)
        #expect(plan.steps.isEmpty)
        // Of the version before, the tables do not fit.
        let newer = library(version: 3)
        #expect(try !StoreMigrationPlan(forStoreAt: fixture.url, to: newer).steps.isEmpty)
    }

    // MARK: Composites

    /// Places with a position of two numbers, and in the second version another one, of a new type,
    /// and an attribute before it that has the table made anew.
    private func places(isNew: Bool) -> NSManagedObjectModel {
        let position = NSCompositeAttributeDescription()
        position.name = "position"
        position.elements = [
            makeAttribute("latitude", .doubleAttributeType),
            makeAttribute("longitude", .doubleAttributeType),
            makeAttribute("level", isNew ? .stringAttributeType : .integer32AttributeType),
        ]
        if isNew { position.elements.append(makeAttribute("note")) }
        let place = makeEntity("Place", [makeAttribute("name"), position])
        let parent = makeEntity("Thing")
        if isNew { parent.subentities = [place] }
        return makeModel(isNew ? [parent, place] : [place])
    }

    @Test func elementsOfCompositesKeepTheirValues() throws {
        let fixture = try MigrationFixture(places(isNew: false)) { context in
            context.insert(
                "Place",
                [
                    "name": "a",
                    "position": ["latitude": 47.5, "longitude": 8.25, "level": 3] as [String: Any],
                ]
            )
        }
        let new = places(isNew: true)
        try fixture.migrate(to: new)
        try fixture.open(new) { context in
            let place = try context.objects("Place", by: "name")[0]
            let position = place.value(forKey: "position") as? [String: Any]
            #expect(position?["latitude"] as? Double == 47.5)
            #expect(position?["longitude"] as? Double == 8.25)
            // One of another type, and one that was not there.
            #expect(position?["level"] is NSNull? && position?["note"] is NSNull?)
        }
    }

    // MARK: Preserved values

    /// Values that outlive a deletion are known by their places alone.
    @Test func preservedValuesNeverComeUpUnderOtherNames() throws {
        func model(_ preserved: [String]) -> NSManagedObjectModel {
            // The last one is new with the second version.
            let names = preserved.contains("d") ? ["a", "b", "c", "d"] : ["a", "b", "c"]
            let note = makeEntity("Note", names.map { makeAttribute($0) })
            for name in preserved {
                note.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
            }
            return makeModel([note])
        }
        func tombstones(_ fixture: MigrationFixture, _ model: NSManagedObjectModel) throws
            -> [[AnyHashable: Any]?]
        {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                type: .sqlite,
                at: fixture.url,
                options: [NSPersistentHistoryTrackingKey: true]
            )
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let found: [[AnyHashable: Any]?] = try context.performAndWait {
                if try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) > 0 {
                    for note in try context.objects("Note", by: "a") { context.delete(note) }
                    try context.save()
                }
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
                return transactions.flatMap { $0.changes ?? [] }
                    .filter { $0.changeType == .delete }.map(\.tombstone)
            }
            try coordinator.remove(store)
            return found
        }
        let old = model(["a", "b"])
        let fixture = try MigrationFixture(old) { $0.insert("Note", ["a": "1", "b": "2"]) }
        #expect(try tombstones(fixture, old).map { $0?["a"] as? String } == ["1"])
        let new = model(["b", "c", "d"])
        try fixture.migrate(to: new)
        let after = try tombstones(fixture, new)
        #expect(after.count == 1)
        #expect(after.allSatisfy { ($0 ?? [:]).isEmpty })
    }
}
