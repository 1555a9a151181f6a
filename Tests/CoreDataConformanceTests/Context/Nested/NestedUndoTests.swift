import CoreData
import TestSupport
import Testing

@Suite struct NestedUndoTests {
    @Test(arguments: StoreKind.allCases)
    func undoInAChildNeverTouchesItsParent(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A", "age": 1])
            family.parent.onQueue {
                family.parent.object(with: id).setValue(9, forKey: "age")
            }
            let child = family.child
            try child.onQueue {
                child.undoManager = UndoManager()
                let person = try child.existingObject(with: id)
                child.step { person.setValue("B", forKey: "name") }
                child.step { child.make("Tag", ["label": "t"]) }
                child.step { child.delete(person) }
                for _ in 0..<3 { child.undo() }
                #expect(person.text("name") == "A" && person.integer("age") == 9)
                #expect(!child.hasChanges)
            }
            let name = try family.text("name", of: id, in: family.parent)
            #expect(name == "A")
            #expect(family.changeCounts(family.parent) == [0, 1, 0])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatWasSavedToTheParentIsUndoneInTheChildOnly(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let child = family.child
            try child.onQueue {
                child.undoManager = UndoManager()
                let person = try child.existingObject(with: id)
                child.step { person.setValue("B", forKey: "name") }
                try child.save()
                child.undo()
                #expect(person.text("name") == "A" && person.isUpdated)
            }
            var name = try family.text("name", of: id, in: family.parent)
            #expect(name == "B")
            try child.onQueue { try child.save() }
            name = try family.text("name", of: id, in: family.parent)
            #expect(name == "A")
            try child.onQueue {
                child.redo()
                try child.save()
            }
            name = try family.text("name", of: id, in: family.parent)
            #expect(name == "B")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anInsertionSavedToTheParentIsUndoneByADeletion(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let child = family.child, parent = family.parent
            try child.onQueue {
                child.undoManager = UndoManager()
                child.step { child.make("Tag", ["label": "t"]) }
                try child.save()
            }
            #expect(family.changeCounts(parent) == [1, 0, 0])
            try child.onQueue {
                child.undo()
                #expect(child.deletedObjects.count == 1)
                try child.save()
                let tags = try child.number("Tag")
                #expect(tags == 0)
            }
            try parent.onQueue {
                try parent.save()
                let tags = try parent.number("Tag")
                #expect(tags == 0)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatAChildSavesIsOneStepOfItsParentsUndo(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let child = family.child, parent = family.parent
            let manager = UndoManager()
            parent.onQueue { parent.undoManager = manager }
            try child.onQueue {
                try child.existingObject(with: id).setValue("B", forKey: "name")
                child.make("Tag", ["label": "t"])
                try child.save()
            }
            try parent.onQueue {
                #expect(manager.canUndo)
                parent.undo()
                let tags = try parent.number("Tag")
                #expect(parent.object(with: id).text("name") == "A" && tags == 0)
                #expect(!manager.canUndo && !parent.hasChanges)
            }
            let seen = try child.onQueue {
                child.refreshAllObjects()
                return try child.existingObject(with: id).text("name")
            }
            #expect(seen == "A")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func managersOfTwoLevelsAreIndependent(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A", "age": 1])
            let child = family.child, parent = family.parent
            parent.performAndWait {
                parent.undoManager = UndoManager()
                parent.step { parent.object(with: id).setValue(2, forKey: "age") }
            }
            try child.onQueue {
                child.undoManager = UndoManager()
                let person = try child.existingObject(with: id)
                child.step { person.setValue("B", forKey: "name") }
                child.undo()
                child.undo()
                #expect(person.text("name") == "A" && person.integer("age") == 2)
            }
            parent.performAndWait {
                parent.undo()
                #expect(parent.object(with: id).integer("age") == 1)
            }
            child.performAndWait {
                #expect(child.undoManager?.canRedo == true)
                child.redo()
                #expect(child.object(with: id).text("name") == "B")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func mergesAndRefreshesFromTheParentAreNeverUndone(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A", "age": 1])
            let child = family.child
            let sibling = Family.makeChild(of: family.parent, "sibling")
            let manager = UndoManager()
            let person = try child.onQueue {
                child.undoManager = manager
                child.retainsRegisteredObjects = true
                let person = try child.existingObject(with: id)
                child.step { person.setValue("B", forKey: "name") }
                return person
            }
            let saved = try didSave(of: sibling) { sibling in
                try sibling.existingObject(with: id).setValue(7, forKey: "age")
                sibling.make("Tag", ["label": "t"])
            }
            try child.onQueue {
                child.mergeChanges(fromContextDidSave: saved)
                child.refresh(person, mergeChanges: true)
                #expect(person.integer("age") == 7 && person.text("name") == "B")
                child.undo()
                child.undo()
                let tags = try child.number("Tag")
                #expect(person.integer("age") == 7 && person.text("name") == "A" && tags == 1)
                #expect(!manager.canUndo)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackEmptiesTheChildsStackAlone(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let child = family.child, parent = family.parent
            parent.performAndWait {
                parent.undoManager = UndoManager()
                parent.step { parent.object(with: id).setValue("P", forKey: "name") }
            }
            try child.onQueue {
                let manager = UndoManager()
                child.undoManager = manager
                let person = try child.existingObject(with: id)
                child.step { person.setValue("B", forKey: "name") }
                child.rollback()
                #expect(!manager.canUndo && !manager.canRedo)
                #expect(person.text("name") == "P")
            }
            parent.performAndWait {
                #expect(parent.undoManager?.canUndo == true)
                #expect(parent.object(with: id).isUpdated)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func levelsLimitTheStepsOfAChild(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A", "age": 0])
            let child = family.child
            try child.onQueue {
                let manager = UndoManager()
                manager.levelsOfUndo = 2
                child.undoManager = manager
                let person = try child.existingObject(with: id)
                for age in 1...4 { child.step { person.setValue(age, forKey: "age") } }
                for _ in 0..<4 { child.undo() }
                #expect(person.integer("age") == 2)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func undoInAGrandchildBeforeAndAfterSavesAllTheWayUp(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            let contexts = [family.grandchild, family.child, family.parent]
            func saveAll() throws {
                for context in contexts { try context.onQueue { try context.save() } }
            }
            let lowest = family.grandchild
            try lowest.onQueue {
                lowest.undoManager = UndoManager()
                let person = try lowest.existingObject(with: id)
                lowest.step { person.setValue("B", forKey: "name") }
                lowest.step { person.setValue("C", forKey: "name") }
                lowest.undo()
            }
            try saveAll()
            let outside = family.stack.makeContext()
            var name = try family.text("name", of: id, in: outside)
            #expect(name == "B")
            lowest.performAndWait { lowest.undo() }
            try saveAll()
            outside.performAndWait { outside.reset() }
            name = try family.text("name", of: id, in: outside)
            #expect(name == "A")
        }
    }
}
