import CoreData
import TestSupport
import Testing

/// Unsaved relationships to objects whose rows others have deleted.
@Suite struct GoneNeighbourTests {
    /// Nothing but the new object says whom it belongs to.
    @Test(arguments: StoreKind.allCases)
    func aNewObjectLetsGoOfWhatABatchHasDeleted(kind: StoreKind) throws {
        let model = SampleModel.make()
        let owner = NSRelationshipDescription()
        owner.name = "owner"
        owner.destinationEntity = model.entitiesByName["Person"]
        owner.maxCount = 1
        owner.isOptional = true
        model.entitiesByName["Song"]?.properties.append(owner)
        try withStack(kind, model: model) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "p"])
                try context.save()
                let song = context.make("Song", ["title": "s", "owner": person])
                #expect(song.one("owner") === person)
                try other.onQueue {
                    other.delete(try other.only("Person"))
                    try other.save()
                }
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: [NSDeletedObjectsKey: [person.objectID]],
                    into: [context]
                )
                #expect(person.isDeleted && song.one("owner") == nil)
                try context.save()
                context.reset()
                #expect(try context.only("Song").one("owner") == nil)
            }
        }
    }

    /// The department's people were never read: that the person is one of them is no change of
    /// what is stored.
    @Test(arguments: StoreKind.allCases)
    func aMemberThatWasGivenBackLetsGoOfItsOwner(kind: StoreKind) throws {
        let model = SampleModel.make()
        model.entitiesByName["Department"]?.relationshipsByName["people"]?.deleteRule =
            .nullifyDeleteRule
        try withStack(kind, model: model) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let department = context.make("Department", ["name": "D"])
                let person = context.make("Person", ["name": "p", "department": department])
                try context.save()
                context.refreshAllObjects()
                person.setValue(nil, forKey: "department")
                person.setValue(department, forKey: "department")
                let saved = try didSave(of: other) { $0.delete(try $0.only("Department")) }
                context.mergeChanges(fromContextDidSave: saved)
                #expect(department.isDeleted && person.one("department") == nil)
                try context.save()
                context.reset()
                #expect(try context.only("Person").one("department") == nil)
            }
        }
    }
}
