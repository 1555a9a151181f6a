import CoreData
import TestSupport
import Testing
import XCTest

/// Runs a body with a context whose every processed event is one step of undo.
private func withUndo(
    _ kind: StoreKind,
    model: NSManagedObjectModel = SampleModel.make(),
    _ body: (NSManagedObjectContext, UndoManager) throws -> Void
) throws {
    try withContext(kind, model: model) { context in
        let manager = UndoManager()
        context.undoManager = manager
        try body(context, manager)
    }
}

@Suite struct UndoTests {
    @Test func contextsHaveNoUndoManagerByDefault() throws {
        try withContext(.inMemory) { context in
            #expect(context.undoManager == nil)
            context.make("Tag", ["label": "a"])
            context.undo()
            context.redo()
            #expect(context.insertedObjects.count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func attributesAreUndoneAndRedone(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let person = context.make("Person", ["name": "A", "age": 1, "height": 1.5])
            try context.save()
            manager.removeAllActions()
            context.step {
                person.setValue("B", forKey: "name")
                person.setValue("C", forKey: "name")
                person.setValue(nil, forKey: "height")
                person.setValue("Nick", forKey: "nickname")
            }
            context.step { person.setValue(2, forKey: "age") }
            context.undo()
            #expect(person.integer("age") == 1 && person.text("name") == "C")
            context.undo()
            #expect(person.text("name") == "A" && person.value(forKey: "height") as? Double == 1.5)
            #expect(person.text("nickname") == nil)
            #expect(!context.hasChanges && !person.hasChanges)
            context.redo()
            #expect(person.text("name") == "C" && person.text("nickname") == "Nick")
            #expect(person.isUpdated && person.hasPersistentChangedValues)
            context.redo()
            #expect(person.integer("age") == 2 && !manager.canRedo)
            try context.save()
            context.refresh(person, mergeChanges: false)
            #expect(person.integer("age") == 2 && person.text("name") == "C")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsAreUndoneWithTheirInverses(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let first = context.make("Department", ["name": "1"])
            let second = context.make("Department", ["name": "2"])
            let person = context.make("Person", ["name": "A", "department": first])
            let tag = context.make("Tag", ["label": "t"])
            try context.save()
            manager.removeAllActions()
            context.step { person.setValue(second, forKey: "department") }
            context.step { person.setValue(Set([tag]), forKey: "tags") }
            context.undo()
            #expect(person.set("tags").isEmpty && tag.set("people").isEmpty)
            context.undo()
            #expect(person.one("department") === first)
            #expect(first.set("people") == [person] && second.set("people").isEmpty)
            #expect(!context.hasChanges)
            context.redo()
            context.redo()
            #expect(first.set("people").isEmpty && second.set("people") == [person])
            #expect(tag.set("people") == [person])
            try context.save()
            context.reset()
            let read = try context.only("Person")
            #expect(read.one("department")?.text("name") == "2" && read.set("tags").count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func orderedRelationshipsGetTheirOrderBack(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let songs = ["a", "b", "c"].map { context.make("Song", ["title": $0]) }
            let list = context.make(
                "Playlist",
                ["title": "L", "songs": NSOrderedSet(array: songs)]
            )
            try context.save()
            manager.removeAllActions()
            func titles() -> [String?] {
                (list.value(forKey: "songs") as? NSOrderedSet)?.array
                    .map { ($0 as? NSManagedObject)?.text("title") } ?? []
            }
            let reversed = NSOrderedSet(array: [songs[2], songs[0]])
            context.step { list.setValue(reversed, forKey: "songs") }
            #expect(titles() == ["c", "a"])
            context.undo()
            #expect(titles() == ["a", "b", "c"])
            #expect(songs[1].one("playlist") === list)
            context.redo()
            #expect(titles() == ["c", "a"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func insertionsAreUndoneAndRedone(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let department = context.make("Department", ["name": "D"])
            try context.save()
            manager.removeAllActions()
            var made: NSManagedObject?
            context.step {
                made = context.make("Person", ["name": "A", "department": department])
            }
            let person = try #require(made)
            context.undo()
            #expect(context.insertedObjects.isEmpty && person.managedObjectContext == nil)
            #expect(department.set("people").isEmpty && !context.hasChanges)
            try context.save()
            #expect(try context.number("Person") == 0)
            context.redo()
            #expect(person.isInserted && person.text("name") == "A")
            #expect(person.one("department") === department)
            #expect(department.set("people") == [person])
            try context.save()
            #expect(try context.number("Person") == 1)
            context.undo()
            #expect(person.isDeleted)
            try context.save()
            #expect(try context.number("Person") == 0)
            #expect(department.set("people").isEmpty)
            context.redo()
            #expect(person.isInserted && person.text("name") == "A")
            try context.save()
            #expect(try context.only("Person").one("department") === department)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func deletionsAreUndoneWithWhatTheirRulesDid(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let department = context.make("Department", ["name": "D"])
            let people = ["A", "B"].map {
                context.make("Person", ["name": $0, "department": department])
            }
            let tag = context.make("Tag", ["label": "t", "people": Set(people)])
            try context.save()
            manager.removeAllActions()
            context.step { context.delete(department) }
            #expect(people.allSatisfy(\.isDeleted) && tag.set("people").isEmpty)
            context.undo()
            #expect(!department.isDeleted && !people[0].isDeleted && !context.hasChanges)
            #expect(department.set("people") == Set(people) && tag.set("people") == Set(people))
            #expect(people[0].one("department") === department)
            context.redo()
            #expect(department.isDeleted && people.allSatisfy(\.isDeleted))
            #expect(tag.set("people").isEmpty)
            try context.save()
            #expect(try context.number("Person") == 0)
            context.undo()
            #expect(department.isInserted && people.allSatisfy(\.isInserted))
            try context.save()
            context.reset()
            let read = try context.only("Department")
            #expect(Set(read.set("people").map { $0.text("name") }) == ["A", "B"])
            #expect(try context.only("Tag").set("people").count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func savingKeepsTheStack(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let person = context.make("Person", ["name": "A"])
            try context.save()
            manager.removeAllActions()
            context.step { person.setValue("B", forKey: "name") }
            try context.save()
            #expect(manager.canUndo && !context.hasChanges)
            context.undo()
            #expect(person.isUpdated && person.text("name") == "A")
            try context.save()
            context.refresh(person, mergeChanges: false)
            #expect(person.text("name") == "A")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func rollingBackAndResettingEmptyTheStack(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let person = context.make("Person", ["name": "A"])
            try context.save()
            context.step { person.setValue("B", forKey: "name") }
            person.setValue("C", forKey: "name")
            context.rollback()
            #expect(!manager.canUndo && !manager.canRedo && person.text("name") == "A")
            context.undo()
            #expect(person.text("name") == "A")
            context.step { person.setValue("B", forKey: "name") }
            context.reset()
            #expect(!manager.canUndo)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func mergedChangesAndRefreshesAreNotUndone(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            let manager = UndoManager()
            let person = try context.onQueue {
                let person = context.make("Person", ["name": "A", "age": 1])
                context.make("Tag", ["label": "t"])
                try context.save()
                context.undoManager = manager
                context.step { person.setValue("B", forKey: "name") }
                return person
            }
            let saved = try didSave(of: other) { other in
                try other.only("Person").setValue(7, forKey: "age")
                other.delete(try other.only("Tag"))
                other.make("Song", ["title": "s"])
            }
            try context.onQueue {
                context.mergeChanges(fromContextDidSave: saved)
                #expect(person.integer("age") == 7 && person.text("name") == "B")
                context.refresh(person, mergeChanges: true)
                context.undo()
                #expect(person.integer("age") == 7 && person.text("name") == "A")
                #expect(!manager.canUndo)
                context.undo()
                let tags = try context.number("Tag"), songs = try context.number("Song")
                #expect(tags == 0 && songs == 1)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func registrationCanBeDisabledForAnEvent(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let person = context.make("Person", ["name": "A"])
            context.processPendingChanges()
            manager.removeAllActions()
            manager.disableUndoRegistration()
            person.setValue("B", forKey: "name")
            context.processPendingChanges()
            manager.enableUndoRegistration()
            #expect(!manager.canUndo)
            context.undo()
            #expect(person.text("name") == "B")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func pendingChangesAreRegisteredBeforeTheManagerUndoes(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let person = context.make("Person", ["name": "A"])
            context.step {}
            manager.removeAllActions()
            person.setValue("B", forKey: "name")
            manager.undo()
            #expect(person.text("name") == "A")
            manager.redo()
            #expect(person.text("name") == "B")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func eventsAreGroupsOfTheirOwnWithoutGroupsByEvent(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            manager.groupsByEvent = false
            let person = context.make("Person", ["name": "A"])
            context.processPendingChanges()
            for name in ["B", "C"] {
                person.setValue(name, forKey: "name")
                context.processPendingChanges()
            }
            context.undo()
            #expect(person.text("name") == "B")
            context.undo()
            #expect(person.text("name") == "A")
            context.undo()
            #expect(context.insertedObjects.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func insertedAndDeletedInOneEventIsNothing(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let person = context.make("Person", ["name": "A"])
            context.delete(person)
            context.processPendingChanges()
            #expect(!manager.canUndo)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func undoPostsWhatItChanged(kind: StoreKind) throws {
        try withUndo(kind) { context, manager in
            let person = context.make("Person", ["name": "A"])
            try context.save()
            manager.removeAllActions()
            context.step { person.setValue("B", forKey: "name") }
            let log = NotificationLog(context)
            context.undo()
            let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
            #expect(change.objects(NSUpdatedObjectsKey) == [person])
        }
    }
}

/// Writes down why its values were replaced.
final class SnapshotWitness: NSManagedObject {
    var events: [NSSnapshotEventType] = []

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        events.append(flags)
        setValue(value(forKey: "text").map { "\($0)!" }, forKey: "shown")
    }

    static func model() -> NSManagedObjectModel {
        let model = Diary.model()
        model.entities[0].managedObjectClassName = NSStringFromClass(SnapshotWitness.self)
        return model
    }
}

@Suite struct SnapshotEventTests {
    @Test func eventsHaveApplesBits() {
        let all: [NSSnapshotEventType] = [
            .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
        ]
        #expect(all.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreToldOfUndoRollbackAndRefresh(kind: StoreKind) throws {
        try withUndo(kind, model: SnapshotWitness.model()) { context, manager in
            let witness = try #require(
                context.make("Diary", ["text": "a"]) as? SnapshotWitness
            )
            try context.save()
            manager.removeAllActions()
            func events() -> [NSSnapshotEventType] {
                defer { witness.events = [] }
                return witness.events
            }
            context.step { witness.setValue("b", forKey: "text") }
            context.undo()
            #expect(events() == [.undoUpdate] && witness.text("shown") == "a!")
            #expect(!context.hasChanges)
            context.redo()
            #expect(events() == [.undoUpdate] && witness.text("shown") == "b!")
            context.rollback()
            #expect(events() == [.rollback] && !context.hasChanges)
            context.refresh(witness, mergeChanges: true)
            #expect(events() == [.refresh] && !context.hasChanges)
            context.step { context.delete(witness) }
            context.undo()
            #expect(events() == [.undoDeletion])
            context.redo()
            #expect(events() == [.undoInsertion])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreToldOfMergesAndPolicies(kind: StoreKind) throws {
        try withStack(kind, model: SnapshotWitness.model()) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            let witness = try context.onQueue {
                let object = context.make("Diary", ["text": "a"])
                try context.save()
                return try #require(object as? SnapshotWitness)
            }
            var saved = try didSave(of: other) {
                try $0.only("Diary").setValue("b", forKey: "text")
            }
            context.onQueue {
                context.mergeChanges(fromContextDidSave: saved)
                #expect(witness.events == [.refresh] && witness.text("shown") == "b!")
                witness.events = []
                witness.setValue("c", forKey: "text")
            }
            saved = try didSave(of: other) { try $0.only("Diary").setValue("d", forKey: "text") }
            try context.onQueue {
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try context.save()
                #expect(witness.events == [.mergePolicy] && witness.text("text") == "c")
            }
        }
    }
}

final class MainUndoTests: XCTestCase {
    func testATurnOfMainIsOneStep() throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeMainContext()
        context.undoManager = UndoManager()
        let person = context.make("Person", ["name": "A"])
        func endEvent() {
            let ended = expectation(description: "end of event")
            DispatchQueue.main.async { ended.fulfill() }
            wait(for: [ended], timeout: 10)
        }
        endEvent()
        person.setValue("B", forKey: "name")
        person.setValue(3, forKey: "age")
        endEvent()
        person.setValue("C", forKey: "name")
        context.undo()
        XCTAssertEqual(person.text("name"), "B")
        context.undo()
        XCTAssertEqual(person.text("name"), "A")
        XCTAssertNil(person.integer("age"))
        context.undo()
        XCTAssertTrue(context.insertedObjects.isEmpty)
        withExtendedLifetime(stack) {}
    }
}
