import CoreData
import TestSupport
import Testing

/// Contexts below others that have changed what they have read.
@Suite struct UnmergedNestedTests {
    @Test(arguments: StoreKind.large)
    func aChildTakesWhatItDeletesFromWhatItsParentHasGivenItTo(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let parent = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try parent.onQueue {
                parent.make("Tag", ["label": "t"])
                parent.make("Person", ["name": "p"])
                try parent.save()
            }
            let people = try child.onQueue { () -> [NSManagedObject] in
                let people = try child.all("Person")
                #expect(people[0].set("tags").isEmpty)
                return people
            }
            try parent.onQueue {
                try parent.only("Person").mutableSetValue(forKey: "tags")
                    .add(try parent.only("Tag"))
                parent.processPendingChanges()
            }
            try child.onQueue {
                let tag = try child.only("Tag")
                #expect(tag.set("people") == Set(people))
                child.delete(people[0])
                child.processPendingChanges()
                #expect(tag.set("people").isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.large)
    func aListTakesInWhatItsContextHasFetchedAheadOfTheMerge(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let root = stack.makeContext(), other = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = root
            let list = try FollowedPeople(child, sortedBy: "name")
            let saved = try didSave(of: other) { $0.make("Person", ["name": "p"]) }
            try child.onQueue {
                let fetched = try child.only("Person")
                #expect(fetched.text("name") == "p" && list.names.isEmpty)
                root.onQueue { root.mergeChanges(fromContextDidSave: saved) }
                child.mergeChanges(fromContextDidSave: saved)
                #expect(list.names == ["p"] && list.mirroredNames == ["p"])
            }
        }
    }
    @Test(arguments: StoreKind.large)
    func aChildTakesWhatItDeletesFromWhatItsParentHasTakenBack(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let parent = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try parent.onQueue {
                parent.make("Department", ["name": "D"])
                parent.make("Person", ["name": "p"])
                try parent.save()
            }
            try child.onQueue {
                let department = try child.only("Department"), person = try child.only("Person")
                person.setValue(department, forKey: "department")
                try child.save()
                #expect(department.set("people") == [person])
                parent.onQueue { parent.rollback() }
                child.delete(department)
                child.processPendingChanges()
                #expect(person.one("department") == nil)
                try child.save()
                #expect(person.one("department") == nil)
            }
        }
    }

    @Test(arguments: StoreKind.large)
    func aRefreshBringsBackWhatAParentHasDeletedAndTakenBack(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let parent = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try parent.onQueue {
                parent.make("Person", ["name": "p"])
                try parent.save()
            }
            try child.onQueue {
                let person = try child.only("Person")
                #expect(person.text("name") == "p")
                try parent.onQueue { parent.delete(try parent.only("Person")) }
                child.refresh(person, mergeChanges: true)
                #expect(person.isDeleted)
                parent.onQueue { parent.rollback() }
                child.refreshAllObjects()
                #expect(!person.isDeleted && person.text("name") == "p" && !child.hasChanges)
                #expect(try child.only("Person") === person)
            }
        }
    }
}
