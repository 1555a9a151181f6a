import TestSupport
import Testing

@testable import CoreData

/// What the consistency check finds in contexts that are damaged by hand.
@Suite(.enabled(if: ConsistencyCheck.isOn, "COREDATA_CONSISTENCY_CHECK=1 switches it on"))
struct ConsistencyCheckTests {
    private func make(
        _ entity: String,
        _ name: String,
        _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    /// Runs a body with a saved department, with two people in it whose relationships are loaded.
    private func withPeople(
        _ body: (NSManagedObjectContext, NSManagedObject, [NSManagedObject]) throws -> Void
    ) throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeContext("mine")
        try context.onQueue {
            let department = make("Department", "d", context)
            let people = ["a", "b"].map { make("Person", $0, context) }
            for person in people { person.setValue(department, forKey: "department") }
            try context.save()
            _ = department.value(forKey: "people")
            #expect(context.inconsistencies(isSettled: true) == [])
            try body(context, department, people)
        }
        withExtendedLifetime(stack) {}
    }

    private func expect(
        _ part: String,
        _ context: NSManagedObjectContext,
        isSettled: Bool = true
    ) {
        let found = context.inconsistencies(isSettled: isSettled).map(\.sentence)
        #expect(found.contains { $0.contains(part) }, "\(found)")
    }

    /// What one coordinator saves is foreign to the other, whichever way each has to the file.
    @Test func savesAreToldToStoresOfTheSameFileBehindALink() throws {
        let stack = try TestStack(.sqlite)
        let link = stack.url.deletingLastPathComponent().appendingPathComponent("Link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: stack.url)
        let other = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        let store = try other.addPersistentStore(type: .sqlite, at: link)
        let context = stack.makeContext()
        let key = try context.onQueue {
            let department = make("Department", "d", context)
            try context.save()
            return department.layout.ledgerKey(department.primaryKey)
        }
        #expect(store.ledger?.entry(key)?.content == .foreign)
        try other.remove(store)
    }

    @Test func aSecondObjectForARowIsFound() throws {
        try withPeople { context, department, people in
            let second = people[0].registry.makeFault(people[0].primaryKey, row: people[0].row)
            expect("which is not the registered object for its row", context)
            withExtendedLifetime(second) {}
        }
    }

    @Test func anObjectUnderAnotherKeyIsFound() throws {
        try withPeople { context, _, people in
            people[0].registry.identityMap.set(1_000, people[0])
            expect("Person/p1 is registered as p1000", context)
            people[0].registry.identityMap.remove(1_000, people[0])
        }
    }

    @Test func anOldRowIsFound() throws {
        try withPeople { context, _, people in
            let old = people[0].row
            people[0].setValue("c", forKey: "name")
            try context.save()
            people[0].row = old
            expect("shows text(\"a\") for name (version 1), but below it is text(\"c\")", context)
        }
    }

    @Test func aRowWhoseVersionGoesDownIsFound() throws {
        try withPeople { context, _, people in
            let old = people[0].row
            people[0].setValue("c", forKey: "name")
            try context.save()
            #expect(context.inconsistencies(isSettled: true) == [])
            people[0].row = old
            expect("shows version 1 of its row, but showed version 2 before", context)
        }
    }

    @Test func aToOneThatIsNotTheRowsIsFound() throws {
        try withPeople { context, department, people in
            let other = make("Department", "e", context)
            try context.save()
            _ = people[0].toOneObject(people[0].requiredSlot("department").index)
            people[0].overlay?.setBox(people[0].requiredSlot("department").index, other)
            expect("shows Department/p2 for department, but its row has p1", context)
        }
    }

    @Test func aMemberThatNamesAnotherOwnerIsFound() throws {
        try withPeople { context, department, people in
            let slot = people[0].requiredSlot("department").index
            people[0].change(slot) { people[0].ensureOverlay().setBox(slot, nil) }
            context.processPendingChanges()
            expect("has Person/p1 in people, whose department is nil", context)
        }
    }

    @Test func aDeletedNeighbourIsFound() throws {
        try withPeople { context, department, people in
            people[0].flags.insert([.deletePropagated])
            context.delete(people[0])
            context.processPendingChanges()
            expect("shows Person/p1 in people, which is deleted", context)
        }
    }

    @Test func aMissingRequiredValueIsFound() throws {
        try withPeople { context, _, people in
            people[0].setValue(nil, forKey: "name")
            let plan = try SavePlan(
                ChangeSet(updated: [people[0]]),
                context: context
            )
            let found = RequiredValueInvariant.check(plan).map(\.sentence)
            let sentence = "Person/p1 was saved with NULL for name, but the model requires a value"
            #expect(found == [sentence])
            context.rollback()
        }
    }

    @Test func aListThatIsOutOfOrderIsFound() throws {
        try withPeople { context, _, people in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request,
                managedObjectContext: context,
                sectionNameKeyPath: nil,
                cacheName: nil
            )
            let listener = Listener()
            controller.delegate = listener
            try controller.performFetch()
            #expect(context.inconsistencies(isSettled: true) == [])
            let slot = people[0].requiredSlot("name").index
            people[0].storeSlot(slot, .text("z"))
            expect("Person/p2 (name text(\"b\")) is listed behind Person/p1", context)
            withExtendedLifetime((controller, listener)) {}
        }
    }

    /// What others saved is not held against a context that has not merged it.
    @Test func aContextThatHasNotMergedIsNotJudged() throws {
        let stack = try TestStack(.sqlite)
        let mine = stack.makeContext("mine"), theirs = stack.makeContext("theirs")
        let person = try mine.onQueue {
            let person = make("Person", "a", mine)
            try mine.save()
            return person
        }
        let id = person.objectID
        try theirs.onQueue {
            theirs.object(with: id).setValue("b", forKey: "name")
            try theirs.save()
        }
        mine.onQueue {
            #expect(mine.inconsistencies(isSettled: false) == [])
            expect("shows text(\"a\") for name (version 1), but below it is text(\"b\")", mine)
            mine.refresh(person, mergeChanges: true)
            #expect(mine.inconsistencies(isSettled: true) == [])
        }
        withExtendedLifetime(stack) {}
    }

    /// A look changes nothing: no fault is fired, nothing is registered.
    @Test func lookingHasNoEffects() throws {
        let stack = try TestStack(.sqlite)
        let writer = stack.makeContext("writer"), reader = stack.makeContext("reader")
        try writer.onQueue {
            let department = make("Department", "d", writer)
            make("Person", "a", writer).setValue(department, forKey: "department")
            try writer.save()
        }
        try reader.onQueue {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            let people = try reader.fetch(request)
            let before = people.map(\.flags.rawValue)
            #expect(reader.inconsistencies(isSettled: true) == [])
            #expect(people.allSatisfy { $0.isFault && $0.overlay == nil })
            #expect(people.map(\.flags.rawValue) == before)
            #expect(reader.registeredObjects.count == 1)
            withExtendedLifetime(people) {}
        }
        withExtendedLifetime(stack) {}
    }
}

private final class Listener: NSObject, NSFetchedResultsControllerDelegate {}
