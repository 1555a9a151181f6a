import CoreData
import TestSupport
import Testing

/// Objects made by `init(context:)` of a class that is known at run time only.
@Suite struct ContextInitializerTests {
    private class Vessel: NSManagedObject {
        var origin = "default"
        private(set) var wasInsertedByDesignated = false

        override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
            super.init(entity: entity, insertInto: context)
            wasInsertedByDesignated = context != nil
        }

        convenience init(origin: String, in context: NSManagedObjectContext) {
            self.init(context: context)
            self.origin = origin
        }

        class func launched(in context: NSManagedObjectContext) -> Self { Self(context: context) }
    }
    private final class Ferry: Vessel {
        let decks = [1, 2]
    }

    private static let model: NSManagedObjectModel = {
        let vessel = NSEntityDescription()
        vessel.name = "Vessel"
        vessel.managedObjectClassName = NSStringFromClass(Vessel.self)
        let ferry = NSEntityDescription()
        ferry.name = "Ferry"
        ferry.managedObjectClassName = NSStringFromClass(Ferry.self)
        vessel.subentities = [ferry]
        let model = NSManagedObjectModel()
        model.entities = [vessel, ferry]
        return model
    }()

    private func make<T: NSManagedObject>(_: T.Type, in context: NSManagedObjectContext) -> T {
        T(context: context)
    }

    @Test func theClassMayBeKnownAtRunTimeOnly() throws {
        try withContext(.inMemory, model: Self.model) { context in
            let type: NSManagedObject.Type = Ferry.self
            let ferries: [NSManagedObject] = [
                make(Ferry.self, in: context), type.init(context: context), Ferry(context: context),
                Ferry.launched(in: context), Ferry(origin: "yard", in: context),
            ]
            for object in ferries {
                let ferry = try #require(object as? Ferry)
                #expect(ferry.entity.name == "Ferry" && ferry.isInserted)
                #expect(ferry.decks == [1, 2] && ferry.wasInsertedByDesignated)
            }
            #expect((ferries.last as? Vessel)?.origin == "yard")
            #expect(Swift.type(of: make(Vessel.self, in: context)) == Vessel.self)
            #expect(context.insertedObjects.count == 6)
        }
    }
}
