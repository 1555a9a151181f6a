import CoreData
import TestSupport
import Testing

@Suite struct NotificationTests {
    @Test(arguments: StoreKind.allCases)
    func aSavePostsInOrder(kind: StoreKind) throws {
        try withContext(kind) { context in
            let updated = context.make("Tag", ["label": "u"])
            let deleted = context.make("Tag", ["label": "d"])
            try context.save()
            let deletedID = deleted.objectID
            let log = NotificationLog(context)
            let inserted = context.make("Tag", ["label": "i"])
            updated.setValue("v", forKey: "label")
            context.delete(deleted)
            #expect(log.names.isEmpty)
            try context.save()
            log.stop()
            #expect(log.names.first == "didChange")
            #expect(
                log.names.filter { $0 != "didChange" } == ["willSave", "didSave", "didSaveIDs"]
            )
            let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
            let save = try #require(log.last(.NSManagedObjectContextDidSave))
            for notification in [change, save] {
                #expect(notification.object as? NSManagedObjectContext === context)
                #expect(notification.objects(NSInsertedObjectsKey) == [inserted])
                #expect(notification.objects(NSUpdatedObjectsKey) == [updated])
                #expect(notification.objects(NSDeletedObjectsKey) == [deleted])
            }
            let ids = try #require(log.last(.NSManagedObjectContextDidSaveObjectIDs))
            #expect(ids.ids(NSInsertedObjectIDsKey) == [inserted.objectID])
            #expect(ids.ids(NSUpdatedObjectIDsKey) == [updated.objectID])
            #expect(ids.ids(NSDeletedObjectIDsKey) == [deletedID])
            #expect(log.last(.NSManagedObjectContextWillSave)?.userInfo == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveWithoutChangesPostsEmptySets(kind: StoreKind) throws {
        try withContext(kind) { context in
            let log = NotificationLog(context)
            try context.save()
            log.stop()
            #expect(log.names == ["willSave", "didSave", "didSaveIDs"])
            let save = try #require(log.last(.NSManagedObjectContextDidSave))
            for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                #expect((save.userInfo?[key] as? Set<NSManagedObject>)?.isEmpty == true)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatAnObserverOfWillSaveInsertsIsSavedThoughNothingElseHasChanged(
        kind: StoreKind
    ) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let token = NotificationCenter.default.addObserver(
                    forName: .NSManagedObjectContextWillSave,
                    object: context,
                    queue: nil
                ) { _ in context.make("Tag", ["label": "late"]) }
                defer { NotificationCenter.default.removeObserver(token) }
                try context.save()
                #expect(!context.hasChanges)
            }
            let other = stack.makeContext()
            try other.onQueue {
                let tag = try other.only("Tag")
                #expect(tag.text("label") == "late")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfOneEventArePostedTogether(kind: StoreKind) throws {
        try withContext(kind) { context in
            let log = NotificationLog(context)
            let tags = (0..<3).map { context.make("Tag", ["label": "\($0)"]) }
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(log.names == ["didChange"])
            #expect(log.notifications[0].objects(NSInsertedObjectsKey) == Set(tags))
            #expect(log.notifications[0].objects(NSUpdatedObjectsKey).isEmpty)
            log.clear()
            tags[0].setValue("x", forKey: "label")
            tags[0].setValue("y", forKey: "label")
            #expect(tags[0].changedValuesForCurrentEvent()["label"] as? String == "0")
            context.processPendingChanges()
            #expect(log.notifications[0].objects(NSUpdatedObjectsKey) == [tags[0]])
            #expect(tags[0].changedValuesForCurrentEvent().isEmpty)
            log.stop()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObserverMaySave(kind: StoreKind) throws {
        try withContext(kind) { context in
            nonisolated(unsafe) let department = context.make("Department", ["name": "D"])
            context.make("Person", ["name": "p", "department": department])
            try context.save()
            nonisolated(unsafe) var code: Int??
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange,
                object: context,
                queue: nil
            ) { notification in
                guard code == nil else { return }
                code = .some(nil)
                (notification.object as? NSManagedObjectContext).map { context in
                    context.delete(department)
                    code = .some(errorCode(context.save))
                }
            }
            context.make("Tag")
            context.processPendingChanges()
            NotificationCenter.default.removeObserver(token)
            #expect(code == .some(nil))
            #expect(!context.hasChanges)
            #expect(try context.number("Person") == 0)
        }
    }
}

@Suite struct MergeTests {
    /// A context that has read the one person, and another one whose saves it may merge.
    private func withTwo(
        _ kind: StoreKind,
        _ body: (
            _ context: NSManagedObjectContext, _ person: NSManagedObject,
            _ other: NSManagedObjectContext
        ) throws -> Void
    ) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "old", "age": 1])
                try context.save()
                try body(context, person, other)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func updatedObjectsAreRefreshed(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            let saved = try didSave(of: other) {
                try $0.only("Person").setValue("new", forKey: "name")
            }
            #expect(person.text("name") == "old")
            let log = NotificationLog(context)
            context.mergeChanges(fromContextDidSave: saved)
            log.stop()
            #expect(person.text("name") == "new")
            #expect(!context.hasChanges)
            #expect(
                log.last(.NSManagedObjectContextObjectsDidChange)?.objects(NSRefreshedObjectsKey)
                    == [person]
            )
            #expect(
                log.last(.NSManagedObjectContextDidMergeChangesObjectIDs)?
                    .ids(NSRefreshedObjectIDsKey) == [person.objectID]
            )
            person.setValue("mine", forKey: "name")
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func updatedFaultsStayFaultsAndShowTheNewValues(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            context.refresh(person, mergeChanges: false)
            let saved = try didSave(of: other) {
                try $0.only("Person").setValue("new", forKey: "name")
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.isFault)
            #expect(person.text("name") == "new")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func localChangesStayOnTop(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            person.setValue("mine", forKey: "name")
            let saved = try didSave(of: other) {
                let person = try $0.only("Person")
                person.setValue("new", forKey: "name")
                person.setValue(2, forKey: "age")
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.text("name") == "mine" && person.integer("age") == 2)
            #expect(person.isUpdated)
            try context.save()
            context.refresh(person, mergeChanges: false)
            #expect(person.text("name") == "mine" && person.integer("age") == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func insertedObjectsBecomeKnown(kind: StoreKind) throws {
        try withTwo(kind) { context, _, other in
            let saved = try didSave(of: other) { $0.make("Tag", ["label": "t"]) }
            let log = NotificationLog(context)
            context.mergeChanges(fromContextDidSave: saved)
            log.stop()
            let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
            let tag = try #require(change.objects(NSInsertedObjectsKey).first)
            #expect(tag.managedObjectContext === context && tag.isFault)
            #expect(tag.text("label") == "t")
            #expect(context.insertedObjects.isEmpty && !context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMergedDeleteIsPendingUntilTheNextSaveWhichWritesNothing(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            let saved = try didSave(of: other) { $0.delete(try $0.only("Person")) }
            let log = NotificationLog(context)
            context.mergeChanges(fromContextDidSave: saved)
            #expect(
                log.last(.NSManagedObjectContextObjectsDidChange)?.objects(NSDeletedObjectsKey)
                    == [person]
            )
            #expect(person.isDeleted && person.text("name") == "old")
            #expect(context.deletedObjects.count == 1)
            log.clear()
            try context.save()
            log.stop()
            let notification = try #require(log.last(.NSManagedObjectContextDidSave))
            #expect(notification.objects(NSDeletedObjectsKey).isEmpty)
            #expect(notification.objects(NSUpdatedObjectsKey).isEmpty)
            #expect(notification.objects(NSInsertedObjectsKey).isEmpty)
            #expect(context.deletedObjects.isEmpty && !context.hasChanges)
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMergedDeleteOfAChangedObjectWins(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            person.setValue("mine", forKey: "name")
            let saved = try didSave(of: other) { $0.delete(try $0.only("Person")) }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.isDeleted && context.updatedObjects.isEmpty)
            try context.save()
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsFollowMerges(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            let department = context.make("Department", ["name": "D"])
            person.setValue(department, forKey: "department")
            let tag = context.make("Tag", ["label": "t"])
            try context.save()
            #expect(department.set("people") == [person] && tag.set("people").isEmpty)
            var saved = try didSave(of: other) {
                let new = $0.make("Person", ["name": "new"])
                new.setValue(try $0.only("Department"), forKey: "department")
                try $0.all("Person", sortedBy: "name").last?
                    .setValue(NSSet(object: try $0.only("Tag")), forKey: "tags")
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(department.set("people").count == 2)
            #expect(tag.set("people").count == 1)
            #expect(tag.set("people").first?.set("tags") == [tag])
            saved = try didSave(of: other) {
                for person in try $0.all("Person") { $0.delete(person) }
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(department.set("people").isEmpty)
            #expect(tag.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anEarlierSaveNeverReplacesALaterOne(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            let first = try didSave(of: other) { try $0.only("Person").setValue(2, forKey: "age") }
            let second = try didSave(of: other) { try $0.only("Person").setValue(3, forKey: "age") }
            context.mergeChanges(fromContextDidSave: second)
            #expect(person.integer("age") == 3)
            context.mergeChanges(fromContextDidSave: first)
            #expect(person.integer("age") == 3)
            person.setValue("mine", forKey: "name")
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func anEarlierSaveNeverReplacesALaterOneInFaults(kind: StoreKind, retains: Bool) throws {
        try withTwo(kind) { context, person, other in
            context.retainsRegisteredObjects = retains
            let id = person.objectID
            let first = try didSave(of: other) { try $0.only("Person").setValue(2, forKey: "age") }
            _ = try didSave(of: other) { try $0.only("Person").setValue(3, forKey: "age") }
            context.refresh(person, mergeChanges: false)
            other.performAndWait { other.reset() }
            context.mergeChanges(fromContextDidSave: first)
            #expect(person.integer("age") == 3)
            let inserted = try didSave(of: other) { $0.make("Tag", ["label": "1"]) }
            _ = try didSave(of: other) { try $0.only("Tag").setValue("2", forKey: "label") }
            other.performAndWait { other.reset() }
            let log = NotificationLog(context)
            context.mergeChanges(fromContextDidSave: inserted)
            log.stop()
            let tag = log.last(.NSManagedObjectContextObjectsDidChange)?
                .objects(NSInsertedObjectsKey).first
            #expect(tag?.text("label") == "2")
            #expect(context.object(with: id) === person)
        }
    }

    /// Its row was not read, and what it is related to was.
    @Test(arguments: StoreKind.allCases)
    func aFaultReadsItsRelationshipsAgain(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            let added = try didSave(of: other) { $0.make("Tag", ["label": "t"]) }
            context.mergeChanges(fromContextDidSave: added)
            let tag = try context.only("Tag")
            context.refresh(tag, mergeChanges: false)
            let people = tag.mutableSetValue(forKey: "people")
            #expect(people.count == 0)
            let saved = try didSave(of: other) {
                let theirs = try $0.only("Tag")
                theirs.setValue("u", forKey: "label")
                theirs.setValue(Set([try $0.only("Person")]), forKey: "people")
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(tag.mutableSetValue(forKey: "people").contains(person))
            #expect(tag.text("label") == "u")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anInsertAnnouncedAfterItsDeleteIsIgnored(kind: StoreKind) throws {
        try withTwo(kind) { context, _, other in
            let inserted = try didSave(of: other) { $0.make("Tag", ["label": "t"]) }
            let deleted = try didSave(of: other) { $0.delete(try $0.only("Tag")) }
            let log = NotificationLog(context)
            context.mergeChanges(fromContextDidSave: deleted)
            context.mergeChanges(fromContextDidSave: inserted)
            log.stop()
            #expect(log.count(.NSManagedObjectContextObjectsDidChange) == 0)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theContextsOwnSaveIsNotMerged(kind: StoreKind) throws {
        try withTwo(kind) { context, person, _ in
            person.setValue("b", forKey: "name")
            let log = NotificationLog(context)
            try context.save()
            let saved = try #require(log.last(.NSManagedObjectContextDidSave))
            log.clear()
            context.mergeChanges(fromContextDidSave: saved)
            log.stop()
            #expect(log.names.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func savesOfAnotherCoordinatorAreIgnored(kind: StoreKind) throws {
        try withTwo(kind) { context, _, _ in
            try withStack(kind) { stack in
                let foreign = stack.makeContext()
                let saved = try didSave(of: foreign) { $0.make("Tag", ["label": "t"]) }
                let log = NotificationLog(context)
                context.mergeChanges(fromContextDidSave: saved)
                log.stop()
                #expect(log.names.isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMergeDuringASaveWaitsForItsEnd(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            nonisolated(unsafe) let saved = try didSave(of: other) {
                $0.make("Tag", ["label": "t"])
            }
            person.setValue("b", forKey: "name")
            let log = NotificationLog(context)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextWillSave,
                object: context,
                queue: nil
            ) { notification in
                (notification.object as? NSManagedObjectContext)?
                    .mergeChanges(fromContextDidSave: saved)
            }
            try context.save()
            NotificationCenter.default.removeObserver(token)
            log.stop()
            let merged = log.names.firstIndex(of: "didMerge")
            #expect(try #require(merged) > (try #require(log.names.firstIndex(of: "didSave"))))
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func idsAndURIsCanBeMergedFromElsewhere(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            let id = person.objectID
            let tagURI: URL = try other.onQueue {
                try other.existingObject(with: id).setValue("new", forKey: "name")
                let tag = other.make("Tag", ["label": "t"])
                try other.save()
                return tag.objectID.uriRepresentation()
            }
            let log = NotificationLog(context)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [
                    NSUpdatedObjectsKey: [id], NSInsertedObjectsKey: [tagURI],
                ],
                into: [context]
            )
            #expect(person.text("name") == "new")
            let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
            #expect(change.objects(NSInsertedObjectsKey).first?.text("label") == "t")
            #expect(change.objects(NSRefreshedObjectsKey) == [person])
            try other.onQueue {
                other.delete(try other.existingObject(with: id))
                try other.save()
            }
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectsKey: [id.uriRepresentation()]],
                into: [context]
            )
            log.stop()
            #expect(person.isDeleted)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theObjectIDNotificationMergesToo(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            let saved: Notification = try other.onQueue {
                let log = NotificationLog(other)
                try other.only("Person").setValue("new", forKey: "name")
                try other.save()
                log.stop()
                return try #require(
                    log.last(.NSManagedObjectContextDidSaveObjectIDs)
                )
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.text("name") == "new")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aNotificationMadeByHandMerges(kind: StoreKind) throws {
        try withTwo(kind) { context, person, other in
            let theirs: NSManagedObject = try other.onQueue {
                let person = try other.only("Person")
                person.setValue("new", forKey: "name")
                try other.save()
                return person
            }
            context.mergeChanges(
                fromContextDidSave: Notification(
                    name: .NSManagedObjectContextDidSave,
                    object: other,
                    userInfo: [NSUpdatedObjectsKey: Set([theirs])]
                )
            )
            #expect(person.text("name") == "new")
        }
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test(arguments: StoreKind.allCases)
    func contextsMergeByThemselvesIfAsked(kind: StoreKind) async throws {
        let stack = try TestStack(kind)
        let context = stack.makeContext(), other = stack.makeContext()
        #expect(!context.automaticallyMergesChangesFromParent)
        nonisolated(unsafe) var person: NSManagedObject?
        try await context.perform {
            context.automaticallyMergesChangesFromParent = true
            let made = context.make("Person", ["name": "old"])
            try context.save()
            person = made
        }
        try await other.perform {
            try other.only("Person").setValue("new", forKey: "name")
            try other.save()
        }
        await context.perform(schedule: .enqueued) {
            #expect(person?.text("name") == "new")
            person = nil
        }
        withExtendedLifetime(stack) {}
    }
}
