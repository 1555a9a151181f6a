import CoreData
import TestSupport
import Testing

/// Changes of which only the object IDs are known: of batch requests and other processes.
@Suite struct RemoteMergeTests {
    private func merge(_ ids: [AnyHashable: Any], into context: NSManagedObjectContext) {
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: ids, into: [context])
    }

    @Test(arguments: StoreKind.allCases)
    func aMergeDuringASaveWaitsForItsEnd(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "a"])
                let tag = context.make("Tag", ["label": "old"])
                try context.save()
                try other.onQueue {
                    try other.only("Tag").setValue("new", forKey: "label")
                    try other.save()
                }
                person.setValue("b", forKey: "name")
                let id = tag.objectID
                nonisolated(unsafe) let read = tag
                let token = NotificationCenter.default.addObserver(
                    forName: .NSManagedObjectContextWillSave,
                    object: context,
                    queue: nil
                ) { notification in
                    guard let saving = notification.object as? NSManagedObjectContext else {
                        return
                    }
                    merge([NSUpdatedObjectsKey: [id]], into: saving)
                    #expect(read.text("label") == "old")
                }
                try context.save()
                NotificationCenter.default.removeObserver(token)
                #expect(tag.text("label") == "new" && person.text("name") == "b")
                #expect(!context.hasChanges)
            }
        }
    }

    /// Another coordinator's objects are nothing to a context.
    @Test(arguments: StoreKind.allCases)
    func objectsOfStoresThatAContextDoesNotHaveAreIgnored(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                try context.save()
                try withContext(kind) { foreign in
                    let ids = ["x", "y", "z"].map { foreign.make("Tag", ["label": $0]) }
                    try foreign.save()
                    merge(
                        [
                            NSInsertedObjectsKey: [ids[0].objectID],
                            NSUpdatedObjectsKey: [ids[1].objectID],
                            NSDeletedObjectsKey: [ids[2].objectID],
                        ],
                        into: context
                    )
                }
                #expect(context.registeredObjects == [tag] && !tag.isDeleted)
                #expect(!context.hasChanges && tag.text("label") == "a")
            }
        }
    }
}
