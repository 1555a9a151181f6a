import CoreData
import TestSupport
import Testing

@Suite struct PolicyTests {
    @Test func policiesHaveApplesTypes() {
        let policies: [(NSMergePolicy, NSMergePolicyType, UInt)] = [
            (.error, .errorMergePolicyType, 0),
            (.mergeByPropertyStoreTrump, .mergeByPropertyStoreTrumpMergePolicyType, 1),
            (.mergeByPropertyObjectTrump, .mergeByPropertyObjectTrumpMergePolicyType, 2),
            (.overwrite, .overwriteMergePolicyType, 3),
            (.rollback, .rollbackMergePolicyType, 4),
        ]
        for (policy, type, number) in policies {
            #expect(policy.mergeType == type && type.rawValue == number)
            #expect(NSMergePolicy(merge: type).mergeType == type)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func conflictsMadeByHandSayWhatTheyWereGiven(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            tag.setValue("b", forKey: "label")
            let conflict = NSMergeConflict(
                source: tag,
                newVersion: 5,
                oldVersion: 4,
                cachedSnapshot: ["label": "c"],
                persistedSnapshot: nil
            )
            #expect(conflict.sourceObject === tag && conflict.persistedSnapshot == nil)
            #expect(conflict.newVersionNumber == 5 && conflict.oldVersionNumber == 4)
            #expect(conflict.cachedSnapshot?["label"] as? String == "c")
            #expect(conflict.objectSnapshot?["label"] as? String == "b")
            let error = caughtError { try NSMergePolicy.error.resolve(mergeConflicts: [conflict]) }
            #expect(error?.code == NSManagedObjectMergeError)
            let list = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey]
            #expect((list as? [NSMergeConflict])?.first === conflict)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func constraintConflictsMadeByHandSayWhatTheyWereGiven(kind: StoreKind) throws {
        try withContext(kind) { context in
            let old = context.make("Tag", ["label": "x"]), new = context.make("Tag", ["label": "x"])
            let conflict = NSConstraintConflict(
                constraint: ["label"],
                database: old,
                databaseSnapshot: ["label": "x"],
                conflicting: [new],
                conflictingSnapshots: [["label": "x"]]
            )
            #expect(conflict.constraint == ["label"] && conflict.databaseObject === old)
            #expect(conflict.constraintValues["label"] as? String == "x")
            #expect(conflict.databaseSnapshot?["label"] as? String == "x")
            #expect(conflict.conflictingObjects == [new])
            #expect(conflict.conflictingSnapshots.first?["label"] as? String == "x")
            let code = errorCode {
                try NSMergePolicy.error.resolve(constraintConflicts: [conflict])
            }
            #expect(code == NSManagedObjectConstraintMergeError)
        }
    }

    /// Apple: snapshots hold attributes and to-one relationships, as IDs; none holds to-many ones.
    @Test(arguments: StoreKind.allCases)
    func snapshotsHoldNoToManyRelationships(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "A", "department": department])
            person.setValue(Set([context.make("Tag")]), forKey: "tags")
            try context.save()
            let conflict = NSMergeConflict(
                source: person,
                newVersion: 2,
                oldVersion: 1,
                cachedSnapshot: nil,
                persistedSnapshot: nil
            )
            let snapshot = try #require(conflict.objectSnapshot)
            #expect(snapshot["tags"] == nil && snapshot["name"] as? String == "A")
            #expect(snapshot["department"] as? NSManagedObjectID == department.objectID)
            #expect(snapshot["age"] is NSNull)
        }
    }
}
