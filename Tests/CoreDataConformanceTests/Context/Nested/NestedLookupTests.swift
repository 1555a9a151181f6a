import CoreData
import TestSupport
import Testing

@Suite struct NestedLookupTests {
    @Test(arguments: StoreKind.allCases)
    func anIDOfOneLevelIsAnIDOfAll(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "A"])
            for context in [family.parent, family.child, family.grandchild] {
                try context.onQueue {
                    let object = context.object(with: id)
                    #expect(object.managedObjectContext === context && object.objectID == id)
                    #expect(object.text("name") == "A")
                    let same = try context.existingObject(with: id)
                    #expect(same === object && context.registeredObject(for: id) === object)
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aTemporaryIDLeadsToTheObjectBelow(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = family.parent.onQueue {
                family.parent.make("Person", ["name": "A"]).objectID
            }
            #expect(id.isTemporaryID)
            let lowest = family.grandchild
            try lowest.onQueue {
                #expect(lowest.registeredObject(for: id) == nil)
                let person = try lowest.existingObject(with: id)
                #expect(person.text("name") == "A" && !person.isInserted)
                #expect(lowest.registeredObject(for: id) === person)
                person.setValue("B", forKey: "name")
                try lowest.save()
            }
            let name = try family.text("name", of: id, in: family.child)
            #expect(name == "B")
            #expect(family.changeCounts(family.parent) == [1, 0, 0])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatAChildHasNotSavedIsUnknownAbove(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = family.child.onQueue {
                family.child.make("Person", ["name": "A"]).objectID
            }
            family.parent.onQueue {
                #expect(family.parent.registeredObject(for: id) == nil)
                let code = errorCode { _ = try family.parent.existingObject(with: id) }
                #expect(code == NSManagedObjectReferentialIntegrityError)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func permanentIDsComeFromTheStoreAtAnyLevel(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let lowest = family.grandchild
            let id = try lowest.onQueue {
                let person = lowest.make("Person", ["name": "A"])
                let former = person.objectID
                try lowest.obtainPermanentIDs(for: [person])
                let id = person.objectID
                #expect(!id.isTemporaryID && person.isInserted && id != former)
                #expect(lowest.registeredObject(for: id) === person)
                try lowest.obtainPermanentIDs(for: [person])
                #expect(person.objectID == id)
                return id
            }
            #expect(id.persistentStore === family.stack.coordinator.persistentStores.first)
            for context in [lowest, family.child, family.parent] {
                try context.onQueue {
                    try context.save()
                    #expect(context.registeredObject(for: id)?.isInserted != true)
                }
            }
            let outside = family.stack.makeContext()
            let name = try family.text("name", of: id, in: outside)
            #expect(name == "A")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func fetchesOfEachLevelSeeTheirOwnObjects(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            try family.parent.onQueue {
                family.parent.make("Tag", ["label": "1"])
                try family.parent.save()
                family.parent.make("Tag", ["label": "2"])
            }
            family.child.onQueue { _ = family.child.make("Tag", ["label": "3"]) }
            family.grandchild.onQueue { _ = family.grandchild.make("Tag", ["label": "4"]) }
            let contexts = [family.parent, family.child, family.grandchild]
            for (index, context) in contexts.enumerated() {
                try context.onQueue {
                    let tags = try context.all("Tag", sortedBy: "label")
                    let labels = ["1", "2", "3", "4"].prefix(index + 2)
                    #expect(tags.compactMap { $0.text("label") } == Array(labels))
                    #expect(tags.allSatisfy { $0.managedObjectContext === context })
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func requestsForIDsCountsAndObjectsAgreeInAChild(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Tag", ["label": "1"])
            try family.child.onQueue {
                let child = family.child
                child.object(with: id).setValue("x", forKey: "label")
                let made = child.make("Tag", ["label": "y"])
                let request = NSFetchRequest<NSManagedObjectID>(entityName: "Tag")
                request.resultType = .managedObjectIDResultType
                request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
                let ids = try child.fetch(request)
                #expect(ids == [id, made.objectID])
                request.predicate = NSPredicate(format: "label == '1'")
                let count = try child.count(for: request)
                #expect(count == 0)
            }
        }
    }
}
