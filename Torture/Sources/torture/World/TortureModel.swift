import CoreData

/// A model with each kind of relationship and a value that is kept in a file of its own, in three
/// versions.
///
/// Owner 1 ↔ n Item; Item n ↔ m Tag; List 1 ↔ n Entry, ordered. All have a name that no other has,
/// tags by a constraint. The configuration `Things` has the first three, `Lists` the others. The
/// second version renames `note` of Item to `remark`, gives it a `rating`, and has a Place. The third
/// has no Place any more, and Items have a `code` in place of `data`.
enum TortureModel {
    /// Shared: a model in use does not change.
    static let first = make(version: 1)
    static let second = make(version: 2)
    static let third = make(version: 3)
    static var all: [NSManagedObjectModel] { [first, second, third] }

    private static func make(version: Int) -> NSManagedObjectModel {
        var names = ["Entry", "Item", "List", "Owner", "Tag"]
        if version == 2 { names.append("Place") }
        var made: [String: NSEntityDescription] = [:]
        for name in names {
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "NSManagedObject"
            entity.properties = [attribute("name", .stringAttributeType)]
            // By this imports find objects.
            entity.userInfo = ["relatedByAttribute": "name"]
            made[name] = entity
        }
        made["Item"]?.properties += itemAttributes(version)
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
        // In files with columns, all of them in one.
        made["Item"]?.relationshipsByName["tags"]?.userInfo = ["separator": ";"]
        made["List"]?.relationshipsByName["entries"]?.isOrdered = true
        made["List"]?.relationshipsByName["entries"]?.deleteRule = .cascadeDeleteRule
        made["Tag"]?.uniquenessConstraints = [["name"]]
        let model = NSManagedObjectModel()
        model.entities = names.compactMap { made[$0] }
        let things = ["Item", "Owner", "Tag"]
        model.setEntities(things.compactMap { made[$0] }, forConfigurationName: "Things")
        model.setEntities(
            ["List", "Entry"].compactMap { made[$0] },
            forConfigurationName: "Lists"
        )
        return model
    }

    private static func itemAttributes(_ version: Int) -> [NSAttributeDescription] {
        let note = attribute(version > 1 ? "remark" : "note", .stringAttributeType)
        if version > 1 { note.renamingIdentifier = "note" }
        var attributes = [note, attribute("value", .integer64AttributeType)]
        if version < 3 {
            let data = attribute("data", .binaryDataAttributeType)
            data.allowsExternalBinaryDataStorage = true
            attributes.append(data)
        } else {
            let code = attribute("code", .stringAttributeType)
            code.isOptional = false
            code.defaultValue = "none"
            attributes.append(code)
        }
        if version > 1 {
            let rating = attribute("rating", .integer16AttributeType)
            rating.defaultValue = 3
            attributes.append(rating)
        }
        return attributes
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
