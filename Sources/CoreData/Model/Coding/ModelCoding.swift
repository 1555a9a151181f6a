import Foundation

/// Models in archives, whole.
extension NSManagedObjectModel {
    var archivedFields: DescriptionFields {
        var fields = DescriptionFields()
        fields["entities"] = entities.map(\.archivedFields.values)
        var members: [String: [String]] = [:]
        for name in configurations {
            members[name] = (entities(forConfigurationName: name) ?? []).compactMap(\.name)
        }
        fields["configurations"] = members
        fields["templates"] = requestTemplates.mapValues(\.archivedFields.values)
        fields["versionIdentifiers"] = versionIdentifiers.map(\.base)
        fields["localizations"] = localizationDictionary
        fields["unrecognizedParts"] = unrecognizedParts
        return fields
    }

    func take(_ fields: DescriptionFields) {
        entities = fields.parts("entities").map { fields in
            let entity = NSEntityDescription()
            entity.take(fields)
            return entity
        }
        // After the entities: a configuration takes none that is not in the model.
        for (name, members) in DescriptionFields(fields["configurations"]).values {
            let names = Set(
                (members as? NSArray)?.compactMap { DescriptionFields.native($0) as? String } ?? []
            )
            setEntities(
                entities.filter { names.contains($0.name ?? "") },
                forConfigurationName: name
            )
        }
        for (name, template) in DescriptionFields(fields["templates"]).values {
            requestTemplates[name] = NSFetchRequest.make(DescriptionFields(template))
        }
        versionIdentifiers = Set(
            fields.list("versionIdentifiers")
                .compactMap { DescriptionFields.native($0) as? AnyHashable }
        )
        localizationDictionary = fields["localizations"].map { DescriptionFields($0).values }?
            .compactMapValues { DescriptionFields.native($0) as? String }
        ownUnrecognizedParts = fields.texts("unrecognizedParts")
    }
}
