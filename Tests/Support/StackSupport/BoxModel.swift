import CoreData

/// Boxes with items: entities `Box` and `Item`, both with a `name`, a relationship to many and its
/// inverse.
package enum BoxModel {
    package static func make() -> NSManagedObjectModel {
        let entities = ["Box", "Item"].map { entityName in
            let name = NSAttributeDescription()
            name.name = "name"
            name.attributeType = .stringAttributeType
            let entity = NSEntityDescription()
            entity.name = entityName
            entity.properties = [name]
            return entity
        }
        let items = NSRelationshipDescription(), box = NSRelationshipDescription()
        items.name = "items"
        items.destinationEntity = entities[1]
        items.inverseRelationship = box
        box.name = "box"
        box.destinationEntity = entities[0]
        box.maxCount = 1
        box.inverseRelationship = items
        entities[0].properties.append(items)
        entities[1].properties.append(box)
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    @discardableResult
    package static func insert(
        _ entity: String,
        _ name: String,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }
}
