import CoreData
import TestSupport
import Testing

/// An object that validates itself in all three hooks, and asks its values by Apple's pattern.
final class Judge: NSManagedObject {
    var calls: [String] = []

    override func validateForInsert() throws {
        calls.append("insert")
        try super.validateForInsert()
    }
    override func validateForUpdate() throws {
        calls.append("update")
        try super.validateForUpdate()
        if text("text") == "bad" {
            throw NSError(domain: "Judge", code: 7)
        }
    }
    override func validateForDelete() throws {
        calls.append("delete")
        try super.validateForDelete()
        if text("text") == "keep" {
            throw NSError(domain: "Judge", code: 8)
        }
    }

    /// A custom accessor, as Apple's guide writes it.
    var remark: String? {
        get {
            willAccessValue(forKey: "text")
            defer { didAccessValue(forKey: "text") }
            return primitiveValue(forKey: "text") as? String
        }
        set {
            willChangeValue(forKey: "text")
            defer { didChangeValue(forKey: "text") }
            setPrimitiveValue(newValue, forKey: "text")
        }
    }

    static func model() -> NSManagedObjectModel {
        let model = Diary.model()
        model.entities[0].managedObjectClassName = NSStringFromClass(Judge.self)
        return model
    }
}

@Suite struct ManagedObjectMemberTests {
    /// As `Person()` in a client, which Apple's framework reports and lets pass.
    @Test func anObjectMadeWithoutArgumentsIsInNoContext() {
        final class Nobody: NSManagedObject {}
        for object in [Nobody(), Nobody(), NSManagedObject()] {
            #expect(object.managedObjectContext == nil)
            #expect(!object.isInserted && !object.isDeleted && !object.hasChanges)
            #expect(object.entity.properties.isEmpty && object.objectID.isTemporaryID)
        }
    }

    @Test func anObjectMadeWithoutArgumentsIsOfItsClasssEntity() throws {
        try withStack(.inMemory, model: Judge.model()) { stack in
            let judge = Judge()
            #expect(judge.entity.name == "Diary" && judge.managedObjectContext == nil)
            judge.remark = "r"
            #expect(judge.text("text") == "r")
            let context = stack.makeContext()
            context.onQueue {
                context.insert(judge)
                #expect(judge.isInserted && judge.managedObjectContext === context)
            }
        }
    }

