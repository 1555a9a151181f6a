import Foundation

/// Makes the properties of one entity of an archived model.
struct PropertyArchiveReader {
    let archive: KeyedArchive
    let entityName: String
    let unrecognized: UnrecognizedParts
    let budget: CompositeBudget

    private var values: ModelArchiveValues {
        ModelArchiveValues(archive: archive, unrecognized: unrecognized)
    }

    /// nil, and a note, for a property of an unknown class.
    func makeProperty(
        _ object: ArchivedObject,
        named name: String
    ) throws(ArchiveError) -> NSPropertyDescription? {
        let place = "\(entityName).\(name)"
        let property: NSPropertyDescription
        let known: Set<String>
        switch Self.kind(of: object) {
        case "NSRelationshipDescription":
            (property, known) = (try makeRelationship(object), ModelArchiveKeys.relationship)
        case "NSDerivedAttributeDescription":
            property = try makeDerived(object, at: place)
            known = ModelArchiveKeys.derivedAttribute
        case "NSCompositeAttributeDescription":
            property = try makeComposite(object, at: place)
            known = ModelArchiveKeys.compositeAttribute
        case "NSAttributeDescription":
            property = try fill(NSAttributeDescription(), object, at: place)
            known = ModelArchiveKeys.attribute
        case "NSFetchedPropertyDescription":
            property = try makeFetchedProperty(object, at: place)
            known = ModelArchiveKeys.fetchedProperty
        default:
            unrecognized.note(
                "the property is of the class \(object.className), which is not known",
                at: place
            )
            return nil
        }
        try readCommon(object, into: property, named: name, at: place)
        property.unrecognizedFields = values.unknownFields(of: object, known, at: place)
        return property
    }

    private static let kinds: Set<String> = [
        "NSAttributeDescription", "NSDerivedAttributeDescription",
        "NSCompositeAttributeDescription", "NSRelationshipDescription",
        "NSFetchedPropertyDescription",
    ]

    /// The class that the object's class is or inherits from.
    private static func kind(of object: ArchivedObject) -> String {
        object.classNames.first { kinds.contains($0) } ?? ""
    }

    private func readCommon(
        _ object: ArchivedObject,
        into property: NSPropertyDescription,
        named name: String,
        at place: String
    ) throws(ArchiveError) {
        property.name = name
        // A file that says nothing means required, while descriptions begin as optional.
        property.isOptional = try object.boolean("NSIsOptional") ?? false
        // Fetched properties all say so, and model sources never do.
        let isTransient = try object.boolean("NSIsTransient") ?? false
        property.isTransient = isTransient && !(property is NSFetchedPropertyDescription)
        let isIndexed = try object.boolean("NSIsIndexed") ?? false
        property.isIndexed = isIndexed && property is NSAttributeDescription
        property.isIndexedBySpotlight = try object.boolean("NSIndexedBySpotlight") ?? false
        let identifier = try object.string("NSRenamingIdentifier")
        property.storedRenamingIdentifier = identifier == name ? nil : identifier
        property.versionHashModifier = try object.string("NSVersionHashModifier")
        property.userInfo = values.userInfo(of: object, at: place) ?? [:]
        try ValidationArchiveReader(archive: archive, unrecognized: unrecognized)
            .read(object, into: property, at: place)
    }

    // MARK: Attributes

    private static let flagOfExternalStorage = 4
    private static let flagOfPreservation = 16

