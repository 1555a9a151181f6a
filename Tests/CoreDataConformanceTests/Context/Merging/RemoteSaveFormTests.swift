import CoreData
import TestSupport
import Testing

/// What `mergeChanges(fromRemoteContextSave:into:)` takes for the objects that have changed.
@Suite(.enabled(if: SQLiteShell.isThere, "needs sqlite3")) struct RemoteSaveFormTests {
    /// A kind of collection that a program may have the IDs in.
    struct Form: Sendable, CustomStringConvertible {
        let description: String
        let make: @Sendable (NSManagedObjectID) -> Any
    }
    private static let forms = [
        Form(description: "NSSet") { NSSet(array: [$0, "no ID"]) },
        Form(description: "NSSet of URIs") { NSSet(object: $0.uriRepresentation()) },
        Form(description: "Set of hashables") { Set<AnyHashable>([$0, "no ID"]) },
        Form(description: "Set of IDs") { Set([$0]) },
        Form(description: "Array") { [$0, "no ID"] as [Any] },
        Form(description: "NSArray") { NSArray(object: $0) },
    ]

    @available(*, deprecated)
    @Test func aConfinementContextMergesOnTheThreadThatCalls() throws {
        try withStack(.sqlite) { stack throws in
            let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
            context.persistentStoreCoordinator = stack.coordinator
            let tag = context.make("Tag", ["label": "old"])
            try context.save()
            _ = try SQLiteShell.run(
                stack.url,
                "UPDATE ZTAG SET ZLABEL = 'new', Z_OPT = Z_OPT + 1"
            )
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: [tag.objectID]],
                into: [context]
            )
            #expect(tag.text("label") == "new")
        }
    }

    @Test(arguments: forms)
    func idsComeInAnyCollection(form: Form) throws {
        try withStack(.sqlite) { stack throws in
            let context = stack.makeContext()
            let tag = try context.onQueue {
                let tag = context.make("Tag", ["label": "old"])
                try context.save()
                return tag
            }
            _ = try SQLiteShell.run(
                stack.url,
                "UPDATE ZTAG SET ZLABEL = 'new', Z_OPT = Z_OPT + 1"
            )
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: form.make(tag.objectID)],
                into: [context]
            )
            context.onQueue { #expect(tag.text("label") == "new") }
        }
    }

    @Test func idsOfOtherStoresAndOfNoneArePassedOver() throws {
        try withStack(.sqlite) { stack throws in
            let other = try TestStack(.sqlite)
            let theirs = other.makeContext(), context = stack.makeContext()
            let (foreign, temporary) = try theirs.onQueue {
                let tag = theirs.make("Tag", ["label": "theirs"])
                try theirs.save()
                return (tag.objectID, theirs.make("Tag").objectID)
            }
            let tag = try context.onQueue {
                let tag = context.make("Tag", ["label": "mine"])
                try context.save()
                return tag
            }
            for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: [key: [foreign, temporary]],
                    into: [context]
                )
            }
            try context.onQueue {
                #expect(tag.text("label") == "mine" && !context.hasChanges)
                let tags = try context.all("Tag")
                #expect(tags == [tag])
            }
            withExtendedLifetime(other) {}
        }
    }

    /// A program may pass on a notification with sets of its own.
    @Test func aNotificationMayBringItsObjectsInAnySet() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext(), writer = stack.makeContext()
            let tag = try context.onQueue {
                let tag = context.make("Tag", ["label": "old"])
                try context.save()
                return tag
            }
            let note = try didSave(of: writer) { writer in
                writer.object(with: tag.objectID).setValue("new", forKey: "label")
            }
            var info = note.userInfo ?? [:]
            let updated = writer.onQueue { NSSet(array: Array(note.objects(NSUpdatedObjectsKey))) }
            #expect(updated.count == 1)
            info[NSUpdatedObjectsKey] = updated
            let passedOn = Notification(name: note.name, object: note.object, userInfo: info)
            context.onQueue {
                context.mergeChanges(fromContextDidSave: passedOn)
                #expect(tag.text("label") == "new")
            }
        }
    }
}
