import CoreData
import TestSupport
import Testing

/// Changes of another coordinator, known by the rows that were written: the owners of one-to-many
/// relationships are not among them.
@Suite struct RemoteRelationshipTests {
    /// A context, and one of another coordinator on the same file.
    private func withTwo(
        _ body: (_ context: NSManagedObjectContext, _ remote: NSManagedObjectContext) throws -> Void
    ) throws {
        try withStack(.sqlite) { stack in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: stack.url,
                options: nil
            )
            let context = stack.makeContext(), remote = coordinator.makeContext()
            try context.onQueue { try body(context, remote) }
            try coordinator.remove(store)
        }
    }

    private func merge(_ ids: [String: [URL]], into context: NSManagedObjectContext) {
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: ids, into: [context])
    }

    @Test func ownersSeeWhatHasComeAndGone() throws {
        try withTwo { context, remote in
            let departments = ["A", "B", "C"].map { context.make("Department", ["name": $0]) }
            let people = ["p0", "p1"].map {
                context.make("Person", ["name": $0, "department": departments[0]])
            }
            try context.save()
            #expect(departments[0].set("people") == Set(people))
            #expect(departments[1].set("people").isEmpty && departments[2].set("people").isEmpty)
            let (updated, inserted) = try remote.onQueue {
                let departments = try remote.all("Department", sortedBy: "name")
                let person = try #require(try remote.all("Person", sortedBy: "name").first)
                person.setValue(departments[1], forKey: "department")
                let new = remote.make("Person", ["name": "p2", "department": departments[0]])
                try remote.save()
                return (person.objectID.uriRepresentation(), new.objectID.uriRepresentation())
            }
            let log = NotificationLog(context)
            merge(
                [NSUpdatedObjectsKey: [updated], NSInsertedObjectsKey: [inserted]],
                into: context
            )
            log.stop()
            func names(_ department: NSManagedObject) -> [String] {
                department.set("people").compactMap { $0.text("name") }.sorted()
            }
            #expect(departments.map(names) == [["p1", "p2"], ["p0"], []])
            #expect(people[0].one("department") === departments[1])
            let refreshed = log.last(.NSManagedObjectContextObjectsDidChange)?
                .objects(NSRefreshedObjectsKey)
            #expect(refreshed == [people[0], departments[0], departments[1]])
            #expect(!context.hasChanges)
        }
    }

    @Test func unsavedMembersStayWhenTheRestIsReadAgain() throws {
        try withTwo { context, remote in
            let department = context.make("Department", ["name": "A"])
            try context.save()
            #expect(department.set("people").isEmpty)
            let mine = context.make("Person", ["name": "mine", "department": department])
            let inserted = try remote.onQueue {
                let department = try remote.only("Department")
                let new = remote.make("Person", ["name": "theirs", "department": department])
                try remote.save()
                return new.objectID.uriRepresentation()
            }
            merge([NSInsertedObjectsKey: [inserted]], into: context)
            let people = department.set("people")
            #expect(people.count == 2 && people.contains(mine))
            try context.save()
            #expect(department.set("people").count == 2)
        }
    }

    /// The owner has the only reference to the member, and lets go of it when it is merged itself.
    @Test func aListHasWhatWasFetchedAheadByItsOwnerAlone() throws {
        try withTwo { context, remote in
            let list = try FollowedPeople(context, sortedBy: "name")
            let ids = try remote.onQueue {
                let department = remote.make("Department", ["name": "D"])
                let person = remote.make("Person", ["name": "p", "department": department])
                try remote.save()
                return [department, person].map { $0.objectID.uriRepresentation() }
            }
            let department = try context.only("Department")
            #expect(department.set("people").count == 1)
            merge([NSInsertedObjectsKey: ids], into: context)
            #expect(list.names == ["p"])
        }
    }

    /// The conflict is resolved before the save is refused for what the other coordinator deleted.
    @Test func aRollBackAfterARefusedSaveLeavesNoMemberThatAConflictHeld() throws {
        try withTwo { context, remote in
            context.mergePolicy = NSMergePolicy.overwrite
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            let tag = context.make("Tag", ["label": "lost"])
            try context.save()
            context.refresh(department, mergeChanges: false)
            person.setValue(6, forKey: "age")
            person.mutableSetValue(forKey: "tags").add(tag)
            try remote.onQueue {
                try remote.only("Person").setValue(nil, forKey: "department")
                remote.delete(try remote.only("Tag"))
                try remote.save()
            }
            #expect(throws: CocoaError.self) { try context.save() }
            #expect(department.set("people") == [person])
            context.rollback()
            #expect(person.one("department") == nil && department.set("people").isEmpty)
        }
    }
}
