import CoreData
import TestSupport
import Testing

/// `changedValuesForCurrentEvent()`, mostly as observers of the objects-did-change notification ask.
@Suite struct EventValueTests {
    /// What observers were given, by notification and object.
    private final class Log: @unchecked Sendable {
        // @unchecked: the context posts on its queue, where the test runs.
        private(set) var events: [[NSManagedObject: [String: Any]]] = []
        var onPost: (() -> Void)?
        private var token: (any NSObjectProtocol)?

        init(_ context: NSManagedObjectContext) {
            token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange,
                object: context,
                queue: nil
            ) { [unowned self] notification in
                let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey]
                let objects = keys.flatMap { key in
                    notification.userInfo?[key] as? Set<NSManagedObject> ?? []
                }
                events.append(
                    Dictionary(
                        uniqueKeysWithValues: objects.map {
                            ($0, $0.changedValuesForCurrentEvent())
                        }
                    )
                )
                onPost?()
            }
        }

        deinit { token.map(NotificationCenter.default.removeObserver) }

        func last(_ object: NSManagedObject) -> [String: Any] { events.last?[object] ?? [:] }
    }

    @Test(arguments: StoreKind.allCases)
    func observersAreGivenOldValues(kind: StoreKind) throws {
        try withContext(kind) { context in
            let maths = context.make("Department", ["name": "Maths"])
            let person = context.make("Person", ["name": "A", "department": maths])
            let tags = ["x", "y"].map { context.make("Tag", ["label": $0]) }
            person.setValue(Set([tags[0]]), forKey: "tags")
            try context.save()
            let log = Log(context)
            person.setValue("B", forKey: "name")
            person.setValue("C", forKey: "name")
            person.setValue(nil, forKey: "department")
            person.setValue(Set([tags[1]]), forKey: "tags")
            context.processPendingChanges()
            #expect(Set(log.last(person).keys) == ["name", "department", "tags"])
            #expect(log.last(person)["name"] as? String == "A")
            #expect(log.last(person)["department"] as AnyObject === maths)
            #expect(log.last(person)["tags"] as? Set<NSManagedObject> == [tags[0]])
            #expect(log.last(maths)["people"] as? Set<NSManagedObject> == [person])
            // Not saved meanwhile.
            person.setValue("D", forKey: "name")
            person.setValue(maths, forKey: "department")
            context.processPendingChanges()
            #expect(Set(log.last(person).keys) == ["name", "department"])
            #expect(log.last(person)["name"] as? String == "C")
            #expect(log.last(person)["department"] is NSNull)
            #expect(person.changedValuesForCurrentEvent().isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func observersOfADeletionAreGivenWhatItWasRelatedTo(kind: StoreKind) throws {
        try withContext(kind) { context in
            let maths = context.make("Department", ["name": "Maths"])
            let person = context.make("Person", ["name": "A", "department": maths])
            try context.save()
            let log = Log(context)
            context.delete(person)
            context.processPendingChanges()
            #expect(log.last(person)["department"] as AnyObject === maths)
            #expect(log.last(maths)["people"] as? Set<NSManagedObject> == [person])
        }
    }

    @Test func aNewObjectHadItsDefaults() throws {
        try withContext(.sqlite) { context in
            let log = Log(context)
            let person = context.make("Person", ["name": "A"])
            context.processPendingChanges()
            #expect(log.last(person)["name"] is NSNull)
            person.setValue("B", forKey: "name")
            context.processPendingChanges()
            #expect(log.last(person)["name"] as? String == "A")
        }
    }

    @Test func whatAnObserverChangesBelongsToTheNextEvent() throws {
        try withContext(.sqlite) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            let log = Log(context)
            // Unowned: a log that held itself would go on hearing of whatever comes to lie at the address of
            // its context, and hold the objects of later tests.
            log.onPost = { [unowned log] in
                guard log.events.count == 1 else { return }
                tag.setValue("c", forKey: "label")
                tag.setValue("d", forKey: "label")
            }
            tag.setValue("b", forKey: "label")
            context.processPendingChanges()
            #expect(log.events.map { $0[tag]?["label"] as? String } == ["a", "b"])
        }
    }
}
