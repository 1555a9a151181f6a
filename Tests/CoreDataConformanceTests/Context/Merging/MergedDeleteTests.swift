import CoreData
import TestSupport
import Testing

/// A merge deletes what others have deleted as `delete(_:)` does.
@Suite struct MergedDeleteTests {
    /// Runs a body in a context, beside another one whose saves it may merge.
    private func withTwo(
        _ kind: StoreKind,
        rule: NSDeleteRule = .cascadeDeleteRule,
        _ body: (_ context: NSManagedObjectContext, _ other: NSManagedObjectContext) throws -> Void
    ) throws {
        let model = SampleModel.make()
        model.entitiesByName["Department"]?.relationshipsByName["people"]?.deleteRule = rule
        model.entitiesByName["Department"]?.managedObjectClassName =
            NSStringFromClass(WatchedDepartment.self)
        try withStack(kind, model: model) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue { try body(context, other) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anUnsavedRelationshipToADeletedObjectIsNullified(kind: StoreKind) throws {
        try withTwo(kind, rule: .nullifyDeleteRule) { context, other in
            let department = context.make("Department", ["name": "D"])
            try context.save()
            let person = context.make("Person", ["name": "p", "department": department])
            context.processPendingChanges()
            let saved = try didSave(of: other) { $0.delete(try $0.only("Department")) }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(department.isDeleted && person.one("department") == nil)
            #expect(person.isInserted && context.deletedObjects == [department])
            try context.save()
            #expect(try context.number("Person") == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func validationRefusesWhatADeleteHasTakenAway(kind: StoreKind) throws {
        let model = SampleModel.make()
        let relationship = model.entitiesByName["Person"]?.relationshipsByName["department"]
        relationship?.isOptional = false
        relationship?.inverseRelationship?.deleteRule = .nullifyDeleteRule
        try withStack(kind, model: model) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let department = context.make("Department", ["name": "D"])
                try context.save()
                let person = context.make("Person", ["name": "p", "department": department])
                let saved = try didSave(of: other) { $0.delete(try $0.only("Department")) }
                context.mergeChanges(fromContextDidSave: saved)
                let error = try #require(caughtError(context.save))
                #expect(error.code == NSValidationMissingMandatoryPropertyError)
                #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === person)
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "department")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aCascadeTakesUnsavedObjectsAlong(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let saved = context.make("Person", ["name": "saved", "department": department])
            try context.save()
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
            context.step { context.make("Person", ["name": "new", "department": department]) }
            context.processPendingChanges()
            let notification = try didSave(of: other) { $0.delete(try $0.only("Department")) }
            context.mergeChanges(fromContextDidSave: notification)
            #expect(saved.isDeleted && context.insertedObjects.isEmpty)
            #expect(try context.number("Person") == 0)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func prepareForDeletionIsCalledOnce(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = try #require(
                context.make("Department", ["name": "D"]) as? WatchedDepartment
            )
            try context.save()
            let saved = try didSave(of: other) { $0.delete(try $0.only("Department")) }
            context.mergeChanges(fromContextDidSave: saved)
            context.mergeChanges(fromContextDidSave: saved)
            try context.save()
            #expect(department.namesAtDeletion == ["D"])
        }
    }

    /// The store has nothing of the deleted rows any more, so nothing of it is left to be saved.
    @Test(arguments: StoreKind.allCases)
    func whatIsLeftOfADeleteIsNoChangeOfOthers(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let world = try World(context)
            let undo = UndoManager()
            context.undoManager = undo
            let saved = try didSave(of: other) {
                $0.delete(try #require(try $0.all("Person", sortedBy: "name").first))
                $0.delete(try #require(try $0.all("Song", sortedBy: "title").first))
            }
            context.mergeChanges(fromContextDidSave: saved)
            world.expectLost()
            #expect(context.deletedObjects == [world.people[0], world.songs[0]])
            #expect(context.updatedObjects.isEmpty && context.insertedObjects.isEmpty)
            #expect(!undo.canUndo)
            let log = NotificationLog(context)
            try context.save()
            log.stop()
            let posted = try #require(log.last(.NSManagedObjectContextDidSave))
            for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                #expect(posted.objects(key).isEmpty)
            }
            world.expectLost()
        }
    }

    /// A local change of a relationship to an object that is gone has nothing left to say.
    @Test(arguments: StoreKind.allCases)
    func unsavedMembersOfSetsAreTakenOut(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let world = try World(context)
            let tag = context.make("Tag", ["label": "new"]), person = world.people[0]
            try context.save()
            tag.mutableSetValue(forKey: "people").add(person)
            world.people[1].mutableSetValue(forKey: "friends").add(person)
            context.processPendingChanges()
            let saved = try didSave(of: other) {
                $0.delete(try #require(try $0.all("Person", sortedBy: "name").first))
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(tag.set("people").isEmpty && !world.people[1].set("friends").contains(person))
            #expect(context.updatedObjects.isEmpty)
            try context.save()
            #expect(tag.set("people").isEmpty && !tag.hasChanges)
        }
    }

    // MARK: Batch requests and other processes name what was deleted alone

    @Test func aBatchDeleteLeavesNothingInRelationships() throws {
        try withTwo(.sqlite) { context, _ in
            let world = try World(context)
            let list = try FollowedPeople(context, "department.name == 'D'", sortedBy: "name")
            #expect(list.names == ["p0", "p1", "p2"])
            try batchDelete("Person", "name == 'p0'", context)
            try batchDelete("Song", "title == 's0'", context)
            world.expectLost()
            #expect(list.names == ["p1", "p2"] && list.mirroredNames == ["p1", "p2"])
            #expect(context.updatedObjects.isEmpty)
            try context.save()
            world.expectLost()
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: [true, false])
    func aBatchDeleteOfTheOwnersIsSeenByLists(areKnown: Bool) throws {
        try withTwo(.sqlite, rule: .nullifyDeleteRule) { context, _ in
            let world = try World(context)
            if !areKnown { context.reset() }
            let list = try FollowedPeople(context, "department.name == 'D'", sortedBy: "name")
            #expect(list.names.count == 3)
            let people = list.controller.fetchedObjects ?? []
            try batchDelete("Department", "name == 'D'", context)
            #expect(list.names == [] && list.mirroredNames == [])
            #expect(people.allSatisfy { $0.one("department") == nil })
            #expect(context.updatedObjects.isEmpty)
            // Their rows have changed; this is what they are now.
            for person in people { person.setValue(5, forKey: "age") }
            try context.save()
            withExtendedLifetime(world) {}
        }
    }

    private func batchDelete(
        _ entity: String,
        _ format: String,
        _ context: NSManagedObjectContext
    ) throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        request.predicate = NSPredicate(format: format)
        let batch = NSBatchDeleteRequest(fetchRequest: request)
        batch.resultType = .resultTypeObjectIDs
        let result = try context.execute(batch) as? NSBatchDeleteResult
        let ids = try #require(result?.result as? [NSManagedObjectID])
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: ids],
            into: [context]
        )
    }

