import Foundation

@testable import CoreData

/// Short forms to put models together in tests.
func makeEntity(
    _ name: String,
    parent: NSEntityDescription? = nil,
    _ properties: [NSPropertyDescription] = []
) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    if let parent { parent.subentities.append(entity) }
    return entity
}

func makeAttribute(
    _ name: String,
    _ type: NSAttributeType = .stringAttributeType,
    optional: Bool = true,
    bounds: AttributeBounds = AttributeBounds()
) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = optional
    attribute.bounds = bounds
    return attribute
}

func makeRelationship(
    _ name: String,
    to destination: NSEntityDescription?,
    many: Bool = false,
    optional: Bool = true
) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = many ? 0 : 1
    relationship.isOptional = optional
    return relationship
}

func connect(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
    one.inverseRelationship = other
    other.inverseRelationship = one
}

func makeModel(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
}
