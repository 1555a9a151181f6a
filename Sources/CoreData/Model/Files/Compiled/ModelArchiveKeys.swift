/// The fields of archived models that are known, by the class of the object.
enum ModelArchiveKeys {
    static let model: Set<String> = [
        "NSEntities", "NSFetchRequestTemplates", "NSConfigurations", "NSVersionIdentifiers",
        "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
    ]
    static let entity: Set<String> = [
        "NSEntityName", "NSClassNameForEntity", "NSRenamingIdentifier", "NSVersionHashModifier",
        "NSIsAbstract", "NSManagedObjectModel", "NSSuperentity", "NSSubentities", "NSProperties",
        "NSUserInfo", "NSUniqueTuples", "NSFetchIndexDescriptions", "NSCompoundIndexes",
    ]
    static let property: Set<String> = [
        "NSPropertyName", "NSRenamingIdentifier", "NSEntity", "NSIsOptional", "NSIsTransient",
        "NSIsReadOnly", "NSIsIndexed", "NSIndexedBySpotlight", "NSVersionHashModifier",
        "NSUserInfo", "NSValidationPredicates", "NSValidationWarnings", "_P",
    ]
    static let attribute = property.union([
        "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue",
        "NSValueTransformerName", "NSFlagsKey", "NSAllowsCloudEncryption",
    ])
    static let derivedAttribute = attribute.union([
        "NSDerivationExpression", "NSFilteringPredicate",
    ])
    static let compositeAttribute = attribute.union(["NSElements"])
    static let relationship = property.union([
        "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship",
        "_NSInverseRelationshipName", "NSMinCount", "NSMaxCount", "NSDeleteRule", "NSIsOrdered",
    ])
    static let fetchedProperty = property.union(["NSFetchRequest", "_NSFetchRequestEntityName"])
    static let fetchIndex: Set<String> = [
        "NSIndexName", "NSEntity", "NSIndexElements", "NSPartialIndexPredicate",
    ]
    static let fetchIndexElement: Set<String> = [
        "NSPropertyName", "NSFetchIndexElementType", "NSAscending", "NSFetchIndexDescription",
    ]
    static let fetchRequest: Set<String> = [
        "NSEntity", "NSPredicate", "NSSortDescriptors", "NSFetchLimit", "NSFetchOffset",
        "NSBatchSize", "NSResultType", "NSValuesToFetch", "NSValuesToGroupBy",
        "NSHavingPredicate", "NSRelationshipKeyPathsForPrefetching", "NSHasFetchRequestFlags",
        "NSFetchRequestFlags", "NSAllocationType",
    ]
}
