import Foundation

/// Entities in archives: with their own properties and indexes; what is elsewhere in the model goes
/// by its name, and is found once all are in one model, see ``ArchivedLinks``.
extension NSEntityDescription {
    var archivedFields: DescriptionFields {
        var fields = DescriptionFields()
        fields["name"] = name
        fields["className"] = managedObjectClassName
        if isAbstract { fields["isAbstract"] = true }
        fields["userInfo"] = userInfo
        fields["versionHashModifier"] = versionHashModifier
        fields["renamingIdentifier"] = storedRenamingIdentifier
        fields["codeGenerationType"] = codeGenerationType
        if !uniquenessConstraints.isEmpty { fields["unique"] = uniqueKeyGroups }
        if !compoundIndexes.isEmpty { fields["compoundIndexes"] = compoundIndexNames }
        fields["superentity"] = superentity?.name ?? links?.superentityName
        fields["subentities"] =
            subentities.isEmpty ? links?.subentityNames : subentities.compactMap(\.name)
        fields["properties"] = ownProperties.map(\.fieldsWithKind.values)
        if !indexes.isEmpty { fields["indexes"] = indexes.map(\.archivedFields.values) }
        return fields
    }

    func take(_ fields: DescriptionFields) {
        name = fields.text("name")
        managedObjectClassName = fields.text("className") ?? "NSManagedObject"
        isAbstract = fields.isSet("isAbstract")
        userInfo = fields.dictionary("userInfo")
        versionHashModifier = fields.text("versionHashModifier")
        storedRenamingIdentifier = fields.text("renamingIdentifier")
        codeGenerationType = fields.text("codeGenerationType")
        uniquenessConstraints = fields.textLists("unique")
        compoundIndexes = fields.textLists("compoundIndexes")
        properties = fields.parts("properties").map { NSPropertyDescription.make($0) }
        // Indexes come after the properties that they are over. Inherited ones are found by name in
        // the model.
        let own = Dictionary(ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        indexes = fields.parts("indexes").map { fields in
            let index = NSFetchIndexDescription(name: "", elements: nil)
            index.take(fields) { own[$0] }
            return index
        }
        // Kept by name until the entity is in a model together with the others.
        links = ArchivedLinks(
            superentityName: fields.text("superentity"),
            subentityNames: fields.texts("subentities")
        )
    }
}

/// What an entity of an archive is related to, by name, until it is in a model that has it.
struct ArchivedLinks {
    var superentityName: String?
    var subentityNames: [String]

    /// Relates entities that came out of archives to those of their model.
    static func resolve(_ entities: [NSEntityDescription]) {
        let byName = Dictionary(entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
        let linked = entities.filter { $0.links != nil }
        // The parents' lists go first, for they have the order of the sub-entities. What a child
        // says counts only where no list has named it.
        for entity in linked {
            let children = (entity.links?.subentityNames ?? []).compactMap { byName[$0] }
            if entity.subentities.isEmpty, !children.isEmpty { entity.subentities = children }
        }
        for entity in linked where entity.superentity == nil {
            guard let parent = (entity.links?.superentityName).flatMap({ byName[$0] }) else {
                continue
            }
            parent.subentities.append(entity)
        }
        // Only when inheritance is whole: indexes may be over inherited properties, and an inverse
        // may be inherited by the destination.
        for entity in linked {
            for case let relationship as NSRelationshipDescription in entity.ownProperties {
                relationship.resolve(byName)
            }
            for element in entity.indexes.flatMap(\.elements) where element.property == nil {
                element.property = element.propertyName.flatMap { entity.propertiesByName[$0] }
            }
            entity.links = nil
        }
    }
}

extension NSRelationshipDescription {
    /// Finds what the archive named, where it is there.
    fileprivate func resolve(_ entities: [String: NSEntityDescription]) {
        guard let name = archivedDestination.entity, let destination = entities[name] else {
            return
        }
        destinationEntity = destination
        inverseRelationship =
            archivedDestination.inverse.flatMap { destination.propertiesByName[$0] }
            as? NSRelationshipDescription
        archivedDestination = (nil, nil)
    }
}

// MARK: Indexes

extension NSFetchIndexDescription {
    var archivedFields: DescriptionFields {
        var fields = DescriptionFields()
        fields["name"] = name
        fields["predicate"] = partialIndexPredicate.map { DescriptionFields.archive($0) }
        fields["elements"] = elements.map(\.archivedFields.values)
        if standsForCompoundIndex { fields["standsForCompoundIndex"] = true }
        return fields
    }

    /// - Parameter property: The property of a name, as far as it is known yet.
    func take(_ fields: DescriptionFields, property: (String) -> NSPropertyDescription?) {
        name = fields.text("name") ?? ""
        partialIndexPredicate = fields.object("predicate", of: NSPredicate.self)
        standsForCompoundIndex = fields.isSet("standsForCompoundIndex")
        elements = fields.parts("elements").map { fields in
            let known = fields.text("name").flatMap(property)
            return NSFetchIndexElementDescription(fields, property: known)
        }
    }
}

extension NSFetchIndexElementDescription {
    /// An expression that is indexed belongs to its element; a property goes by its name.
    var archivedFields: DescriptionFields {
        var fields = DescriptionFields()
        fields["name"] = propertyName
        fields["collation"] = Int(collationType.rawValue)
        if !isAscending { fields["isDescending"] = true }
        if let expression = property as? NSExpressionDescription {
            fields["expression"] = expression.fieldsWithKind.values
        }
        return fields
    }

    /// The expression that the fields hold, if they do.
    static func expression(in fields: DescriptionFields) -> NSPropertyDescription? {
        fields["expression"].map { NSPropertyDescription.make(DescriptionFields($0)) }
    }
}
