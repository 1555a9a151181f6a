import CoreData

/// A model that has a bit of everything, built in code with Apple's API alone.
///
/// Department 1 ↔ n Person (cascade from the department, nullify back); Employee and Manager are
/// sub-entities of Person; Person n ↔ m Tag; Person.friends is its own inverse; Playlist has an
/// ordered relationship to Song.
public enum SampleModel {
    /// A new copy of the model, which no coordinator uses yet.
    public static func make() -> NSManagedObjectModel {
        let person = entity(
            "Person",
            [
                attribute("name", .stringAttributeType, optional: false),
                attribute("age", .integer32AttributeType),
                attribute("height", .doubleAttributeType),
                attribute("isActive", .booleanAttributeType, default: true),
                attribute("born", .dateAttributeType),
                attribute("identifier", .UUIDAttributeType),
                attribute("balance", .decimalAttributeType),
                attribute("photo", .binaryDataAttributeType),
                attribute("homepage", .URIAttributeType),
                attribute("nickname", .stringAttributeType, transient: true),
            ]
        )
        let employee = entity("Employee", [attribute("salary", .integer64AttributeType)])
        let manager = entity("Manager", [attribute("bonus", .floatAttributeType)])
        person.subentities = [employee]
        employee.subentities = [manager]
        let department = entity(
            "Department",
            [
                attribute("name", .stringAttributeType, optional: false),
                attribute("code", .integer16AttributeType),
            ]
        )
        let tag = entity("Tag", [attribute("label", .stringAttributeType)])
        let playlist = entity("Playlist", [attribute("title", .stringAttributeType)])
        let song = entity(
            "Song",
            [
                attribute("title", .stringAttributeType),
                attribute("seconds", .integer32AttributeType),
            ]
        )
        relate(department, "people", .cascadeDeleteRule, many: true, person, "department")
        relate(person, "tags", .nullifyDeleteRule, many: true, tag, "people", manyBack: true)
        relate(playlist, "songs", .nullifyDeleteRule, many: true, song, "playlist", ordered: true)
        let friends = relationship("friends", to: person, many: true)
        friends.inverseRelationship = friends
        person.properties = person.properties + [friends]
        let model = NSManagedObjectModel()
        model.entities = [person, employee, manager, department, tag, playlist, song]
        return model
    }

    private static func entity(
        _ name: String,
        _ properties: [NSPropertyDescription]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        entity.properties = properties
        return entity
    }

    private static func attribute(
        _ name: String,
        _ type: NSAttributeType,
        optional: Bool = true,
        transient: Bool = false,
        default value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.isTransient = transient
        attribute.defaultValue = value
        return attribute
    }

    private static func relationship(
        _ name: String,
        to destination: NSEntityDescription,
        many: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.minCount = 0
        relationship.maxCount = many ? 0 : 1
        relationship.isOptional = true
        return relationship
    }

    private static func relate(
        _ source: NSEntityDescription,
        _ name: String,
        _ rule: NSDeleteRule,
        many: Bool,
        _ destination: NSEntityDescription,
        _ inverseName: String,
        manyBack: Bool = false,
        ordered: Bool = false
    ) {
        let forward = relationship(name, to: destination, many: many)
        let back = relationship(inverseName, to: source, many: manyBack)
        forward.deleteRule = rule
        forward.isOrdered = ordered
        forward.inverseRelationship = back
        back.inverseRelationship = forward
        source.properties = source.properties + [forward]
        destination.properties = destination.properties + [back]
    }
}
