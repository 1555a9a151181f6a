import CoreData
import TestSupport
import Testing

/// New objects that take the place of rows with the same unique values: what becomes of their
/// relationships, and of those who know the row's object.
@Suite struct ConstraintTakeoverTests {
    /// Songs have unique titles, and notes of a transformable type.
    private static func model() -> NSManagedObjectModel {
        let model = SampleModel.make()
        let notes = NSAttributeDescription()
        notes.name = "notes"
        notes.attributeType = .transformableAttributeType
        notes.valueTransformerName =
            NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        notes.isOptional = true
        let song = model.entitiesByName["Song"]
        song?.properties.append(notes)
        song?.uniquenessConstraints = [["title"]]
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["label"]]
        return model
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
        ]
    )
    func toOneRelationshipsAndObjectsAreKeptAsAttributesAre(
        kind: StoreKind,
        type: NSMergePolicyType
    ) throws {
        try withContext(kind, model: Self.model()) { context in
            context.mergePolicy = NSMergePolicy(merge: type)
            let one = context.make("Playlist", ["title": "1"])
            let two = context.make("Playlist", ["title": "2"])
            context.make("Song", ["title": "a", "playlist": one, "notes": ["old"]])
            context.make("Song", ["title": "b", "playlist": one, "notes": ["old"]])
            try context.save()
            context.make("Song", ["title": "a", "playlist": two, "notes": ["new"]])
            context.make("Song", ["title": "b"])
            try context.save()
            context.reset()
            let songs = try context.all("Song", sortedBy: "title")
            let titles = songs.map { $0.text("title") }
            #expect(titles == ["a", "b"])
            let lists = songs.map { $0.one("playlist")?.text("title") }
            let notes = songs.map { $0.value(forKey: "notes") as? [String] }
            switch type {
            case .mergeByPropertyStoreTrumpMergePolicyType:
                #expect(lists == ["1", "1"] && notes == [["old"], ["old"]])
            case .mergeByPropertyObjectTrumpMergePolicyType:
                // What was never set does not count.
                #expect(lists == ["2", "1"] && notes == [["new"], ["old"]])
            default:
                #expect(lists == ["2", nil] && notes == [["new"], nil])
            }
        }
    }

    /// Of two new objects one stays, and has what both were related to.
    @Test(
        arguments: StoreKind.allCases,
        [NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump]
    )
    func whoStaysHasTheRelationshipsOfThoseThatGo(kind: StoreKind, policy: NSMergePolicy) throws {
        try withContext(kind, model: Self.model()) { context in
            context.mergePolicy = policy
            for name in ["Ada", "Bob"] {
                let tag = context.make("Tag", ["label": "x"])
                tag.setValue(Set([context.make("Person", ["name": name])]), forKey: "people")
            }
            let list = context.make("Playlist", ["title": "P"])
            let songs = (1...2).map {
                context.make("Song", ["title": "a", "seconds": $0, "playlist": list])
            }
            try context.save()
            let tag = try context.only("Tag")
            let names = Set(tag.set("people").map { $0.text("name") })
            #expect(names == ["Ada", "Bob"])
            let song = try context.only("Song")
            let isObjectTrump = policy === NSMergePolicy.mergeByPropertyObjectTrump
            #expect(song === songs[isObjectTrump ? 1 : 0])
            #expect(song.one("playlist") === list && titles(list) == ["a"])
        }
    }

    /// Who has the row's object at hand is told that it is gone, and finds the new one.
    @Test(arguments: StoreKind.allCases)
    func whoKnowsTheRowFindsTheNewObject(kind: StoreKind) throws {
        try withContext(kind, model: Self.model()) { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let old = context.make("Tag", ["label": "x"])
            let ada = context.make("Person", ["name": "Ada"])
            ada.setValue(Set([old]), forKey: "tags")
            try context.save()
            #expect(ada.set("tags") == [old])
            let id = old.objectID
            let new = context.make("Tag", ["label": "x"])
            try context.save()
            #expect(new.objectID == id && context.registeredObject(for: id) === new)
            #expect(old.managedObjectContext == nil)
            #expect(ada.set("tags") == [new] && new.set("people") == [ada])
            #expect(!context.hasChanges)
        }
    }

    /// A conflict that names nobody who could give way changes nothing.
    @Test(arguments: StoreKind.allCases)
    func aConflictOfNobodyIsResolved(kind: StoreKind) throws {
        try withContext(kind, model: Self.model()) { context in
            let tag = context.make("Tag", ["label": "x"])
            try context.save()
            let conflict = NSConstraintConflict(
                constraint: ["label"],
                database: tag,
                databaseSnapshot: nil,
                conflicting: [],
                conflictingSnapshots: []
            )
            #expect(conflict.constraintValues["label"] is NSNull)
            try NSMergePolicy.overwrite.resolve(constraintConflicts: [conflict])
            #expect(!context.hasChanges && tag.text("label") == "x")
        }
    }

    /// No row can change its entity: one of another entity goes, or the new object does.
    @Test(
        arguments: StoreKind.allCases,
        [NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite]
    )
    func aRowOfAnotherEntityIsNotTakenOver(kind: StoreKind, policy: NSMergePolicy) throws {
        let model = SampleModel.make()
        model.entitiesByName["Person"]?.uniquenessConstraints = [["name"]]
        try withContext(kind, model: model) { context in
            context.mergePolicy = policy
            context.make("Employee", ["name": "a", "age": 1])
            try context.save()
            context.make("Person", ["name": "a", "age": 2])
            try context.save()
            #expect(!context.hasChanges)
            context.reset()
            let saved = try context.only("Person")
            let isStoreTrump = policy === NSMergePolicy.mergeByPropertyStoreTrump
            #expect(saved.entity.name == (isStoreTrump ? "Employee" : "Person"))
            #expect(saved.integer("age") == (isStoreTrump ? 1 : 2))
        }
    }

    /// Whoever has inserted an object through a parent has it as the row that the parent's has
    /// become.
    @Test(arguments: StoreKind.allCases)
    func aChildsObjectBecomesTheRowToo(kind: StoreKind) throws {
        try withStack(kind, model: try BatchTests.modelWithUniqueLabels()) { stack in
            let parent = stack.makeContext()
            let child = Family.makeChild(of: parent, "child")
            parent.onQueue { parent.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
            let id = try parent.onQueue {
                let old = parent.make("Tag", ["label": "x", "weight": 1])
                try parent.save()
                return old.objectID
            }
            try child.onQueue {
                let tag = child.make("Tag", ["label": "x", "weight": 5])
                try child.save()
                try parent.onQueue { try parent.save() }
                #expect(try child.only("Tag") === tag)
                #expect(tag.objectID == id && tag.integer("weight") == 5)
            }
        }
    }
}
