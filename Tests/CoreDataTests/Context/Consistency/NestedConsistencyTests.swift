import TestSupport
import Testing

@testable import CoreData

/// The consistency check in contexts beneath others, which are judged by what their parents show.
@Suite(.enabled(if: ConsistencyCheck.isOn, "COREDATA_CONSISTENCY_CHECK=1 switches it on"))
struct NestedConsistencyTests {
    /// A parent that has saved a person of a department, and a child that shows both.
    private struct Scene {
        let parent: NSManagedObjectContext
        let child: NSManagedObjectContext
        let person: NSManagedObject
        let department: NSManagedObject
        /// The parent's object.
        let original: NSManagedObject

        func found(isSettled: Bool = true) -> [String] {
            child.inconsistencies(isSettled: isSettled).map(\.sentence)
        }

        /// What is found of neighbours that are no longer in the context.
        func strays(isSettled: Bool = true) -> [String] {
            found(isSettled: isSettled).filter { $0.contains("which has left the context") }
        }
    }

    private func run(_ context: NSManagedObjectContext, _ body: () throws -> Void) throws {
        if context.queue == nil { return try body() }
        try context.onQueue { () throws in try body() }
    }

    private func withScene(isConfined: Bool = false, _ body: (Scene) throws -> Void) throws {
        let stack = try TestStack(.sqlite)
        // By its number: the name of the confinement type is deprecated.
        let type = try #require(
            NSManagedObjectContextConcurrencyType(rawValue: isConfined ? 0 : 1)
        )
        let parent = NSManagedObjectContext(concurrencyType: type)
        parent.persistentStoreCoordinator = stack.coordinator
        let child = NSManagedObjectContext(concurrencyType: type)
        child.parent = parent
        func insert(_ entity: String) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: parent)
            object.setValue("a", forKey: "name")
            return object
        }
        var original: NSManagedObject?
        try run(parent) {
            original = insert("Person")
            original?.setValue(insert("Department"), forKey: "department")
            try parent.save()
        }
        let known = try #require(original)
        try run(child) {
            let person = child.object(with: known.objectID)
            let department = try #require(person.value(forKey: "department") as? NSManagedObject)
            #expect(person.value(forKey: "name") as? String == "a")
            #expect(department.value(forKey: "people") as? Set<NSManagedObject> == [person])
            let scene = Scene(
                parent: parent,
                child: child,
                person: person,
                department: department,
                original: known
            )
            #expect(scene.found() == [])
            child.consistency?.onFinding = { _ in }
            try body(scene)
            child.reset()
        }
        withExtendedLifetime(stack) {}
    }

    @Test(arguments: [false, true])
    func whatAParentHasChangedIsNotHeldAgainstItsChild(isConfined: Bool) throws {
        try withScene(isConfined: isConfined) { scene in
            try run(scene.parent) { scene.original.setValue("b", forKey: "name") }
            #expect(scene.found() == [])
            try run(scene.parent) {
                scene.parent.delete(scene.original)
                scene.parent.processPendingChanges()
            }
            #expect(scene.found() == [])
        }
    }

    @Test(arguments: [false, true])
    func aChildThatIsBehindItsParentIsFound(isConfined: Bool) throws {
        try withScene(isConfined: isConfined) { scene in
            try run(scene.parent) {
                scene.original.setValue("b", forKey: "name")
                try scene.parent.save()
            }
            let found = scene.found()
            #expect(found.contains { $0.contains("but below it is text(\"b\")") }, "\(found)")
            scene.child.refresh(scene.person, mergeChanges: true)
            #expect(scene.found() == [])
        }
    }

    @Test func neighboursAreJudgedWhereTheParentHasNoChangesOfItsOwn() throws {
        try withScene { scene in
            scene.department.flags.insert(.detached)
            #expect(scene.strays(isSettled: false) == [], "The parent may have heard of more.")
            #expect(scene.strays().count == 1)
            try run(scene.parent) { scene.original.setValue("b", forKey: "name") }
            #expect(scene.strays() == [])
            scene.department.flags.remove(.detached)
        }
    }

    /// A fetch through the parent finds what is in the store, and the parent shows what it has read.
    @Test func versionsMayGoDownInAChildThatMergesNothing() throws {
        try withScene { scene in
            let old = scene.person.row
            try run(scene.parent) {
                scene.original.setValue("b", forKey: "name")
                try scene.parent.save()
            }
            scene.child.refresh(scene.person, mergeChanges: true)
            _ = scene.person.value(forKey: "name")
            #expect(scene.found() == [])
            scene.person.row = old
            #expect(!scene.found().contains { $0.contains("but showed version") })
            scene.child.refresh(scene.person, mergeChanges: true)
            #expect(scene.found() == [])
            scene.child.automaticallyMergesChangesFromParent = true
            scene.person.row = old
            #expect(scene.found().contains { $0.contains("but showed version") })
        }
    }
}
