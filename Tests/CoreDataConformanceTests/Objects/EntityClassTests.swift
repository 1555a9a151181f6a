import CoreData
import TestSupport
import Testing

/// Objects that are made by the base class, as client code does that casts them afterwards, are of
/// their entity's class.
@Suite struct EntityClassTests {
    class Human: NSManagedObject {
        override func awakeFromInsert() {
            super.awakeFromInsert()
            setValue("new", forKey: "nickname")
        }
        var greeting: String { "I am a person." }
    }
    final class Worker: Human {
        override var greeting: String { "I am a worker." }
    }

    private func model() -> NSManagedObjectModel {
        let model = SampleModel.make()
        model.entitiesByName["Person"]?.managedObjectClassName = NSStringFromClass(Human.self)
        model.entitiesByName["Employee"]?.managedObjectClassName = NSStringFromClass(Worker.self)
        return model
    }

    private func entity(
        _ name: String,
        _ context: NSManagedObjectContext
    ) throws -> NSEntityDescription {
        try #require(NSEntityDescription.entity(forEntityName: name, in: context))
    }

    @Test(arguments: StoreKind.allCases)
    func theBaseClassMakesObjectsOfTheEntitysClass(kind: StoreKind) throws {
        try withContext(kind, model: model()) { context in
            let person = NSManagedObject(
                entity: try entity("Person", context),
                insertInto: context
            )
            let human = try #require(person as? Human)
            #expect(type(of: person) == Human.self)
            #expect(human.greeting == "I am a person.")
            #expect(human.value(forKey: "nickname") as? String == "new")
            human.setValue("Ada", forKey: "name")
            try context.save()
            #expect(try context.only("Person") === person)
            context.reset()
            #expect(try context.only("Person") is Human)
        }
    }

    @Test func aClassAboveMakesObjectsOfTheEntitysClass() throws {
        try withContext(.inMemory, model: model()) { context in
            let worker = Human(entity: try entity("Employee", context), insertInto: context)
            #expect(worker is Worker)
            #expect(worker.greeting == "I am a worker.")
            // An entity whose class is not beneath the one that is named has that one.
            let other = Human(entity: try entity("Tag", context), insertInto: nil)
            #expect(type(of: other) == Human.self)
        }
    }

    @Test func objectsWithoutAContextAreOfTheirEntitysClass() throws {
        try withContext(.inMemory, model: model()) { context in
            let person = NSManagedObject(entity: try entity("Employee", context), insertInto: nil)
            #expect(person is Worker)
            context.insert(person)
            #expect(person.value(forKey: "nickname") as? String == "new")
        }
    }
}
