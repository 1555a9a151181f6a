import CoreData

/// A model with each kind of relationship and a value that is kept in a file of its own, in two
/// versions.
///
/// Owner 1 ↔ n Item; Item n ↔ m Tag; List 1 ↔ n Entry, ordered. All have a name that no other has. The
/// second version renames `note` of Item to `remark`, gives it a `rating`, and has a Place.
enum TortureModel {
    /// Shared: a model in use does not change.
    static let first = make(isSecond: false)
    static let second = make(isSecond: true)

    private static func make(isSecond: Bool) -> NSManagedObjectModel {
        var names = ["Entry", "Item", "List", "Owner", "Tag"]
        if isSecond { names.append("Place") }
        var made: [String: NSEntityDescription] = [:]
        for name in names {
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "NSManagedObject"
            entity.properties = [attribute("name", .stringAttributeType)]
            made[name] = entity
        }
        let note = attribute(isSecond ? "remark" : "note", .stringAttributeType)
        if isSecond { note.renamingIdentifier = "note" }
        let data = attribute("data", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = true
        made["Item"]?.properties += [note, data, attribute("value", .integer64AttributeType)]
        if isSecond {
            let rating = attribute("rating", .integer16AttributeType)
            rating.defaultValue = 3
            made["Item"]?.properties.append(rating)
        }
        func relate(_ one: (String, String, Bool), _ other: (String, String, Bool)) {
            guard let source = made[one.0], let destination = made[other.0] else { return }
            let forward = relationship(one.1, to: destination, many: one.2)
            let back = relationship(other.1, to: source, many: other.2)
            forward.inverseRelationship = back
            back.inverseRelationship = forward
            source.properties.append(forward)
            destination.properties.append(back)
        }
        relate(("Owner", "items", true), ("Item", "owner", false))
        relate(("Item", "tags", true), ("Tag", "items", true))
        relate(("List", "entries", true), ("Entry", "list", false))
        made["List"]?.relationshipsByName["entries"]?.isOrdered = true
        made["List"]?.relationshipsByName["entries"]?.deleteRule = .cascadeDeleteRule
        let model = NSManagedObjectModel()
        model.entities = names.compactMap { made[$0] }
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
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
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }
}

extension NSManagedObject {
    /// The name by which dumps call an object.
    var label: String { value(forKey: "name") as? String ?? "?" }
}
