import CoreData
import TestSupport
import Testing

/// A class that overrides the designated initializer, and adds one.
final class CreatedPerson: NSManagedObject {
    var isSetUp = false

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        isSetUp = true
    }

    convenience init(context: NSManagedObjectContext, name: String) {
        self.init(context: context)
        setValue(name, forKey: "name")
    }

    static func model() -> NSManagedObjectModel {
        let person = RulesModel.entity("Person", ["name": .stringAttributeType])
        person.managedObjectClassName = NSStringFromClass(CreatedPerson.self)
        let model = NSManagedObjectModel()
        model.entities = [person]
        return model
    }
}

extension NSManagedObject {
    fileprivate static func insert(into context: NSManagedObjectContext) -> Self {
        Self(context: context)
    }
    fileprivate class func make(
        _ entity: NSEntityDescription,
        in context: NSManagedObjectContext
    ) -> Self {
        self.init(entity: entity, insertInto: context)
    }
}

/// Objects of classes that are known at run time only.
@Suite struct DynamicCreationTests {
    private func create<T: NSManagedObject>(_: T.Type, in context: NSManagedObjectContext) -> T {
        T(context: context)
    }

    @Test(arguments: StoreKind.allCases)
    func theClassThatIsAskedForIsMade(kind: StoreKind) throws {
        try withContext(kind, model: CreatedPerson.model()) { context in
            let type: NSManagedObject.Type = CreatedPerson.self
            let entity = CreatedPerson.entity()
            let objects: [NSManagedObject] = [
                create(CreatedPerson.self, in: context), CreatedPerson.insert(into: context),
                CreatedPerson.make(entity, in: context), type.init(context: context),
                type.init(entity: entity, insertInto: context),
                CreatedPerson(context: context, name: "A"),
            ]
            for object in objects {
                #expect((object as? CreatedPerson)?.isSetUp == true)
                #expect(object.isInserted && object.managedObjectContext === context)
            }
            #expect(Set(objects) == context.insertedObjects)
            #expect(type.init(entity: entity, insertInto: nil).managedObjectContext == nil)
            try context.save()
        }
    }
}
