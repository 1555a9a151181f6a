import Foundation

extension ModelArchiveWriter {
    /// The class and the fields of a property in the list of an entity.
    func description(
        of property: NSPropertyDescription,
        in entity: NSEntityDescription
    ) -> (classNames: [String], fields: [String: PropertyListValue]) {
        let place = "\(entity.name ?? "").\(property.name)"
        var fields = commonFields(of: property, in: entity, at: place)
        let classNames: [String]
        switch property {
        case let attribute as NSAttributeDescription:
            classNames = addFields(of: attribute, in: entity, at: place, to: &fields)
        case let relationship as NSRelationshipDescription:
            addFields(of: relationship, to: &fields)
            classNames = ["NSRelationshipDescription"]
        case let fetched as NSFetchedPropertyDescription:
            fields["NSIsTransient"] = .boolean(true)
            fields["NSIsReadOnly"] = .boolean(true)
            let request = fetched.fetchRequest
            fields["NSFetchRequest"] =
                request.flatMap { self.request($0, at: place) } ?? KeyedArchiveBuilder.null
            fields["_NSFetchRequestEntityName"] = builder.string(request?.entityName)
            classNames = ["NSFetchedPropertyDescription"]
        default: classNames = []
        }
        // At last, since the bits repeat what the other fields say.
        fields["_P"] = .integer(Self.bits(of: property, fields))
        return (classNames + ["NSPropertyDescription", "NSObject"], fields)
    }

    private func commonFields(
        of property: NSPropertyDescription,
        in entity: NSEntityDescription,
        at place: String
    ) -> [String: PropertyListValue] {
        // What was read and not understood goes back as it was, and gives way to every field that
        // is known.
        var fields = property.unrecognizedFields
        fields["NSPropertyName"] = builder.string(property.name)
        fields["NSRenamingIdentifier"] = builder.string(property.renamingIdentifier)
        fields["NSEntity"] = reference(entity)
        for (key, isSet) in [
            ("NSIsOptional", property.isOptional), ("NSIsTransient", property.isTransient),
            ("NSIsIndexed", property.isIndexed),
            ("NSIndexedBySpotlight", property.isIndexedBySpotlight),
        ] where isSet { fields[key] = .boolean(true) }
        if let modifier = property.versionHashModifier {
            fields["NSVersionHashModifier"] = builder.string(modifier)
        }
        fields["NSUserInfo"] = userInfo(property.userInfo, at: place)
        if property.isStoredInExternalRecord {
            omit("it is to be stored in external records, for which no field is known", at: place)
        }
        addValidation(of: property, at: place, to: &fields)
        return fields
    }

    /// The bits that say once more what the fields say.
    private static func bits(
        of property: NSPropertyDescription,
        _ fields: [String: PropertyListValue]
    ) -> Int64 {
        let isOrdered = (property as? NSRelationshipDescription)?.isOrdered == true
        let isEncrypted = (property as? NSAttributeDescription)?.allowsCloudEncryption == true
        let bits: [(Int64, Bool)] = [
            (0x001, true), (0x002, property.isOptional),
            (0x004, fields["NSIsReadOnly"] != nil), (0x008, fields["NSIsTransient"] != nil),
            (0x030, fields["NSValidationPredicates"] == nil), (0x040, fields["NSUserInfo"] == nil),
            (0x080, fields["NSVersionHashModifier"] == nil),
            (0x100, property.isIndexedBySpotlight), (0x400, isOrdered), (0x800, isEncrypted),
        ]
        return bits.reduce(0) { $1.1 ? $0 | $1.0 : $0 }
    }

