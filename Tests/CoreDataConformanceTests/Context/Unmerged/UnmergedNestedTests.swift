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
}
