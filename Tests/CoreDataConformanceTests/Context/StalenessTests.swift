import CoreData
import TestSupport
import Testing

@Suite struct StalenessTests {
    /// Changes the person's age in another context.
    private func changeAge(_ stack: TestStack, _ age: Int) throws {
        let other = stack.makeContext()
        try other.onQueue {
            try other.only("Person").setValue(age, forKey: "age")
            try other.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anUnchangedObjectCanBeCheckedForConflicts(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "Ada", "age": 1])
                try context.save()
                try changeAge(stack, 2)
                context.make("Tag", ["label": "first"])
                try context.save()
                context.detectConflicts(for: person)
                try changeAge(stack, 3)
                context.make("Tag", ["label": "second"])
                let error = caughtError(context.save)
                #expect(error?.code == NSManagedObjectMergeError)
                let list = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey]
                #expect((list as? [NSMergeConflict])?.first?.sourceObject === person)
                #expect(try context.number("Tag") == 2)
                context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
                try context.save()
                #expect(person.integer("age") == 3)
                #expect(try context.number("Tag") == 2)
            }
        }
    }

    /// Of what the row cache has, others know nothing.
    @Test(.enabled(if: SQLiteShell.isThere, "needs the sqlite3 shell"))
    func anObjectIsCheckedAgainstWhatAnotherProcessHasWritten() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "Ada", "age": 1])
                try context.save()
                context.detectConflicts(for: person)
                try SQLiteShell.run(stack.url, "UPDATE ZPERSON SET ZAGE = 9, Z_OPT = Z_OPT + 1")
                context.make("Tag", ["label": "first"])
                let error = caughtError(context.save)
                #expect(error?.code == NSManagedObjectMergeError)
                context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
                try context.save()
                #expect(person.integer("age") == 9)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aResetLetsGoOfObjectsThatWereToBeCheckedForConflicts(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                weak var checked: NSManagedObject?
                do {
                    let person = context.make("Person", ["name": "Ada", "age": 1])
                    try context.save()
                    context.detectConflicts(for: person)
                    checked = person
                }
                #expect(checked != nil)
                context.reset()
                #expect(checked == nil)
                // Nor is the save that follows refused because of it.
                try changeAge(stack, 2)
                context.make("Tag", ["label": "first"])
                try context.save()
            }
        }
    }

    @Test func aResetLetsGoOfWhatASaveThatFailedHasDeleted() throws {
        try withContext(.inMemory) { context in
            context.propagatesDeletesAtEndOfEvent = false
            weak var deleted: NSManagedObject?
            do {
                let tag = context.make("Tag", ["label": "t"])
                // Lacks its name.
                context.make("Person")
                context.processPendingChanges()
                context.delete(tag)
                context.processPendingChanges()
                #expect(throws: (any Error).self) { try context.save() }
                deleted = tag
            }
            context.reset()
            #expect(deleted == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aStaleRowIsReadAgain(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                #expect(context.stalenessInterval < 0)
                context.stalenessInterval = 0
                let person = context.make("Person", ["name": "Ada", "age": 1])
                try context.save()
                try changeAge(stack, 2)
                context.refresh(person, mergeChanges: true)
                #expect(person.integer("age") == 2)
                try changeAge(stack, 3)
                context.refresh(person, mergeChanges: false)
                #expect(person.integer("age") == 3)
                context.stalenessInterval = 3_600
                context.refresh(person, mergeChanges: false)
                #expect(person.integer("age") == 3)
            }
        }
    }

    @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, .nan])
    func anIntervalWithoutAnEndIsNeverOver(interval: Double) throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                context.stalenessInterval = interval
                let person = context.make("Person", ["name": "Ada", "age": 1])
                try context.save()
                for _ in 0..<3 {
                    context.refresh(person, mergeChanges: false)
                    #expect(person.integer("age") == 1)
                }
            }
        }
    }
}