    private func addValidation(
        of property: NSPropertyDescription,
        at place: String,
        to fields: inout [String: PropertyListValue]
    ) {
        let writer = PredicateArchiveWriter(builder: builder)
        let stated = property.validationWarnings
        var predicates: [PropertyListValue] = []
        var warnings: [PropertyListValue] = []
        for (index, predicate) in property.validationPredicates.enumerated() {
            do throws(UnwritableQuery) {
                predicates.append(try writer.predicate(predicate))
            } catch {
                omit("a validation predicate holds \(error.what)", at: place)
                continue
            }
            // The two lists are parallel: a predicate that was left out takes its warning with it.
            let warning = index < stated.count ? PropertyListValue.plain(stated[index]) : nil
            warnings.append(builder.plain(warning ?? .string("")))
        }
        if predicates.isEmpty { return }
        fields["NSValidationPredicates"] = builder.array(predicates)
        fields["NSValidationWarnings"] = builder.array(warnings)
    }

    // MARK: Attributes

    private func addFields(
        of attribute: NSAttributeDescription,
        in entity: NSEntityDescription,
        at place: String,
        to fields: inout [String: PropertyListValue]
    ) -> [String] {
        fields["NSAttributeType"] = .integer(Int64(attribute.attributeType.rawValue))
        fields["NSAttributeValueClassName"] = builder.string(attribute.attributeValueClassName)
        fields["NSValueTransformerName"] = builder.string(attribute.valueTransformerName)
        fields["NSDefaultValue"] = defaultValue(of: attribute, at: place)
        fields["NSFlagsKey"] = .integer(
            (attribute.allowsExternalBinaryDataStorage ? 4 : 0)
                | (attribute.preservesValueInHistoryOnDeletion ? 16 : 0)
        )
        if attribute.allowsCloudEncryption { fields["NSAllowsCloudEncryption"] = .boolean(true) }
        switch attribute {
        case let derived as NSDerivedAttributeDescription:
            fields["NSIsReadOnly"] = .boolean(true)
            fields["NSFilteringPredicate"] = KeyedArchiveBuilder.null
            fields["NSDerivationExpression"] = derivation(of: derived, at: place)
            return ["NSDerivedAttributeDescription", "NSAttributeDescription"]
        case let composite as NSCompositeAttributeDescription:
            let elements = composite.elements.sorted { $0.name < $1.name }.map { element in
                let (classNames, fields) = description(of: element, in: entity)
                return builder.object(classNames, fields)
            }
            fields["NSElements"] = builder.array(elements)
            return ["NSCompositeAttributeDescription", "NSAttributeDescription"]
        default:
            return ["NSAttributeDescription"]
        }
    }

    private func defaultValue(
        of attribute: NSAttributeDescription,
        at place: String
    ) -> PropertyListValue {
        guard let value = attribute.defaultValue else { return KeyedArchiveBuilder.null }
        do throws(UnarchivableValue) {
            return try builder.value(value)
        } catch {
            omit("the default value is of type \(error.typeName)", at: place)
            return KeyedArchiveBuilder.null
        }
    }

    private func derivation(
        of attribute: NSDerivedAttributeDescription,
        at place: String
    ) -> PropertyListValue {
        do throws(UnwritableQuery) {
            return try PredicateArchiveWriter(builder: builder).expression(
                attribute.derivationExpression.map { DerivationForm.function(of: $0) }
            )
        } catch {
            omit("the derivation holds \(error.what)", at: place)
            return KeyedArchiveBuilder.null
        }
    }

    // MARK: Relationships

    private func addFields(
        of relationship: NSRelationshipDescription,
        to fields: inout [String: PropertyListValue]
    ) {
        let destination = relationship.destinationEntity
        let inverse = relationship.inverseRelationship
        fields["NSDestinationEntity"] = reference(destination)
        fields["_NSDestinationEntityName"] = builder.string(destination?.name)
        fields["NSInverseRelationship"] = reference(inverse, in: inverse?.declaringEntity)
        fields["_NSInverseRelationshipName"] = builder.string(inverse?.name)
        fields["NSMinCount"] = .integer(Int64(relationship.minCount))
        fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
        fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
        if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
    }
}
