import CoreData
import TestSupport
import Testing

/// One predicate and one sort descriptor for objects of several entities: a property of one name has
/// another place and another type in each.
@Suite struct SharedQueryTests {
    @Test func aPredicateIsPutToObjectsOfEntitiesInTurn() throws {
        try withAnimals { animals in
            let old = NSPredicate(format: "age >= 4")
            let named = NSPredicate(format: "name == 'b'")
            for _ in 0..<2 {
                #expect(animals.map { old.evaluate(with: $0) } == [false, true, true, true])
                #expect(animals.map { named.evaluate(with: $0) } == [false, false, true, true])
            }
        }
    }

    /// Properties of an integer, a real and a text.
    @Test(arguments: [
        ("age == 4", [false, true, true, false]), ("age != 4", [true, false, false, true]),
        ("age < 4", [true, false, false, false]), ("age <= 4", [true, true, true, false]),
        ("age > 4", [false, false, false, true]), ("name == 4", [false, false, false, false]),
        ("name != 4", [true, true, true, true]),
    ])
    func integersCompare(format: String, expected: [Bool]) throws {
        try withAnimals { animals in
            let predicate = NSPredicate(format: format)
            #expect(animals.map { predicate.evaluate(with: $0) } == expected)
            // The store's answer is SQL's.
            let found = try animals.map { try $0.isFound(by: predicate) }
            #expect(found == expected)
        }
    }

    @Test func descriptorsSortObjectsOfEntitiesTogether() throws {
        try withAnimals { animals in
            let descriptors = [
                NSSortDescriptor(key: "name", ascending: false),
                NSSortDescriptor(key: "age", ascending: true),
            ]
            let sorted = (animals as NSArray).sortedArray(using: descriptors)
            let expected = [animals[2], animals[3], animals[0], animals[1]]
            #expect(sorted as? [NSManagedObject] == expected)
        }
    }

    /// A cat, a dog, a cat and a dog.
    private func withAnimals(_ body: ([NSManagedObject]) throws -> Void) throws {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        let cat = NSEntityDescription(), dog = NSEntityDescription()
        cat.name = "Cat"
        cat.properties = [
            attribute("age", .integer16AttributeType), attribute("name", .stringAttributeType),
        ]
        dog.name = "Dog"
        dog.properties = [
            attribute("address", .stringAttributeType), attribute("age", .doubleAttributeType),
            attribute("bones", .integer64AttributeType), attribute("name", .stringAttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [cat, dog]
        try withContext(.sqlite, model: model) { context in
            let values: [(String, [String: Any])] = [
                ("Cat", ["age": 3, "name": "a"]),
                ("Dog", ["age": 4.0, "name": "a", "address": "b", "bones": 1]),
                ("Cat", ["age": 4, "name": "b"]),
                ("Dog", ["age": 5.5, "name": "b", "address": "a", "bones": 9]),
            ]
            let animals = values.map { context.make($0, $1) }
            try context.save()
            try body(animals)
        }
    }
}

extension NSManagedObject {
    /// Whether a fetch from the store finds the object.
    fileprivate func isFound(by predicate: NSPredicate) throws -> Bool {
        let both = NSCompoundPredicate(
            andPredicateWithSubpredicates: [NSPredicate(format: "SELF == %@", self), predicate]
        )
        let found = try managedObjectContext?.all(entity.name ?? "", where: both)
        return found == [self]
    }
}
