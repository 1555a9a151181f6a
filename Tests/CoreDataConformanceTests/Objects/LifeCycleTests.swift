import CoreData
import TestSupport
import Testing

/// An object that writes down what it is told.
final class Diary: NSManagedObject {
    var entries: [String] = []
    var onWillSave: ((Diary) -> Void)?
    var onDidSave: ((Diary) -> Void)?
    var onAwake: ((Diary) -> Void)?

    override func awakeFromInsert() {
        super.awakeFromInsert()
        entries.append("awakeFromInsert")
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        entries.append("awakeFromFetch")
        setValue(value(forKey: "text").map { "\($0)!" }, forKey: "shown")
    }
    override func willSave() {
        super.willSave()
        entries.append("willSave")
        onWillSave?(self)
    }
    override func didSave() {
        super.didSave()
        entries.append("didSave")
        onDidSave?(self)
    }
    override func prepareForDeletion() {
        super.prepareForDeletion()
        entries.append("prepareForDeletion")
    }
    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        entries.append("willTurnIntoFault")
    }
    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        entries.append("didTurnIntoFault")
    }
    override func validateForInsert() throws {
        try super.validateForInsert()
        entries.append("validateForInsert")
    }

    static func model() -> NSManagedObjectModel {
        let entity = RulesModel.entity(
            "Diary",
            ["text": .stringAttributeType, "count": .integer32AttributeType]
        )
        let shown = NSAttributeDescription()
        shown.name = "shown"
        shown.attributeType = .stringAttributeType
        shown.isTransient = true
        entity.properties.append(shown)
        entity.managedObjectClassName = NSStringFromClass(Diary.self)
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}

@Suite struct LifeCycleTests {
    private func diary(_ context: NSManagedObjectContext) throws -> Diary {
        try #require(context.make("Diary", ["text": "a"]) as? Diary)
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreOfTheClassThatTheEntityNames(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let made = Diary(context: context)
            #expect(made.entity.name == "Diary")
            try context.save()
            let request = NSFetchRequest<Diary>(entityName: "Diary")
            #expect(try context.fetch(request) == [made])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func hooksAreCalledInOrder(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let diary = try diary(context)
            #expect(diary.entries == ["awakeFromInsert"])
            try context.save()
            #expect(
                diary.entries == ["awakeFromInsert", "willSave", "validateForInsert", "didSave"]
            )
            diary.entries = []
            context.refresh(diary, mergeChanges: false)
            #expect(diary.entries == ["willTurnIntoFault", "didTurnIntoFault"])
            diary.entries = []
            #expect(diary.text("text") == "a")
            #expect(diary.entries == ["awakeFromFetch"])
            diary.entries = []
            context.delete(diary)
            #expect(diary.entries == ["prepareForDeletion"])
            try context.save()
            #expect(diary.entries == ["prepareForDeletion", "willSave", "didSave"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatAwakeFromFetchSetsIsNoChange(kind: StoreKind) throws {
        try withStack(kind, model: Diary.model()) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            try writer.onQueue {
                _ = try diary(writer)
                try writer.save()
            }
            try reader.onQueue {
                let diary = try reader.only("Diary")
                #expect(diary.text("shown") == "a!")
                #expect(!reader.hasChanges)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func willSaveMayChangeTheObject(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let diary = try diary(context)
            diary.onWillSave = { diary in
                if diary.integer("count") != 7 { diary.setValue(7, forKey: "count") }
            }
            try context.save()
            #expect(diary.entries.count { $0 == "willSave" } == 2)
            #expect(!context.hasChanges)
            context.refresh(diary, mergeChanges: false)
            #expect(diary.integer("count") == 7)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func willSaveIsPostedOnceHoweverOftenObjectsAreCalled(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let diary = try diary(context)
            diary.onWillSave = { diary in
                let count = diary.integer("count") ?? 0
                if count < 3 { diary.setValue(count + 1, forKey: "count") }
            }
            let log = NotificationLog(context)
            try context.save()
            log.stop()
            #expect(diary.entries.count { $0 == "willSave" } == 4)
            #expect(log.count(.NSManagedObjectContextWillSave) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func willSaveMaySetPrimitiveValuesWithoutBeingCalledAgain(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let diary = try diary(context)
            var number = 0
            diary.onWillSave = { diary in
                number += 1
                diary.setPrimitiveValue(number, forKey: "count")
            }
            try context.save()
            #expect(number == 1)
            diary.setValue("b", forKey: "text")
            try context.save()
            #expect(number == 2 && !context.hasChanges)
            context.refresh(diary, mergeChanges: false)
            #expect(diary.integer("count") == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func willSaveThatNeverSettlesIsAnError(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let diary = try diary(context)
            diary.onWillSave = { diary in
                diary.setValue((diary.integer("count") ?? 0) + 1, forKey: "count")
            }
            #expect(errorCode(context.save) == NSCoreDataError)
            #expect(diary.isInserted)
            diary.onWillSave = nil
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func savingInASaveIsAnError(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let diary = try diary(context)
            var codes: [Int?] = []
            diary.onWillSave = { _ in codes.append(errorCode(context.save)) }
            diary.onDidSave = { _ in codes.append(errorCode(context.save)) }
            try context.save()
            #expect(codes.first == .some(132001))
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changesInDidSaveAreForTheNextSave(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let diary = try diary(context)
            diary.onDidSave = { diary in
                diary.onDidSave = nil
                diary.setValue("late", forKey: "text")
            }
            try context.save()
            #expect(context.updatedObjects == [diary])
            try context.save()
            context.refresh(diary, mergeChanges: false)
            #expect(diary.text("text") == "late")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func willSaveObserversMayStillInsert(kind: StoreKind) throws {
        try withContext(kind, model: Diary.model()) { context in
            let first = try diary(context)
            nonisolated(unsafe) var second: Diary?
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextWillSave,
                object: context,
                queue: nil
            ) { _ in
                second = context.make("Diary") as? Diary
            }
            try context.save()
            NotificationCenter.default.removeObserver(token)
            #expect(try context.number("Diary") == 2)
            #expect(!context.hasChanges && !first.hasChanges)
            #expect(second?.entries.contains("willSave") == true)
        }
    }
}