    // MARK: Deleted here, and related elsewhere

    /// The delete rules were applied before the other context's save was merged.
    @Test(arguments: StoreKind.allCases)
    func whatIsDeletedHereDoesNotComeBackWithAMerge(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let person = context.make("Person", ["name": "p"])
            let tag = context.make("Tag", ["label": "t"])
            try context.save()
            #expect(tag.set("people").isEmpty)
            context.delete(person)
            context.processPendingChanges()
            let saved = try didSave(of: other) {
                try $0.only("Person").mutableSetValue(forKey: "tags").add(try $0.only("Tag"))
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(tag.set("people").isEmpty)
            context.rollback()
            #expect(tag.set("people") == [person])
            context.delete(person)
            try context.save()
            #expect(tag.set("people").isEmpty && !context.hasChanges)
        }
    }

    // MARK: Deleted, and inserted again

    @Test(arguments: StoreKind.allCases)
    func aDeleteThatAnOverwriteHasTakenBackIsNotMerged(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            let writer = stack.makeContext()
            writer.mergePolicy = NSMergePolicy.overwrite
            try context.onQueue {
                let person = context.make("Person", ["name": "a"])
                try context.save()
                person.setValue("b", forKey: "name")
                try context.save()
                let theirs = try writer.onQueue { try writer.only("Person") }
                let deleted = try didSave(of: other) { $0.delete(try $0.only("Person")) }
                let inserted = try didSave(of: writer) { _ in theirs.setValue("c", forKey: "name") }
                context.mergeChanges(fromContextDidSave: deleted)
                #expect(!person.isDeleted && !context.hasChanges)
                context.mergeChanges(fromContextDidSave: inserted)
                #expect(person.text("name") == "c" && !context.hasChanges)
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: [NSDeletedObjectsKey: [person.objectID]],
                    into: [context]
                )
                #expect(!person.isDeleted)
                person.setValue("d", forKey: "name")
                try context.save()
                #expect(try context.only("Person") === person)
            }
        }
    }
}

/// Notes its name when it is about to be deleted.
final class WatchedDepartment: NSManagedObject {
    private(set) var namesAtDeletion: [String] = []

    override func prepareForDeletion() {
        super.prepareForDeletion()
        namesAtDeletion.append(value(forKey: "name") as? String ?? "")
    }
}

/// Three people of one department, a tag and each other, and three songs of a playlist, with all
/// their relationships read.
private struct World {
    let department: NSManagedObject
    let tag: NSManagedObject
    let playlist: NSManagedObject
    let people: [NSManagedObject]
    let songs: [NSManagedObject]

    init(_ context: NSManagedObjectContext) throws {
        department = context.make("Department", ["name": "D"])
        tag = context.make("Tag", ["label": "t"])
        playlist = context.make("Playlist", ["title": "P"])
        people = (0..<3).map { context.make("Person", ["name": "p\($0)"]) }
        songs = (0..<3).map { context.make("Song", ["title": "s\($0)"]) }
        department.setValue(NSSet(array: people), forKey: "people")
        tag.setValue(NSSet(array: people), forKey: "people")
        people[2].setValue(NSSet(array: [people[0], people[1]]), forKey: "friends")
        playlist.setValue(NSOrderedSet(array: songs), forKey: "songs")
        try context.save()
        #expect(department.set("people").count == 3 && tag.set("people").count == 3)
        #expect(people[2].set("friends").count == 2)
    }

    /// The first person and the first song have gone everywhere.
    func expectLost() {
        #expect(department.set("people") == Set(people[1...]))
        #expect(tag.set("people") == Set(people[1...]))
        #expect(people[2].set("friends") == [people[1]])
        let left = (playlist.value(forKey: "songs") as? NSOrderedSet)?.array as? [NSManagedObject]
        #expect(left == Array(songs[1...]))
    }
}
