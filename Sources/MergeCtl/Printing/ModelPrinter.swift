import CoreData

/// Tells what the entities of a model have, a line for each property.
enum ModelPrinter {
    /// The lines of one entity: attributes, then relationships, each by name.
    static func rows(_ entity: NSEntityDescription) -> [(String, String)] {
        let attributes = entity.attributesByName.sorted { $0.key < $1.key }
        let relationships = entity.relationshipsByName.sorted { $0.key < $1.key }
        return attributes.map { ($0.key, text($0.value)) }
            + relationships.map { ($0.key, text($0.value)) }
    }

    /// What stands behind an entity's name.
    static func title(_ entity: NSEntityDescription) -> String {
        let name = entity.name ?? ""
        let parent = entity.superentity?.name.map { ": \($0)" } ?? ""
        return name + parent + (entity.isAbstract ? " (abstract)" : "")
    }

    private static func text(_ attribute: NSAttributeDescription) -> String {
        var parts = [typeName(attribute.attributeType)]
        if !attribute.isOptional { parts.append("required") }
        if attribute.isTransient { parts.append("transient") }
        if attribute is NSDerivedAttributeDescription { parts.append("derived") }
        if attribute.allowsExternalBinaryDataStorage { parts.append("may be a file") }
        return parts.joined(separator: ", ")
    }

    private static func text(_ relationship: NSRelationshipDescription) -> String {
        let many =
            relationship.isToMany ? (relationship.isOrdered ? "ordered many" : "many") : "one"
        var parts = ["\(many) \(relationship.destinationEntity?.name ?? "?")"]
        if let inverse = relationship.inverseRelationship {
            parts.append("inverse \(inverse.name)")
        }
        if !relationship.isOptional { parts.append("required") }
        return parts.joined(separator: ", ")
    }

    private static func typeName(_ type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .compositeAttributeType: "Composite"
        default: "Undefined"
        }
    }
}
