import CoreData
import TestSupport
import Testing

/// A child's relationships to objects that its parent has deleted meanwhile.
@Suite struct NestedDanglingTests {
    /// What has become of the object in the parent when the child relates to it.
    enum Loss: CaseIterable, Sendable {
        case deleted, deletedAndSaved
    }

    /// Saves an object, has the child read it, and deletes it in the parent.
    private func lost(
        _ entity: String,
        _ values: [String: Any],
        by loss: Loss,
        in family: Family
    ) throws -> NSManagedObject {
        let id = try family.saved(entity, values)
        let object = try family.child.onQueue {
            let object = try family.child.existingObject(with: id)
            object.willAccessValue(forKey: nil)
            return object
        }
        try family.parent.onQueue {
            family.parent.delete(family.parent.object(with: id))
            family.parent.processPendingChanges()
            if loss == .deletedAndSaved { try family.parent.save() }
        }
        return object
    }

    private func expectRefusal(_ family: Family, of object: NSManagedObject, _ key: String) throws {
        let before = family.changeCounts(family.parent)
        let error = try #require(caughtError(family.child.save))
        #expect(error.code == NSManagedObjectValidationError)
        #expect(error.localizedDescription.hasPrefix("Dangling reference to an invalid object"))
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key)
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === object)
        #expect(family.child.hasChanges)
        #expect(family.changeCounts(family.parent) == before)
    }

    @Test(arguments: StoreKind.allCases, Loss.allCases)
    func aToOneRelationshipIsRefused(kind: StoreKind, loss: Loss) throws {
        try withFamily(kind) { family throws in
            let list = try lost("Playlist", ["title": "gone"], by: loss, in: family)
            try family.child.onQueue {
                let song = family.child.make("Song", ["title": "s", "playlist": list])
                try expectRefusal(family, of: song, "playlist")
                song.setValue(nil, forKey: "playlist")
                try family.child.save()
                song.setValue(list, forKey: "playlist")
                try expectRefusal(family, of: song, "playlist")
                song.setValue(nil, forKey: "playlist")
                try family.child.save()
            }
            try family.parent.onQueue {
                try family.parent.save()
                let song = try family.parent.only("Song")
                family.parent.refresh(song, mergeChanges: false)
                #expect(song.one("playlist") == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, Loss.allCases)
    func aManyToManyRelationshipIsRefused(kind: StoreKind, loss: Loss) throws {
        try withFamily(kind) { family throws in
            let id = try family.saved("Person", ["name": "Ann"])
            let tag = try lost("Tag", ["label": "gone"], by: loss, in: family)
            try family.child.onQueue {
                let ann = family.child.object(with: id)
                ann.mutableSetValue(forKey: "tags").add(tag)
                try expectRefusal(family, of: ann, "tags")
            }
            family.parent.performAndWait {
                #expect(family.parent.object(with: id).set("tags").isEmpty)
            }
        }
    }

    /// The object of a to-many relationship's other end is a new one here: an edit of the lost
    /// object itself is a conflict.
    @Test(arguments: StoreKind.allCases, Loss.allCases)
    func anOwnerThatIsLostIsRefused(kind: StoreKind, loss: Loss) throws {
        try withFamily(kind) { family throws in
            let list = try lost("Playlist", ["title": "gone"], by: loss, in: family)
            family.child.onQueue {
                let song = family.child.make("Song", ["title": "s"])
                list.mutableOrderedSetValue(forKey: "songs").add(song)
                #expect(caughtError(family.child.save) != nil)
                #expect(family.child.hasChanges)
            }
            family.parent.performAndWait {
                #expect(family.parent.insertedObjects.isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectThatTheParentHasRolledBackIsRefused(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let id = family.parent.onQueue {
                family.parent.make("Playlist", ["title": "l"]).objectID
            }
            try family.child.onQueue {
                let list = try family.child.existingObject(with: id)
                family.parent.performAndWait { family.parent.rollback() }
                let song = family.child.make("Song", ["title": "s", "playlist": list])
                try expectRefusal(family, of: song, "playlist")
            }
        }
    }

    /// The child could think that a context above it has the object.
    @Test(arguments: StoreKind.allCases)
    func anObjectThatTheChildHasRolledBackIsRefusedToo(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let ids = family.child.onQueue {
                ["Playlist", "Tag"].map { family.child.make($0).objectID }
            }
            let kept = family.parent.onQueue {
                family.parent.make("Playlist", ["title": "kept"]).objectID
            }
            try family.grandchild.onQueue {
                let grandchild = family.grandchild
                let objects = try ids.map { try grandchild.existingObject(with: $0) }
                family.child.performAndWait { family.child.rollback() }
                let song = grandchild.make("Song", ["title": "s", "playlist": objects[0]])
                #expect(errorCode(grandchild.save) == NSManagedObjectValidationError)
                song.setValue(try grandchild.existingObject(with: kept), forKey: "playlist")
                try grandchild.save()
                let person = grandchild.make("Person", ["name": "p"])
                person.mutableSetValue(forKey: "tags").add(objects[1])
                #expect(errorCode(grandchild.save) == NSManagedObjectValidationError)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, Loss.allCases)
    func aGrandchildIsRefusedWhereItMeetsTheDeletion(kind: StoreKind, loss: Loss) throws {
        try withFamily(kind) { family throws in
            let list = try lost("Playlist", ["title": "gone"], by: loss, in: family)
            let id = list.objectID
            try family.grandchild.onQueue {
                let list = family.grandchild.object(with: id)
                family.grandchild.make("Song", ["title": "s", "playlist": list])
                try family.grandchild.save()
            }
            try family.child.onQueue {
                let song = try #require(family.child.insertedObjects.first)
                try expectRefusal(family, of: song, "playlist")
            }
        }
    }

    @Test(arguments: StoreKind.allCases, Loss.allCases)
    func anOrderOfMembersLeavesOutThoseThatAreGone(kind: StoreKind, loss: Loss) throws {
        try withFamily(kind) { family throws in
            let ids = try family.parent.onQueue {
                let list = family.parent.make("Playlist", ["title": "l"])
                let songs = ["a", "b", "c"].map { family.parent.make("Song", ["title": $0]) }
                list.setValue(NSOrderedSet(array: songs), forKey: "songs")
                try family.parent.save()
                return ([list] + songs).map(\.objectID)
            }
            try family.child.onQueue {
                let child = family.child
                let songs = [3, 1, 2].map { child.object(with: ids[$0]) }
                child.object(with: ids[0]).setValue(NSOrderedSet(array: songs), forKey: "songs")
                try family.parent.onQueue {
                    family.parent.delete(family.parent.object(with: ids[2]))
                    family.parent.processPendingChanges()
                    if loss == .deletedAndSaved { try family.parent.save() }
                }
                try child.save()
            }
            try family.parent.onQueue {
                let list = family.parent.object(with: ids[0])
                let songs = (list.value(forKey: "songs") as? NSOrderedSet)?.array
                    .compactMap { ($0 as? NSManagedObject)?.text("title") }
                #expect(songs == ["c", "a"])
                try family.parent.save()
            }
        }
    }

    /// The child still has what the parent showed before it rolled back.
    @Test(arguments: StoreKind.allCases, Loss.allCases)
    func anOrderOfAListThatIsGoneIsDropped(kind: StoreKind, loss: Loss) throws {
        try withFamily(kind) { family throws in
            let listID = try family.saved("Playlist", ["title": "l"])
            let songID = try family.saved("Song", ["title": "s"])
            let parent = family.parent, child = family.child
            parent.performAndWait {
                let list = parent.object(with: listID)
                parent.object(with: songID).setValue(list, forKey: "playlist")
                parent.processPendingChanges()
            }
            try child.onQueue {
                let song = try child.existingObject(with: songID)
                #expect(song.one("playlist")?.text("title") == "l")
                try parent.onQueue {
                    parent.rollback()
                    parent.delete(parent.object(with: listID))
                    parent.processPendingChanges()
                    if loss == .deletedAndSaved { try parent.save() }
                }
                child.object(with: listID).mutableOrderedSetValue(forKey: "songs").add(song)
                try child.save()
            }
            try parent.onQueue {
                #expect(parent.object(with: songID).one("playlist") == nil)
                try parent.save()
            }
        }
    }
}
