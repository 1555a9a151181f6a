import Foundation

/// The mappings that follow from the differences of two models.
enum InferredMapping {
    static func entityMappings(_ match: ModelMatch) -> [NSEntityMapping] {
        match.pairs.map(mapping) + match.added.map(addition) + match.removed.map(removal)
    }

    private static func mapping(_ pair: ModelMatch.EntityPair) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        // The type only tells the reader of a mapping that nothing changes; both kinds are carried
        // out alike.
        let isCopy = pair.source.versionHash == pair.destination.versionHash
        mapping.mappingType = isCopy ? .copyEntityMappingType : .transformEntityMappingType
        mapping.name = (isCopy ? "IEM_Copy_" : "IEM_Transform_") + pair.destination.currentName
        setSource(pair.source, of: mapping)
        setDestination(pair.destination, of: mapping)
        let properties = pair.destination.properties.sorted { $0.name < $1.name }
        mapping.attributeMappings = properties.compactMap { property in
            (property as? NSAttributeDescription).flatMap { attribute($0, pair) }
        }
        mapping.relationshipMappings = properties.compactMap { property in
            (property as? NSRelationshipDescription).flatMap { relationship($0, pair) }
        }
        mapping.userInfo = summary(pair)
        return mapping
    }

    /// What becomes of the properties, by name, as Apple's framework tells it in an inferred
    /// mapping's `userInfo`.
    private static func summary(_ pair: ModelMatch.EntityPair) -> [String: Set<String>] {
        func stored(_ entity: NSEntityDescription) -> Set<String> {
            Set(entity.properties.filter { !($0 is NSFetchedPropertyDescription) }.map(\.name))
        }
        let names = stored(pair.destination)
        let mapped = names.filter { pair.sourceProperties[$0] != nil }
        let sources = Set(mapped.compactMap { pair.sourceProperties[$0]?.name })
        return [
            "mappedProperties": mapped,
            "addedProperties": names.subtracting(mapped),
            "removedProperties": stored(pair.source).subtracting(sources),
        ]
    }

    private static func addition(_ entity: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "IEM_Add_" + entity.currentName
        mapping.mappingType = .addEntityMappingType
        setDestination(entity, of: mapping)
        return mapping
    }

    private static func removal(_ entity: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "IEM_Remove_" + entity.currentName
        mapping.mappingType = .removeEntityMappingType
        setSource(entity, of: mapping)
        return mapping
    }

    private static func setSource(_ entity: NSEntityDescription, of mapping: NSEntityMapping) {
        mapping.sourceEntityName = entity.name
        mapping.sourceEntityVersionHash = entity.versionHash
    }

    private static func setDestination(_ entity: NSEntityDescription, of mapping: NSEntityMapping) {
        mapping.destinationEntityName = entity.name
        mapping.destinationEntityVersionHash = entity.versionHash
    }

    // MARK: Properties

    private static func attribute(
        _ attribute: NSAttributeDescription,
        _ pair: ModelMatch.EntityPair
    ) -> NSPropertyMapping? {
        guard let source = pair.sourceProperties[attribute.name],
            // The store works out derived values itself.
            !(attribute is NSDerivedAttributeDescription)
        else { return nil }
        let value = MappingExpressions.source(source.name)
        guard source.isOptional, !attribute.isOptional, attribute.defaultValue != nil else {
            return propertyMapping(attribute.name, value)
        }
        // A null in a property that has become required would stop the save: the default takes its
        // place.
        let isThere = NSComparisonPredicate(
            leftExpression: value,
            rightExpression: NSExpression(forConstantValue: nil),
            modifier: .direct,
            type: .notEqualTo
        )
        return propertyMapping(
            attribute.name,
            NSExpression(
                forConditional: isThere,
                trueExpression: value,
                falseExpression: NSExpression(forConstantValue: attribute.defaultValue)
            )
        )
    }

    private static func relationship(
        _ relationship: NSRelationshipDescription,
        _ pair: ModelMatch.EntityPair
    ) -> NSPropertyMapping? {
        guard let source = pair.sourceProperties[relationship.name] else { return nil }
        return propertyMapping(
            relationship.name,
            MappingExpressions.destinations(ofSourceRelationship: source.name)
        )
    }

    private static func propertyMapping(_ name: String, _ value: NSExpression) -> NSPropertyMapping
    {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = value
        return mapping
    }
}
