import CoreData
import TestSupport
import Testing

/// Deletions that are undone after a merge has come upon them.
@Suite struct UnmergedUndoTests {
    @Test(arguments: StoreKind.large)
    func anUndoneDeletionIsShownByWhomOthersHaveRelatedItTo(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.undoManager = UndoManager()
            #expect(department.set("people").isEmpty)
            context.step { context.delete(person) }
            context.mergeChanges(fromContextDidSave: try employ(other))
            context.undo()
            #expect(!person.isDeleted && person.one("department") === department)
            #expect(department.set("people") == [person] && !context.hasChanges)
            context.redo()
            #expect(person.isDeleted && department.set("people").isEmpty)
            try context.save()
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.large)
    func anUndoneDeletionBringsBackWhatItsRuleHasDeletedSince(kind: StoreKind) throws {
        try withTwo(kind, rule: .cascadeDeleteRule) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.undoManager = UndoManager()
            context.step { context.delete(department) }
            context.mergeChanges(fromContextDidSave: try employ(other))
            #expect(person.isDeleted)
            context.undo()
            #expect(!department.isDeleted && !person.isDeleted)
            #expect(person.one("department") === department && !context.hasChanges)
            #expect(department.set("people") == [person])
            context.redo()
            #expect(department.isDeleted && person.isDeleted)
            try context.save()
            #expect(try other.onQueue { try other.number("Person") } == 0)
        }
    }
}
