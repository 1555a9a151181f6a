import CoreData
import TestSupport
import Testing

@Suite struct ConstraintTests {
    private static let kindsAndTrumps: [(StoreKind, NSMergePolicy, Bool)] = StoreKind.allCases
        .flatMap {
            [
                ($0, NSMergePolicy.mergeByPropertyStoreTrump, false), ($0, .rollback, false),
                ($0, .mergeByPropertyObjectTrump, true), ($0, .overwrite, true),
            ]
        }

    private func conflicts(_ error: NSError?) throws -> [NSConstraintConflict] {
        try #require(
            error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
        )
    }

    @Test(arguments: StoreKind.allCases)
    func theErrorPolicyReportsTheRowThatHasTheValues(kind: StoreKind) throws {
        try withContext(kind, model: try BatchTests.modelWithUniqueLabels()) { context in
            let old = context.make("Tag", ["label": "x", "weight": 1])
            try context.save()
            let new = context.make("Tag", ["label": "x", "weight": 2])
            let id = new.objectID
            let error = caughtError(context.save)
            #expect(error?.code == NSManagedObjectConstraintMergeError)
            #expect(error?.domain == NSCocoaErrorDomain)
            let list = try conflicts(error)
            let conflict = try #require(list.first)
            #expect(list.count == 1 && conflict.constraint == ["label"])
            #expect(conflict.constraintValues["label"] as? String == "x")
            #expect(conflict.databaseObject === old && conflict.conflictingObjects == [new])
            #expect(conflict.databaseSnapshot?["weight"] as? Int == 1)
            #expect(conflict.conflictingSnapshots.first?["weight"] as? Int == 2)
            #expect(new.isInserted && new.objectID.isTemporaryID && new.objectID == id)
            #expect(context.registeredObject(for: id) === new)
            new.setValue("y", forKey: "label")
            try context.save()
            #expect(try context.number("Tag") == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func newObjectsOfSeveralEntitiesKeepTheirIDsIfTheirSaveFails(kind: StoreKind) throws {
        try withContext(kind, model: try BatchTests.modelWithUniqueLabels()) { context in
            _ = context.make("Tag", ["label": "x"])
            try context.save()
            // In turns, so that the keys that are taken back belong to other entities each time.
            let objects = (0..<6).map { number in
                number % 3 == 2
                    ? context.make("Employee", ["name": "P\(number)"])
                    : context.make("Tag", ["label": "x\(number)"])
            }
            objects[4].setValue("x", forKey: "label")
            let ids = objects.map(\.objectID)
            #expect(caughtError(context.save)?.code == NSManagedObjectConstraintMergeError)
            for (object, id) in zip(objects, ids) {
                #expect(object.isInserted && object.objectID == id && id.isTemporaryID)
                #expect(context.registeredObject(for: id) === object)
            }
            objects[4].setValue("y", forKey: "label")
            try context.save()
            for object in objects {
                #expect(!object.objectID.isTemporaryID)
                #expect(context.registeredObject(for: object.objectID) === object)
            }
            #expect(try context.number("Tag") == 5 && context.number("Employee") == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsOfOneSaveAreInConflictWithEachOther(kind: StoreKind) throws {
        try withContext(kind, model: try BatchTests.modelWithUniqueLabels()) { context in
            let objects = (0..<2).map { context.make("Tag", ["label": "x", "weight": $0]) }
            let error = caughtError(context.save)
            #expect(error?.code == NSManagedObjectConstraintMergeError)
            let conflict = try #require(try conflicts(error).first)
            #expect(conflict.databaseObject == nil && conflict.databaseSnapshot == nil)
            #expect(Set(conflict.conflictingObjects) == Set(objects))
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(try context.only("Tag").integer("weight") == 1)
        }
    }

    @Test(arguments: kindsAndTrumps)
    func aNewObjectTakesThePlaceOfTheRow(
        kind: StoreKind,
        policy: NSMergePolicy,
        objectTrumps: Bool
    ) throws {
        try withStack(kind, model: try BatchTests.modelWithUniqueLabels()) { stack in
            let other = stack.makeContext(), context = stack.makeContext()
            let id = try other.onQueue {
                let person = other.make("Person", ["name": "Ada"])
                let tag = other.make("Tag", ["label": "x", "weight": 1])
                tag.setValue(Set([person]), forKey: "people")
                try other.save()
                return tag.objectID
            }
            try context.onQueue {
                context.mergePolicy = policy
                let new = context.make("Tag", ["label": "x", "weight": 2])
                let bob = context.make("Person", ["name": "Bob"])
                new.setValue(Set([bob]), forKey: "people")
                try context.save()
                #expect(new.objectID == id && !context.hasChanges)
                #expect(new.integer("weight") == (objectTrumps ? 2 : 1))
                #expect(bob.set("tags") == [new])
                #expect(try context.only("Tag") === new)
                new.setValue(9, forKey: "weight")
                try context.save()
            }
            try other.onQueue {
                other.reset()
                let tag = try other.only("Tag")
                #expect(tag.integer("weight") == 9)
                #expect(Set(tag.set("people").map { $0.text("name") }) == ["Ada", "Bob"])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func valuesThatWereNeverSetDoNotOverwriteTheRow(kind: StoreKind) throws {
        for (policy, weight) in [(NSMergePolicy.mergeByPropertyObjectTrump, 1), (.overwrite, 7)] {
            try withContext(kind, model: try BatchTests.modelWithUniqueLabels()) { context in
                context.mergePolicy = policy
                context.make("Tag", ["label": "x", "weight": 1])
                try context.save()
                context.make("Tag", ["label": "x"])
                try context.save()
                context.reset()
                #expect(try context.only("Tag").integer("weight") == weight)
            }
        }
    }

    @Test(arguments: kindsAndTrumps)
    func aSavedObjectTakesBackItsValuesOrTheOtherRowGoes(
        kind: StoreKind,
        policy: NSMergePolicy,
        objectTrumps: Bool
    ) throws {
        try withContext(kind, model: try BatchTests.modelWithUniqueLabels()) { context in
            context.mergePolicy = policy
            context.make("Tag", ["label": "x", "weight": 1])
            let other = context.make("Tag", ["label": "y", "weight": 2])
            try context.save()
            other.setValue("x", forKey: "label")
            try context.save()
            context.reset()
            let tags = try context.all("Tag", sortedBy: "label")
            #expect(tags.map { $0.text("label") } == (objectTrumps ? ["x"] : ["x", "y"]))
            #expect(tags.map { $0.integer("weight") } == (objectTrumps ? [2] : [1, 2]))
        }
    }

    /// A policy of a client's own: new objects that are in the way of a row go.
    private final class DroppingPolicy: NSMergePolicy, @unchecked Sendable {
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            for conflict in list {
                for object in conflict.conflictingObjects {
                    object.managedObjectContext?.delete(object)
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func subclassesResolveConflictsThemselves(kind: StoreKind) throws {
        try withContext(kind, model: try BatchTests.modelWithUniqueLabels()) { context in
            context.mergePolicy = DroppingPolicy(merge: .errorMergePolicyType)
            context.make("Tag", ["label": "x", "weight": 1])
            try context.save()
            context.make("Tag", ["label": "x", "weight": 2])
            context.make("Tag", ["label": "y", "weight": 3])
            try context.save()
            let tags = try context.all("Tag", sortedBy: "label")
            #expect(tags.map { $0.integer("weight") } == [1, 3])
        }
    }
}
