import CoreData
import TestSupport
import Testing

@Suite struct ConflictTests {
    /// Two contexts have changed one person: the other one has saved "theirs" as the name and 2 as
    /// the age; this one has "ours" as the name and 1.5 as the height, unsaved.
    private func conflict(
        _ kind: StoreKind,
        _ policy: Any,
        theirs: (NSManagedObject, NSManagedObjectContext) -> Void = { person, _ in
            person.setValue("theirs", forKey: "name")
            person.setValue(2, forKey: "age")
        },
        ours: (NSManagedObject, NSManagedObjectContext) -> Void = { person, _ in
            person.setValue("ours", forKey: "name")
            person.setValue(1.5, forKey: "height")
        },
        _ body: (NSManagedObject, NSManagedObjectContext, TestStack) throws -> Void
    ) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            context.mergePolicy = policy
            try context.onQueue {
                let person = context.make("Person", ["name": "old", "age": 1, "height": 1.0])
                try context.save()
                ours(person, context)
                try other.onQueue {
                    theirs(try other.only("Person"), other)
                    try other.save()
                }
                try body(person, context, stack)
            }
        }
    }

    private func stored(_ stack: TestStack) throws -> [String: Any]? {
        let context = stack.makeContext()
        return try context.onQueue {
            try context.all("Person").first?.committedValues(forKeys: ["name", "age", "height"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theErrorPolicyMakesTheSaveFail(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.error) { person, context, stack in
            let log = NotificationLog(context)
            let error = try #require(caughtError(context.save))
            log.stop()
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectMergeError)
            let list = try #require(
                error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            )
            #expect(list.count == 1)
            let conflict = try #require(list.first)
            #expect(conflict.sourceObject === person)
            #expect(conflict.newVersionNumber == conflict.oldVersionNumber + 1)
            #expect(conflict.objectSnapshot?["name"] as? String == "ours")
            #expect(conflict.cachedSnapshot?["name"] as? String == "theirs")
            #expect(conflict.cachedSnapshot?["age"] as? Int == 2)
            #expect(conflict.persistedSnapshot == nil)
            #expect(log.count(.NSManagedObjectContextDidSave) == 0)
            #expect(person.isUpdated && person.text("name") == "ours")
            #expect(person.integer("age") == 1)
            #expect(errorCode(context.save) == 133020)
            context.refresh(person, mergeChanges: true)
            #expect(person.text("name") == "ours" && person.integer("age") == 2)
            try context.save()
            #expect(try stored(stack)?["name"] as? String == "ours")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theObjectTrumpsPropertyByProperty(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.mergeByPropertyObjectTrump) { person, context, stack in
            try context.save()
            let values = try #require(try stored(stack))
            #expect(values["name"] as? String == "ours")
            #expect(values["age"] as? Int == 2)
            #expect(values["height"] as? Double == 1.5)
            #expect(person.integer("age") == 2)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theStoreTrumpsPropertyByProperty(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.mergeByPropertyStoreTrump) { person, context, stack in
            try context.save()
            let values = try #require(try stored(stack))
            #expect(values["name"] as? String == "theirs")
            #expect(values["age"] as? Int == 2)
            #expect(values["height"] as? Double == 1.5)
            #expect(person.text("name") == "theirs")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theStoreTrumpsWhateverBothHaveChanged(kind: StoreKind) throws {
        func set(_ person: NSManagedObject, _ number: Int) {
            person.setValue("\(number)", forKey: "name")
            person.setValue(number, forKey: "age")
            person.setValue(Double(number), forKey: "height")
        }
        try conflict(
            kind,
            NSMergePolicy.mergeByPropertyStoreTrump,
            theirs: { person, _ in set(person, 2) },
            ours: { person, _ in set(person, 3) }
        ) { person, context, stack in
            try context.save()
            let values = try #require(try stored(stack))
            #expect(values["name"] as? String == "2" && values["age"] as? Int == 2)
            #expect(values["height"] as? Double == 2)
            #expect(person.integer("age") == 2 && person.text("name") == "2")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func overwritingSavesTheWholeObject(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.overwrite) { _, context, stack in
            try context.save()
            let values = try #require(try stored(stack))
            #expect(values["name"] as? String == "ours")
            #expect(values["age"] as? Int == 1)
            #expect(values["height"] as? Double == 1.5)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func rollingBackDropsTheObjectsChanges(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.rollback) { person, context, stack in
            try context.save()
            let values = try #require(try stored(stack))
            #expect(values["name"] as? String == "theirs")
            #expect(values["height"] as? Double == 1.0)
            #expect(person.text("name") == "theirs" && person.integer("age") == 2)
            #expect(person.value(forKey: "height") as? Double == 1.0)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRowDeletedMeanwhileIsAConflictWithVersionZero(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.error, theirs: { $1.delete($0) }) { _, context, stack in
            let error = try #require(caughtError(context.save))
            #expect(error.code == 133020)
            let list = error.userInfo["conflictList"] as? [NSMergeConflict]
            #expect(list?.first?.newVersionNumber == 0)
            #expect(list?.first?.cachedSnapshot == nil)
            #expect(try stored(stack) == nil)
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType,
            .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
        ]
    )
    func aRowDeletedMeanwhileStaysDeleted(kind: StoreKind, type: NSMergePolicyType) throws {
        let policy = NSMergePolicy(merge: type)
        try conflict(kind, policy, theirs: { $1.delete($0) }) { person, context, stack in
            try context.save()
            #expect(!context.hasChanges)
            #expect(try stored(stack) == nil)
            #expect(person.managedObjectContext == nil)
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func overwritingInsertsADeletedRowAgain(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.overwrite, theirs: { $1.delete($0) }) {
            person,
            context,
            stack in
            let id = person.objectID
            try context.save()
            let values = try #require(try stored(stack))
            #expect(values["name"] as? String == "ours" && values["age"] as? Int == 1)
            #expect(person.objectID == id)
            #expect(!context.hasChanges)
            person.setValue("more", forKey: "name")
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func deletingAChangedRowIsAConflict(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.error, ours: { $1.delete($0) }) { person, context, _ in
            #expect(errorCode(context.save) == 133020)
            #expect(person.isDeleted)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func rollingBackADeletionBringsTheObjectBack(kind: StoreKind) throws {
        try conflict(kind, NSMergePolicy.rollback, ours: { $1.delete($0) }) { person, context, _ in
            try context.save()
            #expect(!person.isDeleted && person.text("name") == "theirs")
            #expect(try context.number("Person") == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfOneSaveDoNotConflictWithTheContextsNext(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "a"])
            try context.save()
            for index in 0..<5 {
                person.setValue("b\(index)", forKey: "name")
                try context.save()
            }
            #expect(person.text("name") == "b4")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRelationshipThatTheStoreTrumpsIsRightAtBothEnds(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            try context.onQueue {
                let ours = context.make("Department", ["name": "ours"])
                let theirs = context.make("Department", ["name": "theirs"])
                let person = context.make("Person", ["name": "Ann"])
                try context.save()
                _ = ours.set("people").union(theirs.set("people"))
                person.setValue(ours, forKey: "department")
                try other.onQueue {
                    let department = try other.existingObject(with: theirs.objectID)
                    try other.only("Person").setValue(department, forKey: "department")
                    try other.save()
                }
                try context.save()
                #expect(person.one("department") === theirs)
                #expect(ours.set("people").isEmpty)
                #expect(theirs.set("people") == [person])
                try context.save()
                context.refreshAllObjects()
                #expect(theirs.set("people") == [person])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aPolicyOfTheClientsOwnResolvesConflicts(kind: StoreKind) throws {
        let policy = CountingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try conflict(kind, policy) { _, context, stack in
            try context.save()
            #expect(policy.count == 1)
            #expect(try stored(stack)?["name"] as? String == "ours")
        }
    }
}

private final class CountingPolicy: NSMergePolicy, @unchecked Sendable {
    // @unchecked: used by one context only.
    var count = 0
    override func resolve(mergeConflicts list: [Any]) throws {
        count += list.count
        try super.resolve(mergeConflicts: list)
    }
}
