import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Reads that fail for a while, since a table is not there: nothing stops, nothing is lost, and what
/// could not be read is read later.
@Suite struct UnreadableStoreTests {
    private let stack: TestStack
    private let context: NSManagedObjectContext
    private let editor: SQLiteConnection

    init() throws {
        stack = try TestStack(.sqlite)
        context = stack.makeContext()
        editor = try SQLiteConnection(ConnectionSettings(path: stack.url.path))
    }

    /// Saves Ann and Bob of Sales, with a tag each, and a playlist of two songs.
    private func fill() throws {
        func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            return object
        }
        let sales = make("Department", ["name": "Sales"])
        for name in ["Ann", "Bob"] {
            let tag = make("Tag", ["label": name])
            _ = make("Person", ["name": name, "department": sales, "tags": NSSet(object: tag)])
        }
        let songs = ["a", "b"].map { make("Song", ["title": $0]) }
        _ = make("Playlist", ["title": "l", "songs": NSOrderedSet(array: songs)])
        try context.save()
        context.reset()
    }

    private func all(_ entity: String) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
    }

    /// The join table of people and tags.
    private func joinTable() throws -> String {
        let statement = try editor.statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_*TAGS'"
        )
        defer { statement.reset() }
        #expect(try statement.step())
        return statement.text(0)
    }

    private func insert(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }

    /// Runs a body while a table has another name; what it reported, by key.
    private func without(_ table: String, _ body: () throws -> Void) throws -> [String] {
        try editor.execute("ALTER TABLE \(table) RENAME TO AWAY")
        nonisolated(unsafe) var keys: [String] = []
        let context = context
        let token = NotificationCenter.default.addObserver(
            forName: NSManagedObject.unreadableValueNotification,
            object: nil,
            queue: nil
        ) { notification in
            let object = notification.object as? NSManagedObject
            guard
                object?.managedObjectContext === context
                    || notification.object as AnyObject === context
            else { return }
            let info = notification.userInfo
            #expect(info?[NSManagedObject.unreadableValueReasonKey] is String)
            keys.append(info?[NSManagedObject.unreadableValueKey] as? String ?? "row")
        }
        defer { NotificationCenter.default.removeObserver(token) }
        do {
            try body()
        } catch {
            try editor.execute("ALTER TABLE AWAY RENAME TO \(table)")
            throw error
        }
        try editor.execute("ALTER TABLE AWAY RENAME TO \(table)")
        return keys
    }

    @Test func aToManyRelationshipThatCanNotBeReadIsEmptyForNow() throws {
        try context.performAndWait {
            try fill()
            let ann = try #require(try all("Person").first)
            let keys = try without(try joinTable()) {
                #expect((ann.value(forKey: "tags") as? NSSet)?.count == 0)
                #expect(ann.mutableSetValue(forKey: "tags").count == 0)
                #expect(ann.objectIDs(forRelationshipNamed: "tags").isEmpty)
                #expect(ann.hasFault(forRelationshipNamed: "tags") && !ann.isDeleted)
            }
            #expect(Set(keys) == ["tags"] && keys.count >= 3)
            #expect((ann.value(forKey: "tags") as? NSSet)?.count == 1)
            #expect(!context.hasChanges)
        }
    }

    @Test func aToManyRelationshipThatCanNotBeReadKeepsItsChanges() throws {
        try context.performAndWait {
            try fill()
            let sales = try #require(try all("Department").first)
            let keys = try without("ZPERSON") {
                let cleo = insert("Person")
                cleo.setValue("Cleo", forKey: "name")
                cleo.setValue(sales, forKey: "department")
                #expect(sales.value(forKey: "people") as? Set<NSManagedObject> == [cleo])
                #expect(throws: (any Error).self) { try context.save() }
            }
            #expect(keys == ["people"])
            #expect((sales.value(forKey: "people") as? NSSet)?.count == 3)
            try context.save()
            #expect(try all("Person").count == 3)
        }
    }

    @Test func aRowThatCanNotBeReadStaysAFault() throws {
        try context.performAndWait {
            try fill()
            let id = try #require(try all("Tag").first).objectID
            let tag = context.object(with: id)
            context.refresh(tag, mergeChanges: false)
            let keys = try without("ZTAG") {
                #expect(tag.value(forKey: "label") == nil)
                #expect(tag.isFault && !tag.isDeleted && !context.hasChanges)
            }
            #expect(keys == ["row"])
            #expect(tag.value(forKey: "label") != nil && !tag.isFault)
        }
    }

    @Test func aSaveOfWhatCouldNotBeReadThrowsAndLosesNothing() throws {
        try context.performAndWait {
            try fill()
            let tags = try all("Tag")
            for tag in tags { context.refresh(tag, mergeChanges: false) }
            _ = try without("ZTAG") {
                tags[0].setValue("x", forKey: "label")
                context.delete(tags[1])
                #expect(throws: (any Error).self) { try context.save() }
                #expect(context.updatedObjects.contains(tags[0]))
                #expect(context.deletedObjects == [tags[1]])
            }
            try context.save()
            #expect(try all("Tag").map { $0.value(forKey: "label") as? String } == ["x"])
        }
    }

    /// A client that reads, works and sets makes its value of what it was shown: nothing.
    @Test(arguments: [true, false])
    func aValueThatWasMadeOfWhatCouldNotBeReadIsNotSaved(isRefreshed: Bool) throws {
        try context.performAndWait {
            try fill()
            let tag = context.object(with: try #require(try all("Tag").first).objectID)
            context.refresh(tag, mergeChanges: false)
            func append() {
                tag.setValue((tag.value(forKey: "label") as? String ?? "") + "!", forKey: "label")
            }
            var label: String?
            _ = try without("ZTAG") { label = tag.value(forKey: "label") as? String }
            tag.setValue((label ?? "") + "!", forKey: "label")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == NSCoreDataError)
            #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [tag])
            #expect(context.updatedObjects == [tag])
            if isRefreshed {
                context.refresh(tag, mergeChanges: false)
            } else {
                context.rollback()
            }
            append()
            try context.save()
            context.reset()
            let labels = try all("Tag").compactMap { $0.value(forKey: "label") as? String }
            #expect(Set(labels).intersection(["Ann!", "Bob!"]).count == 1)
        }
    }

    @Test func aContentThatWasMadeOfOneThatCouldNotBeReadIsNotSaved() throws {
        try context.performAndWait {
            try fill()
            let ann = try #require(try all("Person").first)
            let tag = insert("Tag")
            tag.setValue("new", forKey: "label")
            func add() {
                let tags = ann.value(forKey: "tags") as? Set<NSManagedObject> ?? []
                ann.setValue(tags.union([tag]), forKey: "tags")
            }
            var tags: Set<NSManagedObject> = []
            _ = try without(try joinTable()) {
                tags = ann.value(forKey: "tags") as? Set<NSManagedObject> ?? []
            }
            ann.setValue(tags.union([tag]), forKey: "tags")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            // Who has lost something by it is among them.
            let misled = error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] ?? []
            #expect(misled.map(\.entity.name).sorted { $0 ?? "" < $1 ?? "" } == ["Person", "Tag"])
            for object in misled { context.refresh(object, mergeChanges: false) }
            add()
            try context.save()
            context.refresh(ann, mergeChanges: false)
            #expect((ann.value(forKey: "tags") as? NSSet)?.count == 2)
        }
    }

    @Test func whatIsReadAgainCanBeChangedAndSaved() throws {
        try context.performAndWait {
            try fill()
            let ann = try #require(try all("Person").first)
            context.refresh(ann, mergeChanges: false)
            _ = try without("ZPERSON") { #expect(ann.value(forKey: "name") == nil) }
            _ = try without(try joinTable()) { _ = ann.value(forKey: "tags") }
            #expect(ann.value(forKey: "name") as? String == "Ann")
            #expect((ann.value(forKey: "tags") as? NSSet)?.count == 1)
            ann.setValue("Anna", forKey: "name")
            ann.setValue(NSSet(), forKey: "tags")
            try context.save()
            context.reset()
            #expect(try all("Person").contains { $0.value(forKey: "name") as? String == "Anna" })
        }
    }

    /// A rule that is not applied would leave what it should have deleted.
    @Test(arguments: [true, false])
    func deleteRulesThatCanNotBeAppliedKeepTheSaveFromSucceeding(isSavedThen: Bool) throws {
        try context.performAndWait {
            try fill()
            let sales = try #require(try all("Department").first)
            let songs = try #require(try all("Playlist").first)
            sales.willAccessValue(forKey: nil)
            _ = try without("ZPERSON") {
                context.delete(sales)
                context.processPendingChanges()
                #expect(throws: (any Error).self) { try context.save() }
                #expect(context.deletedObjects == [sales])
                if !isSavedThen { context.rollback() }
            }
            songs.setValue("m", forKey: "title")
            try context.save()
            #expect(try all("Person").count == (isSavedThen ? 0 : 2))
            #expect(try all("Department").count == (isSavedThen ? 0 : 1))
        }
    }

    @Test func anOrderIsNotWrittenWithoutTheMembersThatCouldNotBeRead() throws {
        try context.performAndWait {
            try fill()
            let list = try #require(try all("Playlist").first)
            _ = try without("ZSONG") {
                let song = insert("Song")
                song.setValue("c", forKey: "title")
                song.setValue(list, forKey: "playlist")
                #expect(throws: (any Error).self) { try context.save() }
            }
            try context.save()
            context.refresh(list, mergeChanges: false)
            let titles = (list.value(forKey: "songs") as? NSOrderedSet)?.array
                .compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }
            #expect(titles == ["a", "b", "c"])
        }
    }

    @Test func aResultsControllerWithALimitGoesOnWithWhatTheContextKnows() throws {
        try context.performAndWait {
            try fill()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
            request.fetchLimit = 2
            let controller = NSFetchedResultsController(
                fetchRequest: request,
                managedObjectContext: context,
                sectionNameKeyPath: nil,
                cacheName: nil
            )
            let delegate = SilentDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            func labels() -> [String?] {
                controller.fetchedObjects?.map { $0.value(forKey: "label") as? String } ?? []
            }
            let keys = try without("ZTAG") {
                let tag = insert("Tag")
                tag.setValue("Abe", forKey: "label")
                context.processPendingChanges()
                #expect(labels() == ["Abe", "Ann"])
            }
            #expect(keys == ["row"])
            let tag = insert("Tag")
            tag.setValue("Aaa", forKey: "label")
            context.processPendingChanges()
            #expect(labels() == ["Aaa", "Abe"])
            withExtendedLifetime(delegate) {}
        }
    }

    /// Objects that were changed are judged in memory, by getters: what these can't read fits no
    /// condition, and a list without it is no result.
    @Test func aFetchThatCanNotReadWhatItJudgesInMemoryThrows() throws {
        try context.performAndWait {
            try fill()
            for person in try all("Person") { person.setValue(3, forKey: "age") }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "department.name == 'Sales'")
            // SQLite can compare names, and can't read whole rows.
            try editor.execute(
                "ALTER TABLE ZDEPARTMENT RENAME TO AWAY; CREATE VIEW ZDEPARTMENT AS "
                    + "SELECT Z_PK, Z_ENT, abs(-9223372036854775807 - 1) AS Z_OPT, ZNAME FROM AWAY"
            )
            #expect(throws: (any Error).self) { try context.fetch(request) }
            #expect(throws: (any Error).self) { try context.count(for: request) }
            try editor.execute("DROP VIEW ZDEPARTMENT; ALTER TABLE AWAY RENAME TO ZDEPARTMENT")
            #expect(try context.fetch(request).count == 2)
            #expect(try context.count(for: request) == 2)
        }
    }

    /// Sections of which some have no name since their objects could not be read are no result.
    @Test func aResultsControllerWhoseSectionsCanNotBeReadThrows() throws {
        try context.performAndWait {
            try fill()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request,
                managedObjectContext: context,
                sectionNameKeyPath: "department.name",
                cacheName: nil
            )
            _ = try without("ZDEPARTMENT") {
                #expect(throws: CocoaError.self) { try controller.performFetch() }
            }
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["Sales"])
        }
    }

    @Test func aContextThatHandlesNoInaccessibleFaultsStops() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let tests = try UnreadableStoreTests()
            try tests.context.performAndWait {
                try tests.fill()
                tests.context.shouldDeleteInaccessibleFaults = false
                let sales = try #require(try tests.all("Department").first)
                _ = try tests.without("ZPERSON") { _ = sales.value(forKey: "people") }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("could not fulfill a fault") && text.contains("Department.people"))
    }
}

/// Hears nothing; it has its controller follow changes.
private final class SilentDelegate: NSObject, NSFetchedResultsControllerDelegate {}
