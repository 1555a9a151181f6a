import CoreData
import TestSupport
import Testing

/// Changes of relationships that meet saves of others which are not merged yet.
@Suite struct UnmergedRelationshipTests {
    @Test(arguments: StoreKind.large)
    func aMemberThatOthersHaveAddedCanBeRemoved(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.refresh(department, mergeChanges: false)
            let saved = try employ(other)
            #expect(department.set("people") == [person])
            department.setValue(Set<NSManagedObject>(), forKey: "people")
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.one("department") == nil)
            try context.save()
            other.performAndWait { other.reset() }
            #expect(try other.onQueue { try other.only("Person").one("department") } == nil)
        }
    }

    @Test(arguments: StoreKind.large)
    func aMemberThatIsGivenBackToItsOwnerIsShownByIt(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let first = context.make("Department", ["name": "A"])
            let second = context.make("Department", ["name": "B"])
            let person = context.make("Person", ["name": "p", "department": first])
            try context.save()
            #expect(first.set("people") == [person] && second.set("people").isEmpty)
            person.setValue(second, forKey: "department")
            let saved = try didSave(of: other) {
                try $0.only("Person")
                    .setValue(try $0.all("Department", sortedBy: "name")[1], forKey: "department")
            }
            person.setValue(first, forKey: "department")
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.one("department") === first)
            #expect(first.set("people") == [person] && second.set("people").isEmpty)
            try context.save()
            #expect(first.set("people") == [person] && second.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.large)
    func bothEndsOfManyToManySayWhatWasChangedAtTheEndThatWasReadLater(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let person = context.make("Person", ["name": "p"])
            let tag = context.make("Tag", ["label": "t"])
            person.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            #expect(person.set("tags") == [tag] && tag.set("people") == [person])
            let removal = try didSave(of: other) {
                try $0.only("Person").setValue(Set<NSManagedObject>(), forKey: "tags")
            }
            context.refresh(tag, mergeChanges: false)
            #expect(tag.set("people").isEmpty)
            tag.mutableSetValue(forKey: "people").add(person)
            context.mergeChanges(fromContextDidSave: removal)
            try context.save()
            #expect(person.set("tags") == [tag] && tag.set("people") == [person])
            other.performAndWait { other.reset() }
            #expect(try other.onQueue { try other.only("Tag").set("people").count } == 1)
        }
        try withTwo(kind) { context, other in
            let person = context.make("Person", ["name": "p"])
            let tag = context.make("Tag", ["label": "t"])
            try context.save()
            #expect(person.set("tags").isEmpty && tag.set("people").isEmpty)
            let gift = try didSave(of: other) {
                try $0.only("Person").mutableSetValue(forKey: "tags").add(try $0.only("Tag"))
            }
            context.refresh(tag, mergeChanges: false)
            #expect(tag.set("people") == [person])
            tag.mutableSetValue(forKey: "people").remove(person)
            context.mergeChanges(fromContextDidSave: gift)
            #expect(person.set("tags").isEmpty && tag.set("people").isEmpty)
            try context.save()
            other.performAndWait { other.reset() }
            #expect(try other.onQueue { try other.only("Tag").set("people").count } == 0)
        }
    }

    /// With the context's own check on, a save on top of what is not merged yet is no fault.
    @Test(arguments: StoreKind.large)
    func whatIsSavedOnTopOfOthersSavesShowsThemOnceTheyAreMerged(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let first = context.make("Person", ["name": "a"])
            let second = context.make("Person", ["name": "b"])
            let tag = context.make("Tag", ["label": "t"])
            tag.mutableSetValue(forKey: "people").add(first)
            try context.save()
            #expect(second.set("tags").isEmpty && tag.set("people") == [first])
            let gift = try didSave(of: other) {
                let people = try $0.all("Person", sortedBy: "name")
                people[1].mutableSetValue(forKey: "tags").add(try $0.only("Tag"))
            }
            context.refresh(second, mergeChanges: false)
            #expect(second.set("tags") == [tag])
            tag.mutableSetValue(forKey: "people").remove(first)
            try context.save()
            context.mergeChanges(fromContextDidSave: gift)
            #expect(second.set("tags") == [tag] && tag.set("people") == [second])
        }
    }

    @Test(arguments: StoreKind.large)
    func aRemovalThatIsTakenBackPutsAMemberLastInTheStoreToo(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let playlist = context.make("Playlist", ["title": "P"])
            let songs = (0..<3).map { context.make("Song", ["title": "\($0)"]) }
            playlist.setValue(NSOrderedSet(array: songs), forKey: "songs")
            try context.save()
            #expect(titles(playlist) == ["0", "1", "2"])
            songs[0].setValue(nil, forKey: "playlist")
            songs[0].setValue(playlist, forKey: "playlist")
            #expect(titles(playlist) == ["1", "2", "0"])
            try context.save()
            #expect(
                try other.onQueue { titles(try other.only("Playlist")) } == ["1", "2", "0"]
            )
        }
    }
    @Test(arguments: StoreKind.large)
    func ownersFollowAMemberWhoseLaterRowAnEarlierMergeFinds(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.refresh(department, mergeChanges: false)
            #expect(department.set("people") == [person] && person.text("name") == "p")
            let id = person.objectID
            _ = try didSave(of: other) { try $0.only("Person").setValue(9, forKey: "age") }
            _ = try didSave(of: other) { try $0.only("Person").setValue(nil, forKey: "department") }
            // By IDs alone, as a merge in parts is made: the cache has the row of the second save.
            let ids = Notification(
                name: .NSManagedObjectContextDidSaveObjectIDs,
                object: other,
                userInfo: [NSUpdatedObjectIDsKey: Set([id])]
            )
            context.mergeChanges(fromContextDidSave: ids)
            #expect(person.one("department") == nil && department.set("people").isEmpty)
        }
    }

    /// One end was read before others have related the two, or parted them, the other one after it.
    @Test(arguments: StoreKind.large, [false, true])
    func whatIsTakenBackHereIsAChangeOfWhatOthersHaveSaved(kind: StoreKind, isRelated: Bool) throws
    {
        try withTwo(kind) { context, other in
            let tag = context.make("Tag", ["label": "t"])
            let person = context.make("Person", ["name": "p"])
            if isRelated { person.setValue(Set([tag]), forKey: "tags") }
            try context.save()
            context.refreshAllObjects()
            #expect(tag.set("people") == (isRelated ? [person] : []))
            _ = try didSave(of: other) {
                let tags = isRelated ? [] : [try $0.only("Tag")]
                try $0.only("Person").setValue(Set(tags), forKey: "tags")
            }
            #expect(person.set("tags") == (isRelated ? [] : [tag]))
            let people = tag.mutableSetValue(forKey: "people")
            if isRelated {
                people.remove(person)
                people.add(person)
            } else {
                people.add(person)
                people.remove(person)
            }
            let expected = (tags: isRelated ? [tag] : [], people: isRelated ? [person] : [])
            #expect(person.set("tags") == Set(expected.tags))
            #expect(tag.set("people") == Set(expected.people))
            try context.save()
            context.refreshAllObjects()
            #expect(person.set("tags") == Set(expected.tags))
            #expect(tag.set("people") == Set(expected.people))
        }
    }
}
