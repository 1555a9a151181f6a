import CoreData

/// Collects what is said of a part of a model.
struct FactList {
    private(set) var facts: [ModelOutline.Fact] = []

    /// Adds a fact, unless it says nothing or the usual.
    mutating func add(_ name: String, _ value: String?, unless usual: String? = nil) {
        guard let value, !value.isEmpty, value != usual else { return }
        facts.append(ModelOutline.Fact(name: name, value: value))
    }

    mutating func add(_ name: String, if isSo: Bool) {
        if isSo { facts.append(ModelOutline.Fact(name: name, value: "yes")) }
    }

    // MARK: Properties

    static func facts(of attribute: NSAttributeDescription) -> [ModelOutline.Fact] {
        var list = FactList()
        list.add(
            "type",
            typeNames[attribute.attributeType] ?? className(of: attribute)
                ?? "\(attribute.attributeType.rawValue)"
        )
        list.add("default", text(attribute.defaultValue))
        list.add("value class", attribute.attributeValueClassName)
        list.add("transformer", attribute.valueTransformerName)
        list.add("external storage", if: attribute.allowsExternalBinaryDataStorage)
        list.add("kept in history", if: attribute.preservesValueInHistoryOnDeletion)
        list.add("encrypted by CloudKit", if: attribute.allowsCloudEncryption)
        if let derived = attribute as? NSDerivedAttributeDescription {
            list.add("derived", derived.derivationExpression?.description)
        }
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *),
            let composite = attribute as? NSCompositeAttributeDescription
        {
            let elements = composite.elements.map { element in
                let parts = facts(of: element).map { "\($0.name) \($0.value)" }
                return "\(element.name) (\(parts.joined(separator: ", ")))"
            }
            list.add("elements", elements.sorted().joined(separator: "; "))
        }
        return list.facts + commonFacts(of: attribute)
    }

    static func facts(of relationship: NSRelationshipDescription) -> [ModelOutline.Fact] {
        var list = FactList()
        list.add("to", relationship.destinationEntity?.name)
        list.add("inverse", relationship.inverseRelationship?.name)
        list.add("many", if: relationship.isToMany)
        list.add("ordered", if: relationship.isOrdered)
        list.add("minimum", "\(relationship.minCount)", unless: "0")
        // For a to-many relationship 0 says that there is no limit.
        list.add("maximum", "\(relationship.maxCount)", unless: relationship.isToMany ? "0" : "1")
        list.add("delete rule", ruleNames[relationship.deleteRule], unless: "nullify")
        return list.facts + commonFacts(of: relationship)
    }

    static func commonFacts(of property: NSPropertyDescription) -> [ModelOutline.Fact] {
        var list = FactList()
        list.add("optional", if: property.isOptional)
        list.add("transient", if: property.isTransient)
        list.add("Spotlight", if: property.isIndexedBySpotlight)
        list.add("renamed from", property.renamingIdentifier, unless: property.name)
        list.add("hash modifier", property.versionHashModifier)
        // A model may have fewer warnings than predicates.
        let warnings = property.validationWarnings
        let rules = property.validationPredicates.enumerated().map { index, predicate in
            "\(predicate)" + (index < warnings.count ? " (\(warnings[index]))" : "")
        }
        list.add("valid if", rules.joined(separator: "; "))
        list.add("user info", text(property.userInfo))
        return list.facts
    }

    static func facts<Result>(of request: NSFetchRequest<Result>) -> [ModelOutline.Fact] {
        var list = FactList()
        list.add("entity", request.entityName)
        list.add("where", request.predicate?.description)
        let keys = (request.sortDescriptors ?? []).map {
            ($0.key ?? "SELF") + ($0.ascending ? "" : " descending")
        }
        list.add("sorted by", keys.joined(separator: ", "))
        list.add("limit", "\(request.fetchLimit)", unless: "0")
        list.add("offset", "\(request.fetchOffset)", unless: "0")
        list.add("batch size", "\(request.fetchBatchSize)", unless: "0")
        list.add("result type", "\(request.resultType.rawValue)", unless: "0")
        list.add("without subentities", if: !request.includesSubentities)
        list.add("without values", if: !request.includesPropertyValues)
        list.add("no faults", if: !request.returnsObjectsAsFaults)
        list.add("distinct", if: request.returnsDistinctResults)
        return list.facts
    }

    // MARK: Values

    /// A value as it reads; data in Base64, dictionaries by key.
    static func text(_ value: Any?) -> String? {
        switch value {
        case nil: nil
        case let data as Data: data.base64EncodedString()
        // Sorted, for a dictionary has no order, and what is the same must be the same text in both
        // versions.
        case let entries as [AnyHashable: Any]:
            entries.map { "\($0.key)=\(text($0.value) ?? "")" }.sorted().joined(separator: ", ")
        case let value?: "\(value)"
        }
    }

    static func names(of constraints: [[Any]]) -> String {
        constraints.map { constraint in
            constraint.map { ($0 as? NSPropertyDescription)?.name ?? "\($0)" }
                .joined(separator: " + ")
        }.joined(separator: ", ")
    }

    private static let ruleNames: [NSDeleteRule: String] = [
        .noActionDeleteRule: "no action", .nullifyDeleteRule: "nullify",
        .cascadeDeleteRule: "cascade", .denyDeleteRule: "deny",
    ]

    /// The class of the values without its prefix, for types that are called like it: "UUID".
    private static func className(of attribute: NSAttributeDescription) -> String? {
        attribute.attributeValueClassName.map { name in
            name.hasPrefix("NS") ? String(name.dropFirst(2)) : name
        }
    }

    /// The types that are called otherwise than the class of their values.
    private static let typeNames: [NSAttributeType: String] = [
        .undefinedAttributeType: "undefined", .integer16AttributeType: "integer 16",
        .integer32AttributeType: "integer 32", .integer64AttributeType: "integer 64",
        .decimalAttributeType: "decimal", .doubleAttributeType: "double",
        .floatAttributeType: "float", .stringAttributeType: "string",
        .booleanAttributeType: "boolean", .dateAttributeType: "date",
        .binaryDataAttributeType: "binary", .URIAttributeType: "URI",
        .transformableAttributeType: "transformable",
        .objectIDAttributeType: "object ID",
    ]
}
