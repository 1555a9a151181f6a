import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Properties are found by what a name says, however long it is and wherever the text lies.
@Suite struct PropertyNameTests {
    // Texts of up to 15 bytes lie in their `String`, longer ones elsewhere.
    private static let names = [
        "a", "b", "ab", "fifteenBytesXYZ", "fifteenBytesXYz", "sixteenBytesWXYZ",
        "aNameThatIsLongerThanAllTheOthers", "größe", "maßstabDesPlanesInZentimetern", "数", "数量",
    ]

    /// Hands an object of an entity with these properties, as strings.
    private func withObject(_ body: (NSManagedObject) throws -> Void) rethrows {
        let entity = NSEntityDescription()
        entity.name = "Named"
        entity.properties = Self.names.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            return attribute
        }
        let model = makeModel([entity])
        // Objects don't keep their model.
        try withExtendedLifetime(model) {
            try body(NSManagedObject(entity: model.entities[0], insertInto: nil))
        }
    }

    @Test func namesMadeAtRunTimeAreFound() {
        withObject { object in
            for (place, name) in Self.names.enumerated() {
                object.setValue("value \(place)", forKey: name)
            }
            for (place, name) in Self.names.enumerated() {
                let forms = [
                    name, name.reversed().reversed().map(String.init).joined(),
                    "x.\(name)".dropFirst(2).description,
                    name.decomposedStringWithCanonicalMapping,
                    (name as NSString).substring(from: 0),
                    object.entity.attributesByName[name]?.name ?? "",
                ]
                for form in forms {
                    #expect(object.value(forKey: form) as? String == "value \(place)", "\(form)")
                    #expect(
                        object.primitiveValue(forKey: form) as? String == "value \(place)",
                        "\(form)"
                    )
                }
            }
        }
    }

    @Test func noNameIsTakenForAnother() throws {
        try withObject { object in
            let layout = object.entity.managedObjectModel.layout
            let entity = try #require(layout.entitiesByName["Named"])
            for name in [
                "", "c", "A", "a ", "ba", "aa", "fifteenBytesXY", "sixteenBytesWXYY", "grosse", "量",
            ] {
                #expect(entity.slot(named: name) == nil, "\(name)")
            }
            for name in Self.names { #expect(entity.slot(named: name)?.name == name) }
        }
    }

    @Test func entitiesOfManyPropertiesFindEach() {
        let entity = NSEntityDescription()
        entity.name = "Wide"
        entity.properties = (0..<300).map { number in
            let attribute = NSAttributeDescription()
            attribute.name = "p\(number)"
            attribute.attributeType = .integer64AttributeType
            attribute.isOptional = true
            return attribute
        }
        let model = makeModel([entity])
        withExtendedLifetime(model) {
            let object = NSManagedObject(entity: model.entities[0], insertInto: nil)
            for number in 0..<300 { object.setValue(number, forKey: "p\(number)") }
            for number in 0..<300 { #expect(object.value(forKey: "p\(number)") as? Int == number) }
        }
    }
}
