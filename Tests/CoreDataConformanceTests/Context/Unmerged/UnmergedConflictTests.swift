import CoreData
import TestSupport
import Testing

/// What a merge policy makes of relationships whose other end was read at another time.
@Suite struct UnmergedConflictTests {
    @Test(arguments: StoreKind.large)
    func aRemovalThatAConflictTakesBackLeavesTheOrder(kind: StoreKind) throws {
        try withTwo(kind, policy: .rollback) { context, other in
            let playlist = context.make("Playlist", ["title": "P"])
            let songs = (0..<3).map { context.make("Song", ["title": "\($0)"]) }
            playlist.setValue(NSOrderedSet(array: songs), forKey: "songs")
            try context.save()
            #expect(titles(playlist) == ["0", "1", "2"])
            songs[0].setValue(nil, forKey: "playlist")
            _ = try didSave(of: other) {
                try $0.all("Song", sortedBy: "title")[0].setValue(9, forKey: "seconds")
            }
            try context.save()
            #expect(titles(playlist) == ["0", "1", "2"])
        }
    }

    @Test(arguments: StoreKind.large)
    func anObjectWhoseDeletionAConflictTakesBackIsRelatedAgain(kind: StoreKind) throws {
        try withTwo(kind, policy: .rollback) { context, other in
            let department = context.make("Department", ["name": "D"])
            let tag = context.make("Tag", ["label": "t"])
            let person = context.make("Person", ["name": "p", "department": department])
            person.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            #expect(department.set("people") == [person] && tag.set("people") == [person])
            context.delete(person)
            _ = try didSave(of: other) { try $0.only("Person").setValue(9, forKey: "age") }
            try context.save()
            #expect(!person.isDeleted && person.integer("age") == 9)
            #expect(department.set("people") == [person] && tag.set("people") == [person])
            #expect(person.one("department") === department && person.set("tags") == [tag])
        }
    }

    @Test(arguments: StoreKind.large)
    func aCascadeOverAConflictThatTheStoreWinsEnds(kind: StoreKind) throws {
        try withTwo(kind, rule: .cascadeDeleteRule, policy: .mergeByPropertyStoreTrump) {
            context,
            other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.delete(department)
            _ = try didSave(of: other) { try $0.only("Person").setValue(9, forKey: "age") }
            try context.save()
            #expect(try context.number("Department") == 0 && !context.hasChanges)
            #expect(!person.isDeleted && person.one("department") == nil)
        }
    }

