import Foundation

/// Properties in archives. The fields of each class are with the class.
extension NSPropertyDescription {
    /// A property of the class that its fields name.
    static func make(_ fields: DescriptionFields) -> NSPropertyDescription {
        let property: NSPropertyDescription =
            switch fields.text("kind") {
            case "attribute": NSAttributeDescription()
            case "derived": NSDerivedAttributeDescription()
            case "composite": NSCompositeAttributeDescription()
            case "relationship": NSRelationshipDescription()
            case "fetched": NSFetchedPropertyDescription()
            case "expression": NSExpressionDescription()
            default: NSPropertyDescription()
            }
        property.take(fields)
        return property
    }

    /// The fields with the name of the class.
    var fieldsWithKind: DescriptionFields {
        var fields = archivedFields
        // Subclasses first: a derived or a composite attribute is an attribute too.
        fields["kind"] =
            switch self {
            case is NSDerivedAttributeDescription: "derived"
            case is NSCompositeAttributeDescription: "composite"
            case is NSAttributeDescription: "attribute"
            case is NSRelationshipDescription: "relationship"
            case is NSFetchedPropertyDescription: "fetched"
            case is NSExpressionDescription: "expression"
            default: nil
            }
        return fields
    }

    /// What all properties have in common.
    var commonFields: DescriptionFields {
        var fields = DescriptionFields()
        fields["name"] = name
        if !isOptional { fields["isRequired"] = true }
        if isTransient { fields["isTransient"] = true }
        if isIndexed { fields["isIndexed"] = true }
        if isIndexedBySpotlight { fields["isIndexedBySpotlight"] = true }
        if isStoredInExternalRecord { fields["isStoredInExternalRecord"] = true }
        fields["userInfo"] = userInfo
        fields["versionHashModifier"] = versionHashModifier
        fields["renamingIdentifier"] = storedRenamingIdentifier
        if !givenPredicates.isEmpty {
            fields["predicates"] = givenPredicates.map { DescriptionFields.archive($0) }
            fields["warnings"] = givenWarnings
        }
        return fields
    }

    func takeCommon(_ fields: DescriptionFields) {
        name = fields.text("name") ?? ""
        isOptional = !fields.isSet("isRequired")
        isTransient = fields.isSet("isTransient")
        isIndexed = fields.isSet("isIndexed")
        isIndexedBySpotlight = fields.isSet("isIndexedBySpotlight")
        isStoredInExternalRecord = fields.isSet("isStoredInExternalRecord")
        userInfo = fields.dictionary("userInfo")
        versionHashModifier = fields.text("versionHashModifier")
        storedRenamingIdentifier = fields.text("renamingIdentifier")
        // Not by `setValidationPredicates`, by which an attribute gives up its bounds.
        setGivenPredicates(
            fields.objects("predicates", of: NSPredicate.self),
            warnings: fields.list("warnings").map(DescriptionFields.native)
        )
    }
}

extension AttributeBounds {
    var archivedFields: DescriptionFields {
        var fields = DescriptionFields()
        fields["minimum"] = minimum.map { NSDecimalNumber(decimal: $0) }
        fields["maximum"] = maximum.map { NSDecimalNumber(decimal: $0) }
        fields["earliest"] = earliest
        fields["latest"] = latest
        fields["minimumLength"] = minimumLength
        fields["maximumLength"] = maximumLength
        fields["pattern"] = pattern?.source
        return fields
    }

    init(_ fields: DescriptionFields) {
        minimum = fields.decimal("minimum")
        maximum = fields.decimal("maximum")
        earliest = (fields["earliest"] as? NSNumber)?.doubleValue
        latest = (fields["latest"] as? NSNumber)?.doubleValue
        minimumLength = fields.integer("minimumLength")
        maximumLength = fields.integer("maximumLength")
        do {
            pattern = try fields.text("pattern").map { try Pattern($0) }
        } catch {
            // Only a regular expression that was one is ever written.
            pattern = nil
        }
    }
}
