import Foundation

/// Copies entities with their properties, so that the copies refer to each other as the originals
/// do.
final class ModelCopier {
    private var entityCopies: [ObjectIdentifier: NSEntityDescription] = [:]
    private var propertyCopies: [ObjectIdentifier: NSPropertyDescription] = [:]

    /// Adds copies of all that the models have to a model.
    ///
    /// Of entities of the same name the first is taken.
    func copy(_ models: [NSManagedObjectModel], into target: NSManagedObjectModel) {
        var originals: [NSEntityDescription] = []
        var copiesByName: [String: NSEntityDescription] = [:]
        for entity in models.flatMap(\.entities) {
            if let known = copiesByName[entity.name ?? ""] {
                // Entities of one name become one: what refers to the second gets the copy of the
                // first.
                entityCopies[ObjectIdentifier(entity)] = known
                for property in entity.ownProperties {
                    propertyCopies[ObjectIdentifier(property)] =
                        known.propertiesByName[property.name]
                }
            } else {
                originals.append(entity)
                copiesByName[entity.name ?? ""] = copy(entity)
            }
        }
        // After all copies are made, for they refer to each other.
        for entity in originals { connect(entity) }
        target.entities = originals.compactMap { entityCopies[ObjectIdentifier($0)] }
        // After the entities, for a configuration takes only members of the model.
        for model in models {
            for name in model.configurations {
                let members =
                    (target.entities(forConfigurationName: name) ?? [])
                    + (model.entities(forConfigurationName: name) ?? [])
                    .compactMap { entityCopies[ObjectIdentifier($0)] }
                target.setEntities(Self.distinct(members), forConfigurationName: name)
            }
            target.versionIdentifiers.formUnion(model.versionIdentifiers)
            target.ownUnrecognizedParts += model.ownUnrecognizedParts
            target.hashStatements += model.hashStatements
            target.requestTemplates.merge(
                model.requestTemplates.mapValues { copied($0) },
                uniquingKeysWith: { old, _ in old }
            )
            if let texts = model.localizationDictionary {
                target.localizationDictionary = (target.localizationDictionary ?? [:])
                    .merging(texts, uniquingKeysWith: { old, _ in old })
            }
        }
    }

    /// A copy of one entity with its own properties, in no model and without relatives.
    func copy(_ entity: NSEntityDescription) -> NSEntityDescription {
        let copy = NSEntityDescription()
        copy.name = entity.name
        copy.givenClassName = entity.givenClassName
        copy.isAbstract = entity.isAbstract
        copy.userInfo = entity.userInfo
        copy.versionHashModifier = entity.versionHashModifier
        copy.storedRenamingIdentifier = entity.storedRenamingIdentifier
        copy.codeGenerationType = entity.codeGenerationType
        copy.unrecognizedFields = entity.unrecognizedFields
        copy.statedVersionHash = entity.statedVersionHash
        copy.uniquenessConstraints = entity.uniqueKeyGroups
        copy.compoundIndexes = entity.compoundIndexes
        copy.properties = entity.ownProperties.map { property in
            let propertyCopy = property.copyAlone()
            propertyCopies[ObjectIdentifier(property)] = propertyCopy
            return propertyCopy
        }
        entityCopies[ObjectIdentifier(entity)] = copy
        // After the properties: indexes name the copies of this entity's own. Inherited ones are
        // the original's until `connect` finds their copies.
        let ownNames = copy.propertiesByName
        copy.indexes = entity.indexes.map { index in
            index.copy(resolving: { ownNames[$0] ?? entity.propertiesByName[$0] })
        }
        return copy
    }

    /// A copy of a request for the copy of its entity.
    private func copied(
        _ request: NSFetchRequest<any NSFetchRequestResult>
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let copy = request.copied()
        if let entity = request.entity, let entityCopy = entityCopies[ObjectIdentifier(entity)] {
            copy.entity = entityCopy
        }
        return copy
    }

    private func connect(_ original: NSEntityDescription) {
        guard let copy = entityCopies[ObjectIdentifier(original)] else { return }
        copy.subentities = original.subentities.compactMap { entityCopies[ObjectIdentifier($0)] }
        for property in original.ownProperties {
            if let fetched = propertyCopies[ObjectIdentifier(property)]
                as? NSFetchedPropertyDescription
            {
                fetched.fetchRequest = fetched.fetchRequest.map { copied($0) }
            }
            guard let relationship = property as? NSRelationshipDescription,
                let relationshipCopy = propertyCopies[ObjectIdentifier(property)]
                    as? NSRelationshipDescription
            else { continue }
            relationshipCopy.destinationEntity = relationship.destinationEntity
                .flatMap { entityCopies[ObjectIdentifier($0)] }
            relationshipCopy.inverseRelationship = relationship.inverseRelationship
                .flatMap { propertyCopies[ObjectIdentifier($0)] as? NSRelationshipDescription }
        }
        for index in copy.indexes {
            for element in index.elements {
                // An expression belongs to no entity: it has no copy, and is shared.
                element.property = element.property
                    .map { propertyCopies[ObjectIdentifier($0)] ?? $0 }
            }
        }
    }

    private static func distinct(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var seen: Set<ObjectIdentifier> = []
        return entities.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
