import CoreData
import TestSupport
import Testing

/// Rows that others insert again, or change, while a conflict over them is being resolved.
@Suite struct ReinsertionConflictTests {
    /// Overwrites at first, lets others save then, and resolves what comes of that in another way.
    private final class RacingPolicy: NSMergePolicy, @unchecked Sendable {
        // @unchecked: used by one context only.
        var race: (() throws -> Void)?

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            guard let race else { return try super.resolve(optimisticLockingConflicts: list) }
            try NSMergePolicy.overwrite.resolve(optimisticLockingConflicts: list)
            self.race = nil
            try race()
        }
    }

    /// A third context deletes a person that two others have changed. One of them overwrites that,
    /// and when it is about to insert the row again, the other one has done so.
    @Test(
        arguments: StoreKind.allCases,
        [
            NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
            .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
        ]
    )
    func aRowIsNotInsertedTwice(kind: StoreKind, second: NSMergePolicyType) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            let third = stack.makeContext()
            let policy = RacingPolicy(merge: second)
            context.mergePolicy = policy
            other.mergePolicy = NSMergePolicy.overwrite
            try context.onQueue {
                let person = context.make("Person", ["name": "old", "age": 1])
                try context.save()
                person.setValue("ours", forKey: "name")
                try other.onQueue { try other.only("Person").setValue(7, forKey: "age") }
                try third.onQueue {
                    third.delete(try third.only("Person"))
                    try third.save()
                }
                policy.race = { try other.onQueue { try other.save() } }
                try context.save()
                #expect(policy.race == nil)
                #expect(!context.hasChanges && !person.isInserted)
                let isOurs = [
                    .overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
                ].contains(second)
                #expect(person.text("name") == (isOurs ? "ours" : "old"))
                // A row that is there once, and goes on from where it stands.
                person.setValue("more", forKey: "name")
                try context.save()
                context.reset()
                let saved = try context.only("Person")
                #expect(saved.text("name") == "more")
                #expect(saved.integer("age") == (isOurs ? 1 : 7))
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [NSMergePolicy.overwrite, .rollback])
    func aDeletionOfAChangedRowIsSavedOrTakenBack(kind: StoreKind, policy: NSMergePolicy) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            context.mergePolicy = policy
            try context.onQueue {
                let person = context.make("Person", ["name": "old"])
                try context.save()
                context.delete(person)
                try other.onQueue {
                    try other.only("Person").setValue("theirs", forKey: "name")
                    try other.save()
                }
                try context.save()
                #expect(!context.hasChanges)
                let names = try context.all("Person").map { $0.text("name") }
                #expect(names == (policy === NSMergePolicy.overwrite ? [] : ["theirs"]))
            }
        }
    }

    /// A policy may be handed a conflict whose object has lost its context since.
    @Test(arguments: StoreKind.allCases)
    func aConflictWithoutAContextIsLeftAlone(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "a"])
                try context.save()
                let conflict = NSMergeConflict(
                    source: person,
                    newVersion: 0,
                    oldVersion: 1,
                    cachedSnapshot: nil,
                    persistedSnapshot: nil
                )
                context.reset()
                try NSMergePolicy.overwrite.resolve(optimisticLockingConflicts: [conflict])
                #expect(!context.hasChanges)
                #expect(try context.number("Person") == 1)
            }
        }
    }
}
