import CoreData
import TestSupport
import Testing

/// To-many relationships without an inverse: the store keeps them, and no object says whom it
/// belongs to.
@Suite struct OneWayRelationshipTests {
    /// The sample model in which tags like songs, and shelve them in an order.
    private static func model() -> NSManagedObjectModel {
        let model = SampleModel.make()
        func oneWay(_ name: String, isOrdered: Bool) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = model.entitiesByName["Song"]
            relationship.isOptional = true
            relationship.isOrdered = isOrdered
            return relationship
        }
        model.entitiesByName["Tag"]?.properties += [
            oneWay("likes", isOrdered: false), oneWay("shelf", isOrdered: true),
        ]
        return model
    }

    private func withTag(
        _ kind: StoreKind,
        _ body: (NSManagedObjectContext, NSManagedObject, [NSManagedObject]) throws -> Void
    ) throws {
        try withContext(kind, model: Self.model()) { context throws in
            let songs = "abcd".map { context.make("Song", ["title": String($0)]) }
            let tag = context.make(
                "Tag",
                [
                    "label": "t", "likes": NSSet(array: songs),
                    "shelf": NSOrderedSet(array: songs.reversed()),
                ]
            )
            try context.save()
            try body(context, tag, songs)
        }
    }

    private func titles(_ owner: NSManagedObject, _ key: String) -> String {
        let objects =
            (owner.value(forKey: key) as? NSOrderedSet)?.array
            ?? owner.set(key).sorted { ($0.text("title") ?? "") < ($1.text("title") ?? "") }
        return objects.compactMap { ($0 as? NSManagedObject)?.text("title") }.joined()
    }

    @Test(arguments: StoreKind.allCases)
    func membersThatAreTakenOutAreNoLongerIn(kind: StoreKind) throws {
        try withTag(kind) { context, tag, songs throws in
            tag.mutableSetValue(forKey: "likes").remove(songs[0])
            tag.mutableOrderedSetValue(forKey: "shelf").remove(songs[1])
            #expect(titles(tag, "likes") == "bcd" && titles(tag, "shelf") == "dca")
            try context.save()
            context.refreshAllObjects()
            #expect(titles(tag, "likes") == "bcd" && titles(tag, "shelf") == "dca")
            tag.mutableOrderedSetValue(forKey: "shelf").insert(songs[1], at: 0)
            try context.save()
            context.refreshAllObjects()
            #expect(titles(tag, "shelf") == "bdca")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func membersStayWhenTheirOwnerGoes(kind: StoreKind) throws {
        try withTag(kind) { context, tag, songs throws in
            context.delete(tag)
            try context.save()
            context.reset()
            let left = try context.all("Song", sortedBy: "title")
            #expect(left.count == 4)
            let new = context.make(
                "Tag",
                ["likes": NSSet(array: left), "shelf": NSOrderedSet(array: left)]
            )
            try context.save()
            context.refreshAllObjects()
            #expect(titles(new, "likes") == "abcd" && titles(new, "shelf") == "abcd")
        }
    }

    @Test func aBatchDeleteOfTheOwnerLeavesMembersThatBelongToNobody() throws {
        try withTag(.sqlite) { context, tag, songs throws in
            try context.execute(NSBatchDeleteRequest(objectIDs: [tag.objectID]))
            context.reset()
            #expect(try context.number("Tag") == 0 && context.number("Song") == 4)
            // The next tag may get the key of the one that went.
            let next = context.make("Tag", ["label": "n"])
            try context.save()
            context.refreshAllObjects()
            #expect(titles(next, "likes").isEmpty && titles(next, "shelf").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func membersThatAreDeletedLeaveTheirOwner(kind: StoreKind) throws {
        try withTag(kind) { context, tag, songs throws in
            context.delete(songs[2])
            try context.save()
            context.refreshAllObjects()
            #expect(titles(tag, "likes") == "abd" && titles(tag, "shelf") == "dba")
        }
    }

    /// Transient relationships are a context's alone.
    @Test func aTransientRelationshipIsKeptByItsObjectOnly() throws {
        let model = SampleModel.make()
        let pinned = NSRelationshipDescription()
        pinned.name = "pinned"
        pinned.destinationEntity = model.entitiesByName["Song"]
        pinned.isOptional = true
        pinned.isTransient = true
        model.entitiesByName["Tag"]?.properties.append(pinned)
        try withContext(.sqlite, model: model) { context throws in
            let song = context.make("Song"), tag = context.make("Tag")
            #expect((tag.value(forKey: "pinned") as? NSSet)?.count == 0)
            tag.setValue(NSSet(object: song), forKey: "pinned")
            #expect(tag.set("pinned") == [song])
            try context.save()
            #expect(tag.set("pinned") == [song])
            context.reset()
            #expect(try context.only("Tag").set("pinned").isEmpty)
        }
    }
}