    private func withJudge(
        _ kind: StoreKind,
        _ body: (NSManagedObjectContext, Judge) throws -> Void
    ) throws {
        try withContext(kind, model: Judge.model()) { context in
            let judge = try #require(context.make("Diary", ["text": "a"]) as? Judge)
            try body(context, judge)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func savesValidateByWhatHappenedToTheObject(kind: StoreKind) throws {
        try withJudge(kind) { context, judge in
            try context.save()
            judge.setValue("b", forKey: "text")
            try context.save()
            context.delete(judge)
            try context.save()
            #expect(judge.calls == ["insert", "update", "delete"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatAHookThrowsStopsTheSave(kind: StoreKind) throws {
        try withJudge(kind) { context, judge throws in
            try context.save()
            judge.setValue("bad", forKey: "text")
            var error = caughtError(context.save)
            #expect(error?.domain == "Judge" && error?.code == 7 && judge.isUpdated)
            judge.setValue("keep", forKey: "text")
            try context.save()
            context.delete(judge)
            error = caughtError(context.save)
            #expect(error?.domain == "Judge" && error?.code == 8 && judge.isDeleted)
            context.rollback()
            #expect(try context.number("Diary") == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func customAccessorsReadFaultsAndNoteChanges(kind: StoreKind) throws {
        try withJudge(kind) { context, judge in
            try context.save()
            context.refresh(judge, mergeChanges: false)
            #expect(judge.isFault && judge.faultingState != 0)
            #expect(judge.remark == "a" && !judge.isFault && judge.faultingState == 0)
            #expect(!judge.hasChanges)
            judge.remark = "b"
            #expect(judge.isUpdated && judge.changedValues()["text"] as? String == "b")
            judge.willAccessValue(forKey: nil)
            judge.didAccessValue(forKey: nil)
            try context.save()
            context.refresh(judge, mergeChanges: false)
            #expect(judge.remark == "b")
        }
    }

    /// Apple: "This method only reports changes to properties that are persistent properties of
    /// the receiver, not changes to transient properties".
    @Test(arguments: StoreKind.allCases)
    func changedValuesAreNewValuesOfPersistentProperties(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A", "age": 1])
            try context.save()
            person.setValue("B", forKey: "name")
            person.setValue("nick", forKey: "nickname")
            person.setValue(nil, forKey: "age")
            #expect(Set(person.changedValues().keys) == ["name", "age"])
            #expect(person.changedValues()["name"] as? String == "B")
            #expect(person.changedValues()["age"] is NSNull)
            let event = person.changedValuesForCurrentEvent()
            #expect(Set(event.keys) == ["name", "age"])
            #expect(event["name"] as? String == "A" && event["age"] as? Int == 1)
            context.processPendingChanges()
            #expect(person.changedValuesForCurrentEvent().isEmpty)
            person.setValue(2, forKey: "age")
            #expect(person.changedValuesForCurrentEvent()["age"] is NSNull)
            #expect(person.changedValues().count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changedValuesOfANewObjectLeaveOutTransientOnes(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A", "nickname": "nick"])
            #expect(person.changedValues()["name"] as? String == "A")
            #expect(person.changedValues()["nickname"] == nil)
            #expect(person.hasChanges && person.hasPersistentChangedValues)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changedValuesOfANewObjectAreThoseThatWereSet(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person")
            #expect(person.changedValues()["name"] == nil)
            person.setValue("A", forKey: "name")
            #expect(person.changedValues()["name"] as? String == "A")
            #expect(person.changedValues()["age"] == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aNewObjectHasNoCommittedValues(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A"])
            #expect(person.committedValues(forKeys: nil).isEmpty)
            #expect(person.committedValues(forKeys: ["name", "age"]).isEmpty)
            try context.save()
            let committed = person.committedValues(forKeys: ["name", "age"])
            #expect(committed["name"] as? String == "A" && committed["age"] is NSNull)
        }
    }

    /// Apple: primitive values are set "without change notification".
    @Test(arguments: StoreKind.allCases)
    func primitiveValuesAreSetQuietly(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A", "age": 1])
            try context.save()
            person.setPrimitiveValue(2, forKey: "age")
            #expect(!context.hasChanges && !person.hasChanges)
            #expect(person.changedValues().isEmpty && !person.hasPersistentChangedValues)
            #expect(person.integer("age") == 2)
            person.setValue("B", forKey: "name")
            #expect(Set(person.changedValues().keys) == ["name"])
            // It goes into the save that others have made necessary.
            try context.save()
            context.refresh(person, mergeChanges: false)
            #expect(person.integer("age") == 2 && person.text("name") == "B")
            person.setPrimitiveValue(3, forKey: "age")
            person.setValue(4, forKey: "age")
            #expect(person.changedValues()["age"] as? Int == 4)
            person.willChangeValue(forKey: "name")
            person.setPrimitiveValue("C", forKey: "name")
            person.didChangeValue(forKey: "name")
            person.setPrimitiveValue("D", forKey: "name")
            #expect(person.changedValues()["name"] as? String == "D")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func committedValuesAreThoseOfTheLastFetchOrSave(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A", "age": 1])
            try context.save()
            person.setValue("B", forKey: "name")
            person.setValue(nil, forKey: "age")
            let some = person.committedValues(forKeys: ["name", "age", "height"])
            #expect(some["name"] as? String == "A" && some["age"] as? Int == 1)
            #expect(some["height"] is NSNull && some.count == 3)
            let all = person.committedValues(forKeys: nil)
            #expect(all["name"] as? String == "A" && all["nickname"] == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipFaultsAreKnownWithoutReadingThem(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tags = [context.make("Tag"), context.make("Tag")]
            context.make("Person", ["name": "A", "tags": Set(tags)])
            try context.save()
            let ids = Set(tags.map(\.objectID))
            context.reset()
            let person = try context.only("Person")
            #expect(person.hasFault(forRelationshipNamed: "tags"))
            #expect(Set(person.objectIDs(forRelationshipNamed: "tags")) == ids)
            #expect(context.registeredObjects == [person])
            #expect(person.hasFault(forRelationshipNamed: "tags"))
            #expect(person.set("tags").count == 2)
            #expect(!person.hasFault(forRelationshipNamed: "tags"))
            #expect(person.objectIDs(forRelationshipNamed: "department").isEmpty)
            let new = context.make("Tag")
            person.setValue(Set([new]), forKey: "tags")
            #expect(person.objectIDs(forRelationshipNamed: "tags") == [new.objectID])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func setMutationsThatAreAnnouncedAreChanges(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A"])
            let tag = context.make("Tag")
            try context.save()
            func set(_ tags: Set<NSManagedObject>, _ kind: NSKeyValueSetMutationKind) {
                person.willChangeValue(forKey: "tags", withSetMutation: kind, using: [tag])
                person.setPrimitiveValue(tags, forKey: "tags")
                person.didChangeValue(forKey: "tags", withSetMutation: kind, using: [tag])
            }
            set([tag], .union)
            #expect(person.isUpdated && person.set("tags") == [tag])
            #expect(tag.set("people") == [person])
            try context.save()
            set([], .minus)
            #expect(person.primitiveValue(forKey: "tags") as? Set<NSManagedObject> == [])
            #expect(person.isUpdated && tag.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func classesKnowTheirEntityAndRequest(kind: StoreKind) throws {
        try withJudge(kind) { context, judge in
            #expect(Judge.contextShouldIgnoreUnmodeledPropertyChanges)
            #expect(Judge.entity().name == "Diary")
            #expect(Judge.fetchRequest().entityName == "Diary")
            let made = Judge(context: context)
            #expect(made.managedObjectContext === context && made.entity === judge.entity)
            let found = try context.fetch(Judge.fetchRequest())
            #expect(found.count == 2)
        }
    }
}
