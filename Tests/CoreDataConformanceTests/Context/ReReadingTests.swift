import CoreData
import TestSupport
import Testing

/// When contexts look at the store again.
@Suite struct ReReadingTests {
    @Test(arguments: StoreKind.allCases)
    func aCleanObjectIsComparedOnceIfThatIsAskedForTwice(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let tags = ["a", "b"].map { context.make("Tag", ["label": $0]) }
                try context.save()
                for _ in 0..<2 { context.detectConflicts(for: tags[0]) }
                try other.onQueue {
                    other.object(with: tags[0].objectID).setValue("theirs", forKey: "label")
                    try other.save()
                }
                tags[1].setValue("mine", forKey: "label")
                let error = caughtError { try context.save() }
                #expect(error?.code == NSManagedObjectMergeError)
                let conflicts =
                    error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
                #expect(conflicts?.map(\.sourceObject) == [tags[0]])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aFaultHasNoVersionToCompare(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let tags = ["a", "b"].map { context.make("Tag", ["label": $0]) }
                try context.save()
                context.detectConflicts(for: tags[0])
                context.refresh(tags[0], mergeChanges: false)
                try other.onQueue {
                    other.object(with: tags[0].objectID).setValue("theirs", forKey: "label")
                    try other.save()
                }
                tags[1].setValue("mine", forKey: "label")
                try context.save()
                #expect(tags[0].text("label") == "theirs")
            }
        }
    }

    /// The times of that many rows are forgotten at once, which costs a statement each.
    @Test func aContextOfThousandsOfStaleRowsShowsThemAll() throws {
        try withContext(.sqlite) { context throws in
            let number = 10_002
            let request = NSBatchInsertRequest(
                entityName: "Tag",
                objects: (0..<number).map { ["label": "\($0)"] }
            )
            try context.execute(request)
            context.stalenessInterval = 3_600
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            fetch.includesPropertyValues = false
            let labels = try context.fetch(fetch).compactMap { $0.text("label") }
            #expect(Set(labels).count == number)
        }
    }

    @Test func objectsThatAreRegisteredAlreadyAreRetainedFromThenOn() throws {
        try withContext(.sqlite) { context throws in
            for label in ["a", "b"] { context.make("Tag", ["label": label]) }
            try context.save()
            context.reset()
            var tags = try context.all("Tag")
            #expect(tags.count == 2)
            context.retainsRegisteredObjects = true
            tags = []
            #expect(context.registeredObjects.count == 2)
            context.retainsRegisteredObjects = false
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test func anObjectThatHasLeftItsContextIsNotRefreshed() throws {
        try withContext(.sqlite) { context throws in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            _ = tag.text("label")
            context.reset()
            context.refresh(tag, mergeChanges: false)
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
        }
    }

    @Test func aCountMayLeaveOutWhatIsNotSaved() throws {
        try withContext(.sqlite) { context throws in
            context.make("Tag", ["label": "a"])
            try context.save()
            context.make("Tag", ["label": "b"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            #expect(try context.count(for: request) == 2)
            request.includesPendingChanges = false
            #expect(try context.count(for: request) == 1)
        }
    }

    /// A fetch within a predicate that gives rows of several columns: no single value, so in none.
    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func aFetchOfSeveralColumnsGivesDictionaries(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            context.make("Tag", ["label": "a"])
            context.make("Song", ["title": "a", "seconds": 3])
            try context.save()
            let songs = NSFetchRequest<NSDictionary>(entityName: "Song")
            songs.resultType = .dictionaryResultType
            songs.propertiesToFetch = ["title", "seconds"]
            let expression = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: songs),
                context: NSExpression(forConstantValue: context),
                countOnly: false
            )
            let value = expression.expressionValue(with: nil, context: nil)
            let rows = try #require(value as? [Any])
            #expect((rows.first as? NSDictionary)?["seconds"] as? Int == 3)
        }
    }

    @Test func prefetchingTakesWhatIsReadAlreadyAsItIs() throws {
        try withContext(.sqlite) { context throws in
            let department = context.make("Department", ["name": "D"])
            for name in ["a", "b"] {
                context.make("Person", ["name": name, "department": department])
            }
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Department")
            request.relationshipKeyPathsForPrefetching = ["", "people", "people.department"]
            let read = try #require(try context.fetch(request).first)
            #expect(!read.hasFault(forRelationshipNamed: "people"))
            let people = read.set("people")
            for person in people { context.refresh(person, mergeChanges: false) }
            #expect(try context.fetch(request) == [read])
            #expect(people.count == 2 && people.allSatisfy { $0.one("department") === read })
        }
    }

    /// The row that it shows is another one than the store's, which nobody holds.
    @Test func anObjectThatIsBehindIsSortedByWhatItShows() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let tags = ["a", "b"].map { context.make("Tag", ["label": $0]) }
                try context.save()
                let other = stack.makeContext()
                try other.onQueue {
                    other.object(with: tags[0].objectID).setValue("c", forKey: "label")
                    try other.save()
                    other.reset()
                }
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
                request.fetchBatchSize = 1
                let found = try context.fetch(request)
                #expect(found == tags && found.map { $0.text("label") } == ["a", "b"])
                context.refreshAllObjects()
                #expect(try context.fetch(request).map { $0.text("label") } == ["b", "c"])
            }
        }
    }
}
