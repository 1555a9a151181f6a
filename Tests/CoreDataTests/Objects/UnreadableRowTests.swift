import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What contexts do with what they know already while a table can't be read.
@Suite struct UnreadableRowTests {
    private let stack: TestStack
    private let context: NSManagedObjectContext
    private let editor: SQLiteConnection

    init() throws {
        let model = SampleModel.make()
        let songs = NSFetchRequest<any NSFetchRequestResult>()
        songs.entity = model.entitiesByName["Song"]
        songs.predicate = NSPredicate(format: "title == $FETCH_SOURCE.label")
        let property = NSFetchedPropertyDescription()
        property.name = "songs"
        property.fetchRequest = songs
        property.userInfo = nil
        model.entitiesByName["Tag"]?.properties.append(property)
        stack = try TestStack(.sqlite, model: model)
        context = stack.makeContext()
        editor = try SQLiteConnection(ConnectionSettings(path: stack.url.path))
    }

    private func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// Runs a body while a table has another name.
    private func without(_ table: String, _ body: () throws -> Void) throws {
        try editor.execute("ALTER TABLE \(table) RENAME TO AWAY")
        let result = Result { try body() }
        try editor.execute("ALTER TABLE AWAY RENAME TO \(table)")
        try result.get()
    }

    @Test func aRefreshThatCanNotReadKeepsWhatIsThere() throws {
        try context.onQueue {
            let tag = make("Tag", ["label": "a"])
            try context.save()
            tag.setValue("b", forKey: "label")
            tag.registry.store?.invalidateRow(tag.layout, tag.primaryKey)
            try without("ZTAG") { context.refresh(tag, mergeChanges: true) }
            #expect(tag.value(forKey: "label") as? String == "b" && tag.isUpdated)
            #expect(tag.committedValues(forKeys: ["label"])["label"] as? String == "a")
        }
    }

    @Test func aFaultWithChangesStaysOneThatHasThem() throws {
        try context.onQueue {
            let department = make("Department", ["name": "D"])
            try context.save()
            context.refresh(department, mergeChanges: false)
            let person = make("Person", ["name": "p", "department": department])
            #expect(department.isFault && department.isUpdated)
            try without("ZDEPARTMENT") { context.refresh(department, mergeChanges: true) }
            #expect(department.isFault && department.isUpdated && !department.isDeleted)
            try context.save()
            #expect(department.value(forKey: "people") as? Set<NSManagedObject> == [person])
        }
    }

    @Test func aFetchedPropertyIsEmptyForNow() throws {
        try context.onQueue {
            let song = make("Song", ["title": "a"]), tag = make("Tag", ["label": "a"])
            try context.save()
            try without("ZSONG") { #expect((tag.value(forKey: "songs") as? NSArray)?.count == 0) }
            #expect(tag.value(forKey: "songs") as? [NSManagedObject] == [song])
        }
    }

    @Test func aFetchedPropertyOfAnObjectInNoContextIsEmpty() throws {
        let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Tag"])
        let tag = NSManagedObject(entity: entity, insertInto: nil)
        #expect((tag.value(forKey: "songs") as? NSArray)?.count == 0)
    }

    /// A child that took nothing for the row would show, and save, an empty object.
    @Test func aChildDoesNotTakeWhatItsParentCanNotReadForNothing() throws {
        let id = try context.onQueue {
            let tag = make("Tag", ["label": "a"])
            try context.save()
            context.refresh(tag, mergeChanges: false)
            return tag.objectID
        }
        let held = context.onQueue { context.object(with: id) }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try child.onQueue {
            let tag = child.object(with: id)
            try without("ZTAG") { #expect(tag.value(forKey: "label") == nil && tag.isFault) }
            #expect(tag.value(forKey: "label") as? String == "a" && !child.hasChanges)
        }
        withExtendedLifetime(held) {}
    }

    /// A row that was read is better than a store that can't be.
    @Test func aFaultShowsTheRowThatItWasFetchedWith() throws {
        let id = try context.onQueue {
            let tag = make("Tag", ["label": "a"])
            try context.save()
            let id = tag.objectID
            context.reset()
            return id
        }
        try context.onQueue {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let tag = try #require(try context.fetch(request).first)
            #expect(tag.isFault)
            var other: NSManagedObjectContext? = stack.makeContext()
            try other?.onQueue {
                other?.object(with: id).setValue("b", forKey: "label")
                try other?.save()
                other?.reset()
            }
            other = nil
            try without("ZTAG") { #expect(tag.value(forKey: "label") as? String == "a") }
        }
    }

    @Test func anObjectWhoseRowCanNotBeReadIsNotDeletedInPart() throws {
        try context.onQueue {
            let department = make("Department", ["name": "D"])
            let person = make("Person", ["name": "p", "department": department])
            try context.save()
            context.refreshAllObjects()
            try without("ZPERSON") {
                context.delete(person)
                #expect(throws: (any Error).self) { try context.save() }
            }
            try context.save()
            #expect(department.value(forKey: "people") as? Set<NSManagedObject> == [])
            #expect(
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) == 0
            )
        }
    }

    /// What a relationship was read to hold is not put right by a row that can't be read.
    @Test func aNeighbourThatCanNotBeReadAgainStaysAsItIs() throws {
        try context.onQueue {
            let list = make("Playlist", ["title": "l"]), song = make("Song", ["title": "s"])
            try context.save()
            let other = stack.makeContext()
            try other.onQueue {
                other.object(with: song.objectID).setValue(
                    other.object(with: list.objectID),
                    forKey: "playlist"
                )
                try other.save()
                other.reset()
            }
            #expect((list.value(forKey: "songs") as? NSOrderedSet)?.array as? [NSObject] == [song])
            song.registry.store?.invalidateRow(song.layout, song.primaryKey)
            try without("ZSONG") {
                context.delete(list)
                context.processPendingChanges()
                #expect(song.value(forKey: "title") as? String == "s" && !song.isDeleted)
            }
            context.rollback()
            context.refreshAllObjects()
            #expect(song.value(forKey: "playlist") as? NSManagedObject === list)
        }
    }

    /// The parent has changes of a row that it can't read: half of it is nothing for a child to take.
    @Test func aChildIsToldIfItsParentCanNotReadWhatItHasChanged() throws {
        let id = try context.onQueue {
            let department = make("Department", ["name": "D"])
            try context.save()
            context.refresh(department, mergeChanges: false)
            _ = make("Person", ["name": "p", "department": department])
            department.registry.store?.invalidateRow(department.layout, department.primaryKey)
            return department.objectID
        }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try child.onQueue {
            let department = child.object(with: id)
            try without("ZDEPARTMENT") {
                #expect(department.value(forKey: "name") == nil && department.isFault)
            }
            #expect(department.value(forKey: "name") as? String == "D")
        }
    }

    @Test func keysThatCanNotBeClaimedAreNotGivenAway() throws {
        try context.onQueue {
            let tag = make("Tag", ["label": "a"])
            try without("Z_PRIMARYKEY") {
                #expect(throws: (any Error).self) { try context.obtainPermanentIDs(for: [tag]) }
            }
            #expect(tag.objectID.isTemporaryID)
            try context.obtainPermanentIDs(for: [tag])
            #expect(!tag.objectID.isTemporaryID)
            try context.save()
        }
    }
}
