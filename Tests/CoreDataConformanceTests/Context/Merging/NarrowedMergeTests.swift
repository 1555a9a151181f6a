import CoreData
import TestSupport
import Testing

/// Notifications that a client has made of a did-save notification's `userInfo`, with some of its
/// objects left out: what they name is merged, and nothing else.
@Suite struct NarrowedMergeTests {
    private let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey]

    /// What is left of a notification.
    ///
    /// > Threading: On the queue of the context that has saved.
    private func narrowed(
        _ saved: Notification,
        _ isWanted: (NSManagedObject) -> Bool
    ) -> Notification {
        var info = saved.userInfo ?? [:]
        for key in keys { info[key] = saved.objects(key).filter(isWanted) }
        return Notification(name: saved.name, object: saved.object, userInfo: info)
    }

    /// Merges a part of a save.
    ///
    /// - Returns: The objects that objects-did-change names.
    private func merge(
        _ part: Notification,
        into context: NSManagedObjectContext
    ) -> [Set<NSManagedObject>] {
        let log = NotificationLog(context)
        context.mergeChanges(fromContextDidSave: part)
        log.stop()
        let change = log.last(.NSManagedObjectContextObjectsDidChange)
        return [NSInsertedObjectsKey, NSRefreshedObjectsKey, NSDeletedObjectsKey].map {
            change?.objects($0) ?? []
        }
    }

    /// A context that has read two people and a tag, and another one that changes all of them and
    /// inserts a playlist.
    private func withSave(
        _ kind: StoreKind,
        _ body: (
            _ context: NSManagedObjectContext, _ people: [NSManagedObject], _ tag: NSManagedObject,
            _ other: NSManagedObjectContext, _ saved: Notification
        ) throws -> Void
    ) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let people = ["Ann", "Bob"].map { context.make("Person", ["name": $0, "age": 1]) }
                let tag = context.make("Tag", ["label": "t"])
                try context.save()
                let saved = try didSave(of: other) { other in
                    for person in try other.all("Person") { person.setValue(2, forKey: "age") }
                    other.delete(try other.only("Tag"))
                    other.make("Playlist", ["title": "p"])
                }
                try body(context, people, tag, other, saved)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func onlyTheObjectsThatAreLeftAreMerged(kind: StoreKind) throws {
        try withSave(kind) { context, people, tag, other, saved in
            let part = other.onQueue { narrowed(saved) { $0.entity.name == "Person" } }
            #expect(merge(part, into: context) == [[], Set(people), []])
            #expect(people.map { $0.integer("age") } == [2, 2])
            #expect(!tag.isDeleted)
            // The rest may be merged later.
            let others = other.onQueue { narrowed(saved) { $0.entity.name != "Person" } }
            let changed = merge(others, into: context)
            #expect(changed[0].map { $0.text("title") } == ["p"])
            #expect(changed[1].isEmpty && changed[2] == [tag])
        }
    }

    /// A handler may keep at hand what it has left out.
    @Test(arguments: StoreKind.allCases)
    func whatIsUnderAKeyOfTheClientIsNotMerged(kind: StoreKind) throws {
        try withSave(kind) { context, people, tag, other, saved in
            let part = other.onQueue {
                var info = narrowed(saved) { $0.entity.name == "Person" }.userInfo ?? [:]
                let all = Set(keys.flatMap { saved.objects($0) })
                info["left out"] = all.filter { $0.entity.name != "Person" }
                return Notification(name: saved.name, object: saved.object, userInfo: info)
            }
            #expect(merge(part, into: context) == [[], Set(people), []])
            #expect(!tag.isDeleted)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func someOfOneKindAreMerged(kind: StoreKind) throws {
        try withSave(kind) { context, people, tag, other, saved in
            let bob = people[1].objectID
            let part = other.onQueue { narrowed(saved) { $0.objectID == bob } }
            #expect(merge(part, into: context) == [[], [people[1]], []])
            #expect(people.map { $0.integer("age") } == [1, 2])
            #expect(!tag.isDeleted)
            context.mergeChanges(fromContextDidSave: saved)
            #expect(people.map { $0.integer("age") } == [2, 2])
            #expect(tag.isDeleted)
        }
    }

    /// A part brings the owners along that its rows have left and come to.
    @Test(arguments: StoreKind.allCases)
    func ownersThatAPartHasBroughtAreReportedOnce(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let owners = ["A", "B"].map { context.make("Department", ["name": $0]) }
                let person = context.make("Person", ["name": "p", "department": owners[0]])
                let tag = context.make("Tag", ["label": "old"])
                try context.save()
                #expect(owners.map { $0.set("people").count } == [1, 0])
                let saved = try didSave(of: other) { other in
                    let all = try other.all("Department", sortedBy: "name")
                    try other.only("Person").setValue(all[1], forKey: "department")
                    try other.only("Tag").setValue("new", forKey: "label")
                }
                let part = other.onQueue { narrowed(saved) { $0.entity.name == "Person" } }
                #expect(merge(part, into: context)[1] == Set(owners + [person]))
                #expect(owners.map { $0.set("people").count } == [0, 1])
                #expect(merge(saved, into: context)[1] == [tag])
                #expect(tag.text("label") == "new")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aNotificationThatNamesNothingMergesNothing(kind: StoreKind) throws {
        try withSave(kind) { context, people, tag, other, saved in
            let part = other.onQueue { narrowed(saved) { _ in false } }
            #expect(merge(part, into: context) == [[], [], []])
            #expect(people.map { $0.integer("age") } == [1, 1])
            #expect(!tag.isDeleted && !context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theObjectIDNotificationCanBeNarrowedToo(kind: StoreKind) throws {
        try withSave(kind) { context, people, _, other, _ in
            let log = NotificationLog(other)
            try other.onQueue {
                for person in try other.all("Person") { person.setValue(3, forKey: "age") }
                try other.save()
            }
            log.stop()
            let name = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
            var info = try #require(log.last(name)).userInfo ?? [:]
            info[NSUpdatedObjectIDsKey] = Set([people[0].objectID])
            let part = Notification(name: name, object: other, userInfo: info)
            #expect(merge(part, into: context) == [[], [people[0]], []])
            #expect(people.map { $0.integer("age") } == [3, 1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsThatAClientAddsAreMerged(kind: StoreKind) throws {
        try withSave(kind) { context, people, tag, other, _ in
            let later = try didSave(of: other) { $0.make("Song", ["title": "s"]) }
            var info = later.userInfo ?? [:]
            info[NSUpdatedObjectsKey] = other.onQueue {
                Set(people.map { other.object(with: $0.objectID) })
            }
            let more = Notification(name: later.name, object: other, userInfo: info)
            let log = NotificationLog(context)
            context.mergeChanges(fromContextDidSave: more)
            log.stop()
            let changes = log.notifications.filter {
                $0.name == .NSManagedObjectContextObjectsDidChange
            }
            let inserted = changes.flatMap { $0.objects(NSInsertedObjectsKey) }
            #expect(inserted.map { $0.text("title") } == ["s"])
            #expect(people.map { $0.integer("age") } == [2, 2])
            #expect(!tag.isDeleted)
        }
    }

    /// The objects that the child has inserted get permanent keys between the two merges.
    @Test(arguments: StoreKind.allCases)
    func aChildsSaveCanBeMergedInParts(kind: StoreKind) throws {
        try withFamily(kind) { family in
            let child = family.child, other = Family.makeChild(of: family.parent, "other")
            let id = try family.saved("Person", ["name": "A", "age": 1])
            let person = try other.onQueue {
                let person = try other.existingObject(with: id)
                #expect(person.integer("age") == 1)
                return person
            }
            let saved = try didSave(of: child) { child in
                try child.existingObject(with: id).setValue(2, forKey: "age")
                for label in ["first", "second"] { child.make("Tag", ["label": label]) }
            }
            let first = child.onQueue { narrowed(saved) { $0.entity.name == "Person" } }
            other.onQueue {
                #expect(merge(first, into: other) == [[], [person], []])
                #expect(person.integer("age") == 2)
            }
            try family.parent.onQueue { try family.parent.save() }
            let second = child.onQueue {
                narrowed(saved) { $0.entity.name == "Tag" && $0.text("label") == "second" }
            }
            other.onQueue {
                let inserted = merge(second, into: other)[0]
                #expect(inserted.map { $0.text("label") } == ["second"])
            }
        }
    }
}