    @Test(arguments: StoreKind.large)
    func anOwnerWhoseChangesAConflictDropsHasTheMembersThatAreGivenToItHere(kind: StoreKind) throws
    {
        try withTwo(kind, policy: .rollback) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            #expect(department.set("people").isEmpty)
            department.setValue("E", forKey: "name")
            person.setValue(department, forKey: "department")
            _ = try didSave(of: other) { try $0.only("Department").setValue(1, forKey: "code") }
            // Observers read it as soon as the conflict is resolved.
            let reader = MemberReader(department, "people")
            try context.save()
            #expect(!reader.counts.isEmpty && reader.counts.allSatisfy { $0 == 1 })
            #expect(department.text("name") == "D" && department.integer("code") == 1)
            #expect(department.set("people") == [person])
            #expect(person.one("department") === department)
        }
    }

    @Test(arguments: StoreKind.large)
    func overwritingTakesAnObjectFromTheOwnerThatOthersHaveGivenItTo(kind: StoreKind) throws {
        try withTwo(kind, policy: .overwrite) { context, other in
            let first = context.make("Department", ["name": "A"])
            let second = context.make("Department", ["name": "B"])
            let person = context.make("Person", ["name": "p", "department": first])
            try context.save()
            context.refresh(second, mergeChanges: false)
            _ = try didSave(of: other) {
                try $0.only("Person")
                    .setValue(try $0.all("Department", sortedBy: "name")[1], forKey: "department")
            }
            #expect(second.set("people") == [person])
            person.setValue("q", forKey: "name")
            try context.save()
            #expect(person.one("department") === first && second.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.large)
    func overwritingBringsNoRelationshipToADeletedObjectBack(kind: StoreKind) throws {
        try withTwo(kind, policy: .overwrite) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.refresh(department, mergeChanges: false)
            #expect(department.set("people") == [person])
            _ = try didSave(of: other) { $0.delete(try $0.only("Department")) }
            person.setValue("q", forKey: "name")
            let log = NotificationLog(context)
            try context.save()
            #expect(person.one("department") == nil && !department.set("people").contains(person))
            #expect(
                log.notifications.contains { notification in
                    [NSUpdatedObjectsKey, NSRefreshedObjectsKey].contains { key in
                        (notification.userInfo?[key] as? Set<NSManagedObject>)?.contains(person)
                            == true
                    }
                }
            )
            other.performAndWait { other.reset() }
            let stored = try other.onQueue { () -> (String?, Bool) in
                let person = try other.only("Person")
                return (person.text("name"), person.one("department") == nil)
            }
            #expect(stored == ("q", true))
        }
    }

    @Test(arguments: StoreKind.large)
    func whatIsRefreshedBeforeARollBackIsFollowedAfterwards(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let person = context.make("Person", ["name": "p", "age": 1])
            try context.save()
            let young = try FollowedPeople(context, "age < 10", sortedBy: "name")
            context.refresh(person, mergeChanges: true)
            context.rollback()
            let saved = try didSave(of: other) { try $0.only("Person").setValue(20, forKey: "age") }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(young.names.isEmpty && young.mirroredNames.isEmpty)
        }
    }
    @Test(arguments: StoreKind.large)
    func overwritingKeepsAnObjectWithTheOwnerThatWasReadWithoutIt(kind: StoreKind) throws {
        try withTwo(kind, policy: .overwrite) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.refresh(department, mergeChanges: false)
            _ = try didSave(of: other) { try $0.only("Person").setValue(nil, forKey: "department") }
            #expect(department.set("people").isEmpty)
            person.setValue("q", forKey: "name")
            try context.save()
            #expect(person.one("department") === department)
            #expect(department.set("people") == [person])
        }
    }

    @Test(arguments: StoreKind.large)
    func whatOverwritingHasInsertedAgainStaysWhenOlderSavesAreMerged(kind: StoreKind) throws {
        try withTwo(kind, policy: .overwrite) { context, other in
            let person = context.make("Person", ["name": "p", "age": 1])
            try context.save()
            let change = try didSave(of: other) { try $0.only("Person").setValue(2, forKey: "age") }
            let deletion = try didSave(of: other) { $0.delete(try $0.only("Person")) }
            person.setValue("q", forKey: "name")
            try context.save()
            for saved in [change, deletion] { context.mergeChanges(fromContextDidSave: saved) }
            #expect(person.integer("age") == 1 && person.text("name") == "q" && !person.isDeleted)
        }
    }

    @Test(arguments: StoreKind.large)
    func aMemberThatOthersHaveTakenOutAndPutBackIsThere(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let playlist = context.make("Playlist", ["title": "P"])
            let song = context.make("Song", ["title": "s"])
            try context.save()
            func put(_ titles: [String]) throws -> Notification {
                try didSave(of: other) {
                    let songs = try $0.all("Song", sortedBy: "title")
                        .filter { titles.contains($0.text("title") ?? "") }
                    try $0.only("Playlist").setValue(NSOrderedSet(array: songs), forKey: "songs")
                }
            }
            let first = try put(["s"])
            #expect(titles(playlist) == ["s"] && song.one("playlist") == nil)
            let second = try put([])
            playlist.setValue(NSOrderedSet(), forKey: "songs")
            let third = try put(["s"])
            for saved in [first, second, third] {
                context.mergeChanges(fromContextDidSave: saved)
            }
            #expect(song.one("playlist") === playlist && titles(playlist) == ["s"])
            try context.save()
            #expect(song.one("playlist") === playlist && titles(playlist) == ["s"])
        }
    }
    @Test(arguments: StoreKind.large)
    func whatAConflictRollsBackIsTakenBackOnBothSides(kind: StoreKind) throws {
        try withTwo(kind, policy: .rollback) { context, other in
            let tags = ["s", "t"].map { context.make("Tag", ["label": $0]) }
            let person = context.make("Person", ["name": "p", "tags": Set([tags[0]])])
            try context.save()
            person.setValue(9, forKey: "age")
            person.setValue(Set([tags[1]]), forKey: "tags")
            _ = try didSave(of: other) { try $0.only("Person").setValue("q", forKey: "name") }
            try context.save()
            #expect(person.set("tags") == [tags[0]] && person.text("name") == "q")
            #expect(tags[0].set("people") == [person] && tags[1].set("people").isEmpty)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.large)
    func aMemberThatIsGivenHereStaysWhenOthersTakeItOut(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            #expect(department.set("people").isEmpty)
            let gift = try giveAhead(context, other, department)
            let theft = try didSave(of: other) {
                try $0.only("Person").setValue(nil, forKey: "department")
            }
            person.setValue(department, forKey: "department")
            for saved in [gift, theft] { context.mergeChanges(fromContextDidSave: saved) }
            #expect(person.one("department") === department)
            #expect(department.set("people") == [person])
        }
    }
    @Test(arguments: StoreKind.large)
    func aMemberComesBackToTheOwnerWhoseDeletionAConflictTakesBack(kind: StoreKind) throws {
        try withTwo(kind, policy: .rollback) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            #expect(department.set("people").isEmpty)
            person.setValue(department, forKey: "department")
            context.processPendingChanges()
            context.delete(department)
            _ = try didSave(of: other) { try $0.only("Department").setValue(1, forKey: "code") }
            try context.save()
            #expect(!department.isDeleted && person.one("department") === department)
            #expect(department.set("people") == [person])
        }
    }

    @Test(arguments: StoreKind.large)
    func takingBackWhatOthersHaveAddedTooIsARemovalOnBothSides(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let tag = context.make("Tag", ["label": "t"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            #expect(tag.set("people").isEmpty && person.set("tags").isEmpty)
            person.mutableSetValue(forKey: "tags").add(tag)
            let gift = try didSave(of: other) {
                try $0.only("Person").mutableSetValue(forKey: "tags").add(try $0.only("Tag"))
            }
            // One side is read again, and finds the others' addition.
            context.refresh(tag, mergeChanges: true)
            #expect(tag.set("people") == [person])
            tag.mutableSetValue(forKey: "people").remove(person)
            context.mergeChanges(fromContextDidSave: gift)
            #expect(tag.set("people").isEmpty && person.set("tags").isEmpty)
            try context.save()
            #expect(tag.set("people").isEmpty && person.set("tags").isEmpty)
            let stored = try other.onQueue { () -> Bool in
                other.reset()
                return try other.only("Tag").set("people").isEmpty
            }
            #expect(stored)
        }
    }
    @Test(arguments: StoreKind.allCases)
    func overwritingInsertsAgainBesideNewObjects(kind: StoreKind) throws {
        try withTwo(kind, policy: .overwrite) { context, other in
            let person = context.make("Person", ["name": "p"])
            try context.save()
            _ = try didSave(of: other) { $0.delete(try $0.only("Person")) }
            person.setValue("q", forKey: "name")
            let id = person.objectID
            let new = context.make("Person", ["name": "n"])
            try context.save()
            #expect(person.objectID == id && new.objectID != id)
            let names = try other.onQueue {
                other.reset()
                return try other.all("Person", sortedBy: "name").map { $0.text("name") }
            }
            #expect(names == ["n", "q"])
        }
    }
}