    private func fill<Attribute: NSAttributeDescription>(
        _ attribute: Attribute,
        _ object: ArchivedObject,
        at place: String
    ) throws(ArchiveError) -> Attribute {
        let code = try object.integer("NSAttributeType") ?? 0
        // Refused and not noted: without its type nothing is known of how stores keep the
        // attribute's values.
        guard let type = UInt(exactly: code).flatMap(NSAttributeType.init) else {
            throw ArchiveError(reason: "the type \(code) of the attribute \(place) is not known")
        }
        attribute.attributeType = type
        if let name = try object.string("NSAttributeValueClassName"), name != type.valueClassName {
            attribute.attributeValueClassName = name
        }
        attribute.valueTransformerName = try object.string("NSValueTransformerName")
        let flags = try object.integer("NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & Self.flagOfExternalStorage != 0
        attribute.preservesValueInHistoryOnDeletion = flags & Self.flagOfPreservation != 0
        let rest = flags & ~(Self.flagOfExternalStorage | Self.flagOfPreservation)
        if rest != 0 {
            unrecognized.note("the bits \(rest) of NSFlagsKey are not known", at: place)
        }
        attribute.allowsCloudEncryption = try object.boolean("NSAllowsCloudEncryption") ?? false
        attribute.defaultValue = defaultValue(object, type, at: place)
        return attribute
    }

    /// nil, and a note, for a value that the attribute could not have.
    private func defaultValue(
        _ object: ArchivedObject,
        _ type: NSAttributeType,
        at place: String
    ) -> Any? {
        let field = object.fields["NSDefaultValue"]
        guard let value = values.value(field, of: "the default value", at: place) else {
            return nil
        }
        let kind = StorageKind(type)
        guard let stored = kind.slotValue(value) else {
            unrecognized.note("the default value is of another type than the attribute", at: place)
            return nil
        }
        // As values of the attribute come out, whatever kind of number the archive has.
        return kind == .volatile || kind == .transformable ? value : kind.anyValue(stored)
    }

    private func makeDerived(
        _ object: ArchivedObject,
        at place: String
    ) throws(ArchiveError) -> NSAttributeDescription {
        let attribute = try fill(NSDerivedAttributeDescription(), object, at: place)
        let reader = PredicateArchiveReader(archive)
        do throws(ArchiveError) {
            attribute.derivationExpression = try object.object("NSDerivationExpression")
                .map { object throws(ArchiveError) in
                    DerivationForm.keyPath(of: try reader.expression(object))
                }
        } catch {
            // Noted instead of thrown: the rest of the model is of use without this attribute's
            // values.
            unrecognized.note("the derivation cannot be read, since \(error.reason)", at: place)
        }
        if try object.object("NSFilteringPredicate") != nil {
            unrecognized.note("the filter of the derivation is left out", at: place)
        }
        return attribute
    }

    /// The name of the field that holds the elements is not certain: a list of attributes is it.
    private func makeComposite(
        _ object: ArchivedObject,
        at place: String
    ) throws(ArchiveError) -> NSAttributeDescription {
        let attribute = try fill(NSCompositeAttributeDescription(), object, at: place)
        // Also where the depth is refused, since `enter` has counted it by then.
        defer { budget.leave() }
        guard budget.enter() else {
            throw ArchiveError(reason: "composite attributes are nested too deep, or in themselves")
        }
        // Under which key Apple's files keep the elements is not known, so each list counts that
        // stands in a field which plain attributes lack.
        for key in object.fields.keys.sorted() where !ModelArchiveKeys.attribute.contains(key) {
            guard case .object(let list) = try object.value(key),
                list.fields["NS.objects"] != nil, attribute.elements.isEmpty
            else { continue }
            for element in try list.elements() {
                guard budget.takeElement() else {
                    throw ArchiveError(reason: "composite attributes have too many elements")
                }
                guard case .object(let element) = element,
                    ["NSAttributeDescription", "NSCompositeAttributeDescription"]
                        .contains(Self.kind(of: element)),
                    let name = try element.string("NSPropertyName"),
                    let part = try makeProperty(element, named: name) as? NSAttributeDescription
                else { continue }
                attribute.elements.append(part)
            }
        }
        if attribute.elements.isEmpty {
            unrecognized.note("the elements of the composite attribute were not found", at: place)
        }
        return attribute
    }

    // MARK: Relationships and fetched properties

    /// A relationship that leads nowhere yet.
    private func makeRelationship(
        _ object: ArchivedObject
    ) throws(ArchiveError) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        for (key, path) in [
            ("NSMinCount", \NSRelationshipDescription.minCount),
            ("NSMaxCount", \NSRelationshipDescription.maxCount),
        ] {
            let count = try object.integer(key) ?? 0
            // Version hashes have 32 bits for a count.
            guard Int32(exactly: count) != nil else { throw object.malformed(key) }
            relationship[keyPath: path] = count
        }
        let code = try object.integer("NSDeleteRule") ?? 1
        guard let rule = UInt(exactly: code).flatMap(NSDeleteRule.init) else {
            throw object.malformed("NSDeleteRule")
        }
        relationship.deleteRule = rule
        relationship.isOrdered = try object.boolean("NSIsOrdered") ?? false
        return relationship
    }

    private func makeFetchedProperty(
        _ object: ArchivedObject,
        at place: String
    ) throws(ArchiveError) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        let reader = FetchRequestArchiveReader(archive: archive, unrecognized: unrecognized)
        if let request = try object.object("NSFetchRequest") {
            property.fetchRequest = reader.makeRequest(
                request,
                entityName: try object.string("_NSFetchRequestEntityName"),
                at: place
            )
        }
        return property
    }
}
