import Foundation

/// The parts of a mapping model that Xcode's editor works out by itself and does not write into
/// the source; its compiler fills them in.
///
/// The rules were read off a compiled mapping model and its source. What the editor shows for a
/// property of another name or type is not known: names that a renaming identifier leads to count
/// as the same here, and a value whose type the destination can't take is left to the policy.
struct MappingDefaults {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    /// All mappings, with names and entities.
    let mappings: [NSEntityMapping]

    func name(_ source: String?, _ destination: String?) -> String {
        [source, destination].compactMap(\.self).joined(separator: "To")
    }

    /// - Parameter type: What the source says, mostly `Undefined`.
    func type(of mapping: NSEntityMapping, saying type: String?) -> NSEntityMappingType {
        let types: [String: NSEntityMappingType] = [
            "Custom": .customEntityMappingType, "Add": .addEntityMappingType,
            "Remove": .removeEntityMappingType, "Copy": .copyEntityMappingType,
            "Transform": .transformEntityMappingType,
        ]
        if let type = type.flatMap({ types[$0] }) { return type }
        if mapping.entityMigrationPolicyClassName != nil { return .customEntityMappingType }
        guard let source = mapping.sourceEntityName else { return .addEntityMappingType }
        guard let destination = mapping.destinationEntityName else {
            return .removeEntityMappingType
        }
        return source == destination ? .copyEntityMappingType : .transformEntityMappingType
    }

    /// The value of an attribute: the source's of the same name.
    func attributeValue(_ name: String, in mapping: NSEntityMapping) -> NSExpression? {
        guard let destination = destinationProperty(name, of: mapping) as? NSAttributeDescription,
            let source = sourceProperty(for: destination, of: mapping) as? NSAttributeDescription,
            // Without a policy that could work it out, a value of another type stops the migration.
            mapping.entityMigrationPolicyClassName == nil
                || AttributeConversion.keepsValues(
                    from: source.attributeType,
                    to: destination.attributeType
                )
        else { return nil }
        return MappingExpressions.source(source.name)
    }

    /// The objects of a relationship: what became of those in the source's of the same name.
    func relationshipValue(_ name: String, in mapping: NSEntityMapping) -> NSExpression? {
        guard let destination = destinationProperty(name, of: mapping),
            let source = sourceProperty(for: destination, of: mapping)
                as? NSRelationshipDescription
        else { return nil }
        if let other = onlyMapping(of: source.destinationEntity) {
            return MappingExpressions.destinations(of: other, sourceRelationship: source.name)
        }
        return MappingExpressions.destinations(ofSourceRelationship: source.name)
    }

    /// The one mapping that makes something of an entity's objects; nil if several may.
    private func onlyMapping(of entity: NSEntityDescription?) -> String? {
        // Objects of a sub-entity can be in the relationship too, and have mappings of their own.
        guard let entity, entity.subentities.isEmpty else { return nil }
        let names = mappings.filter { $0.sourceEntityName == entity.name }.compactMap(\.name)
        return names.count == 1 ? names[0] : nil
    }

    private func destinationProperty(
        _ name: String,
        of mapping: NSEntityMapping
    ) -> NSPropertyDescription? {
        mapping.destinationEntityName.flatMap { destination.entitiesByName[$0] }?
            .propertiesByName[name]
    }

    private func sourceProperty(
        for property: NSPropertyDescription,
        of mapping: NSEntityMapping
    ) -> NSPropertyDescription? {
        let properties = mapping.sourceEntityName.flatMap { source.entitiesByName[$0] }?
            .propertiesByName
        return properties?[property.name] ?? properties?[property.canonicalName]
    }
}
