import Foundation
import Testing

@testable import CoreData

/// What the base class makes where an object of the entity's class would be larger.
@Suite struct StoredEntityClassTests {
    final class Counting: NSManagedObject {
        var count = 7
    }

    @Test func aClassWithStoredPropertiesMakesItsObjectsItself() throws {
        let entity = NSEntityDescription(), model = NSManagedObjectModel()
        entity.name = "Counting"
        entity.managedObjectClassName = NSStringFromClass(Counting.self)
        model.entities = [entity]
        withExtendedLifetime(model) {
            let plain = NSManagedObject(entity: entity, insertInto: nil)
            #expect(type(of: plain) == NSManagedObject.self)
            #expect(Counting(entity: entity, insertInto: nil).count == 7)
        }
    }
}
