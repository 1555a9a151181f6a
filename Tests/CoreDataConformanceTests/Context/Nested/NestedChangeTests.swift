import CoreData
import TestSupport
import Testing

@Suite struct NestedChangeTests {
    @Test(arguments: StoreKind.allCases)
    func refreshingReadsTheParentNotTheStore(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A", "age": 1])
            let child = family.child, parent = family.parent
            let person = try child.onQueue { try child.existingObject(with: id) }
            parent.performAndWait { parent.object(with: id).setValue(2, forKey: "age") }
            child.onQueue {
                #expect(person.integer("age") == 1)
                person.setValue("B", forKey: "name")
                child.refresh(person, mergeChanges: true)
                #expect(person.integer("age") == 2 && person.text("name") == "B")
                child.refresh(person, mergeChanges: false)
                #expect(person.isFault && !child.hasChanges)
                #expect(person.integer("age") == 2 && person.text("name") == "A")
            }
            parent.performAndWait { #expect(parent.object(with: id).isUpdated) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatAConflictFindsGoneLeavesThoseWhoReadItLater(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let owner = try family.saved("Department", ["name": "D"])
            let id = try family.saved("Person", ["name": "A"])
            let child = family.child, parent = family.parent
            child.onQueue { child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
            let person = try child.onQueue { () -> NSManagedObject in
                let person = try child.existingObject(with: id)
                #expect(person.one("department") == nil)
                person.setValue(93, forKey: "age")
                return person
            }
            parent.onQueue {
                parent.object(with: id).setValue(parent.object(with: owner), forKey: "department")
                parent.processPendingChanges()
            }
            try child.onQueue {
                let department = try child.existingObject(with: owner)
                #expect(department.set("people") == [person])
                parent.onQueue { parent.delete(parent.object(with: id)) }
                try child.save()
                #expect(department.set("people").isEmpty && !child.hasChanges)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func rollingBackAndResettingAChildLeaveTheParentAlone(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let child = family.child, parent = family.parent
            parent.performAndWait { parent.object(with: id).setValue("P", forKey: "name") }
            try child.onQueue {
                let person = try child.existingObject(with: id)
                child.delete(person)
                child.make("Tag")
                child.rollback()
                #expect(!child.hasChanges && person.text("name") == "P")
                child.delete(person)
                child.reset()
                #expect(!child.hasChanges && child.registeredObjects.isEmpty)
            }
            #expect(family.changeCounts(parent) == [0, 1, 0])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func deletesAndTheirRulesGoUpWithTheSave(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let department = try family.saved("Department", ["name": "D"])
            let child = family.child, parent = family.parent
            try parent.onQueue {
                parent.make("Person", ["name": "A", "department": parent.object(with: department)])
                try parent.save()
            }
            try child.onQueue {
                child.delete(try child.existingObject(with: department))
                child.processPendingChanges()
                #expect(child.deletedObjects.count == 2)
            }
            #expect(family.changeCounts(parent) == [0, 0, 0])
            try child.onQueue { try child.save() }
            #expect(family.changeCounts(parent) == [0, 0, 2])
            try parent.onQueue {
                try parent.save()
                let people = try parent.number("Person")
                #expect(people == 0)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatTheParentHasDeletedIsGoneInTheChild(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let child = family.child, parent = family.parent
            parent.performAndWait { parent.delete(parent.object(with: id)) }
            try child.onQueue {
                let people = try child.number("Person")
                let code = errorCode { _ = try child.existingObject(with: id) }
                #expect(people == 0 && code == NSManagedObjectReferentialIntegrityError)
            }
            parent.performAndWait { parent.rollback() }
            let name = try family.text("name", of: id, in: child)
            #expect(name == "A")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theLastSaveWinsPropertyByPropertyBetweenSiblings(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A", "age": 1])
            let first = family.child
            let second = Family.makeChild(of: family.parent, "second")
            for (context, change) in [(first, ("name", "B" as Any)), (second, ("age", 2))] {
                try context.onQueue {
                    try context.existingObject(with: id).setValue(change.1, forKey: change.0)
                }
            }
            for context in [first, second] { try context.onQueue { try context.save() } }
            family.parent.onQueue {
                let person = family.parent.object(with: id)
                #expect(person.text("name") == "B" && person.integer("age") == 2)
            }
        }
    }

    /// The store changed after the parent read it: the child's save, which goes to the parent only,
    /// succeeds, and the parent's is in conflict.
    @Test(arguments: StoreKind.allCases)
    func aConflictWithTheStoreAppearsWhereTheStoreIsWritten(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let child = family.child, parent = family.parent
            try child.onQueue {
                try child.existingObject(with: id).setValue("B", forKey: "name")
            }
            let held = try parent.onQueue { try parent.existingObject(with: id) }
            _ = try didSave(of: family.stack.makeContext()) {
                try $0.existingObject(with: id).setValue("Z", forKey: "name")
            }
            try child.onQueue {
                try child.save()
                #expect(!child.hasChanges)
            }
            try parent.onQueue {
                #expect(errorCode(parent.save) == NSManagedObjectMergeError)
                parent.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try parent.save()
                #expect(held.text("name") == "B")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aGrandchildsChangesMergeIntoWhoAsksForThem(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let sibling = Family.makeChild(of: family.child, "sibling")
            let seen = try sibling.onQueue {
                sibling.automaticallyMergesChangesFromParent = true
                return try sibling.existingObject(with: id)
            }
            try family.grandchild.onQueue {
                try family.grandchild.existingObject(with: id).setValue("B", forKey: "name")
                try family.grandchild.save()
            }
            sibling.onQueue { #expect(seen.text("name") == "B") }
            sibling.performAndWait { sibling.automaticallyMergesChangesFromParent = false }
            try family.grandchild.onQueue {
                try family.grandchild.existingObject(with: id).setValue("C", forKey: "name")
                try family.grandchild.save()
            }
            sibling.onQueue { #expect(seen.text("name") == "B") }
        }
    }
}
