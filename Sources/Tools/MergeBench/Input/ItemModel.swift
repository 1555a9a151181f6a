import CoreData

/// The model of the workloads, made in code.
enum ItemModel {
    /// The attributes of an item.
    static let keys = [
        "number", "category", "score", "code", "ratio", "amount", "name", "mail", "text", "date",
    ]

    /// Items with an index by number, for the workloads on stacks.
    static func makeForStacks() -> NSManagedObjectModel {
        let item = makeItem()
        // Updates and deletes find their rows by number, in the layouts as in bare SQLite.
        item.indexes = [index("byNumber", on: item, ["number"])]
        return model([item], KeyedAccess())
    }

    /// Items alone, without an index, for inserts.
    static func makePlain(_ access: any ItemAccess) -> NSManagedObjectModel {
        model([makeItem()], access)
    }

    /// Items with an index by category and date, and parents with children.
    static func makeForQueries(_ access: any ItemAccess) -> NSManagedObjectModel {
        let item = makeItem()
        // It serves the filters of both sides, which sort the rows of a category by date.
        item.indexes = [index("byCategory", on: item, ["category", "date"])]
        let parent = NSEntityDescription(), child = NSEntityDescription()
        parent.name = "Parent"
        child.name = "Child"
        let children = NSRelationshipDescription(), owner = NSRelationshipDescription()
        children.name = "children"
        children.destinationEntity = child
        children.inverseRelationship = owner
        owner.name = "parent"
        owner.destinationEntity = parent
        owner.maxCount = 1
        owner.inverseRelationship = children
        parent.properties = [attribute("name", .stringAttributeType), children]
        child.properties = [
            attribute("number", .integer64AttributeType),
            attribute("amount", .doubleAttributeType),
            attribute("text", .stringAttributeType), owner,
        ]
        return model([item, parent, child], access)
    }

    private static func model(
        _ entities: [NSEntityDescription],
        _ access: any ItemAccess
    ) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        for entity in entities {
            if let objectClass = access.objectClass(entity.name ?? "") {
                entity.managedObjectClassName = NSStringFromClass(objectClass)
            }
        }
        model.entities = entities
        return model
    }

    private static func makeItem() -> NSEntityDescription {
        let types: [NSAttributeType] = [
            .integer64AttributeType, .integer64AttributeType, .integer64AttributeType,
            .integer64AttributeType, .doubleAttributeType, .doubleAttributeType,
            .stringAttributeType, .stringAttributeType, .stringAttributeType, .dateAttributeType,
        ]
        let item = NSEntityDescription()
        item.name = "Item"
        item.properties = zip(keys, types).map { attribute($0, $1) }
        return item
    }

    private static func attribute(
        _ name: String,
        _ type: NSAttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private static func index(
        _ name: String,
        on entity: NSEntityDescription,
        _ keys: [String]
    ) -> NSFetchIndexDescription {
        let elements = keys.compactMap { key in
            entity.propertiesByName[key].map {
                NSFetchIndexElementDescription(property: $0, collationType: .binary)
            }
        }
        return NSFetchIndexDescription(name: name, elements: elements)
    }
}
