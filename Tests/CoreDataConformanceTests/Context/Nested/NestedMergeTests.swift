import CoreData
import TestSupport
import Testing

/// What reaches a context that follows its parent, and in which order.
@Suite struct NestedMergeTests {
    @Test(arguments: StoreKind.allCases)
    func aRowHasOneObjectWhileAContextAboveSaves(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let child = family.child, parent = family.parent
            try child.onQueue {
                let made = (0..<3).map { child.make("Person", ["name": "\($0)"]) }
                let department = child.make("Department", ["name": "D"])
                department.setValue(NSSet(array: made), forKey: "people")
                try child.save()
                // The fetch waits for this save, in the middle of which the keys become permanent.
                parent.perform { #expect(errorCode(parent.save) == nil) }
                let fetched = try child.all("Person", sortedBy: "name")
                #expect(fetched == made)
                #expect(child.registeredObjects.count == 4)
                #expect(department.set("people") == Set(made))
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relatedObjectsAreFoundWhileAContextAboveSaves(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let child = family.child, parent = family.parent
            try child.onQueue {
                let person = child.make("Person", ["name": "A"])
                let department = child.make("Department", ["name": "D"])
                department.setValue(NSSet(object: person), forKey: "people")
                try child.save()
                child.refresh(department, mergeChanges: false)
                parent.perform { #expect(errorCode(parent.save) == nil) }
                #expect(department.set("people") == [person])
            }
        }
    }

    /// A child has an object by the key that it had before a context above has saved it.
    @Test(arguments: StoreKind.allCases, [false, true])
    func aMergeReachesObjectsThatWereSavedAbove(kind: StoreKind, isAutomatic: Bool) throws {
        try withFamily(kind) { family throws in
            let child = family.child, parent = family.parent, other = family.stack.makeContext()
            child.automaticallyMergesChangesFromParent = isAutomatic
            let tag = try child.onQueue {
                let tag = child.make("Tag", ["label": "a"])
                try child.save()
                return tag
            }
            try parent.onQueue { try parent.save() }
            let saved = try didSave(of: other) { try $0.only("Tag").setValue("b", forKey: "label") }
            parent.onQueue { parent.mergeChanges(fromContextDidSave: saved) }
            child.onQueue {
                if !isAutomatic {
                    #expect(tag.text("label") == "a")
                    child.mergeChanges(fromContextDidSave: saved)
                }
                #expect(tag.text("label") == "b")
            }
        }
    }

    /// The older save is merged after the child has pushed its own value.
    @Test(arguments: StoreKind.allCases, [true, false])
    func anOlderSaveOfAnotherNeverReplacesWhatTheChildHasSavedItself(
        kind: StoreKind,
        parentSaves: Bool
    ) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A", "age": 1])
            let child = family.child, parent = family.parent
            let other = Family.makeChild(of: parent, "other")
            child.automaticallyMergesChangesFromParent = true
            let person = try child.onQueue {
                let person = try child.existingObject(with: id)
                try other.onQueue {
                    try other.existingObject(with: id).setValue(10, forKey: "age")
                    try other.save()
                }
                try parent.onQueue { try parent.save() }
                person.setValue(2, forKey: "age")
                try child.save()
                if parentSaves { try parent.onQueue { try parent.save() } }
                #expect(person.integer("age") == 2)
                return person
            }
            try child.onQueue {
                #expect(person.integer("age") == 2)
                person.setValue((person.integer("age") ?? 0) + 1, forKey: "age")
                try child.save()
            }
            try parent.onQueue { try parent.save() }
            let fresh = family.stack.makeContext()
            try fresh.onQueue {
                let age = try fresh.existingObject(with: id).integer("age")
                #expect(age == 3)
            }
        }
    }

    /// A save into the parent makes no version of the row, and yet is the later one.
    @Test(arguments: StoreKind.allCases)
    func aSiblingsSaveIsSeenAfterOneThatTheParentHasWritten(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A", "age": 1])
            let child = family.child, parent = family.parent
            let other = Family.makeChild(of: parent, "other")
            child.automaticallyMergesChangesFromParent = true
            let held = try other.onQueue { try other.existingObject(with: id) }
            let person = try child.onQueue { try child.existingObject(with: id) }
            try parent.onQueue {
                parent.object(with: id).setValue(10, forKey: "age")
                try parent.save()
            }
            child.onQueue { #expect(person.integer("age") == 10) }
            try other.onQueue {
                held.setValue("B", forKey: "name")
                try other.save()
            }
            child.onQueue {
                #expect(person.text("name") == "B" && person.integer("age") == 10)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatTheParentSavesItselfReachesTheListsOfItsChildren(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let parent = family.parent, child = family.child, grandchild = family.grandchild
            let ids = try ["a", "b"].map { try family.saved("Person", ["name": $0, "age": 1]) }
            let lists = try [child, grandchild].map { context in
                context.automaticallyMergesChangesFromParent = true
                return try FollowedPeople(context, sortedBy: "name")
            }
            func expect(_ names: [String]) {
                for (context, list) in zip([child, grandchild], lists) {
                    context.onQueue {
                        #expect(list.names == names, "\(context.name ?? "")")
                        #expect(list.mirroredNames == names, "\(context.name ?? "")")
                    }
                }
            }
            expect(["a", "b"])
            try parent.onQueue {
                parent.make("Person", ["name": "c", "age": 5])
                try parent.save()
            }
            expect(["a", "b", "c"])
            try parent.onQueue {
                parent.object(with: ids[0]).setValue("z", forKey: "name")
                try parent.save()
            }
            expect(["b", "c", "z"])
            try parent.onQueue {
                parent.delete(parent.object(with: ids[1]))
                try parent.save()
            }
            expect(["c", "z"])
            for context in [child, grandchild] {
                context.performAndWait { #expect(context.updatedObjects.isEmpty) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatTheParentMergesReachesItsChildrenToo(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "a"])
            let child = family.child, parent = family.parent
            parent.automaticallyMergesChangesFromParent = true
            child.automaticallyMergesChangesFromParent = true
            let list = try FollowedPeople(child, sortedBy: "name")
            _ = try didSave(of: family.stack.makeContext()) {
                try $0.existingObject(with: id).setValue("b", forKey: "name")
                $0.make("Person", ["name": "c"])
            }
            parent.performAndWait {}
            child.onQueue { #expect(list.names == ["b", "c"]) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aChangeOfWhatTheParentHasDeletedAndSavedIsAConflict(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let child = family.child, parent = family.parent
            let person = try child.onQueue { try child.existingObject(with: id) }
            try parent.onQueue {
                parent.delete(parent.object(with: id))
                try parent.save()
            }
            try child.onQueue {
                person.setValue("B", forKey: "name")
                let error = try #require(caughtError(child.save))
                #expect(error.code == NSManagedObjectMergeError)
                let list = error.userInfo["conflictList"] as? [NSMergeConflict]
                #expect(list?.map(\.sourceObject) == [person])
                #expect(list?.first?.newVersionNumber == 0)
                #expect(person.isUpdated)
                child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try child.save()
                #expect(person.managedObjectContext == nil)
                let number = try child.number("Person")
                #expect(number == 0)
            }
            #expect(family.changeCounts(parent) == [0, 0, 0])
        }
    }
}

/// People as a results controller lists them, and as what its delegate is told makes them.
final class FollowedPeople {
    let controller: NSFetchedResultsController<NSManagedObject>
    let mirror = ListMirror()

    init(
        _ context: NSManagedObjectContext,
        _ format: String? = nil,
        sortedBy key: String
    ) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        controller.delegate = mirror
        try context.onQueue {
            try controller.performFetch()
            mirror.start(controller)
        }
    }

    var names: [String] { (controller.fetchedObjects ?? []).map { $0.text("name") ?? "" } }
    var ages: [Int] { (controller.fetchedObjects ?? []).map { $0.integer("age") ?? 0 } }
    var mirroredNames: [String] {
        mirror.sections.flatMap(\.objects).map { $0.text("name") ?? "" }
    }
}
