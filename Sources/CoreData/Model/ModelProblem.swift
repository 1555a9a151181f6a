import Foundation

/// What makes a model unusable, in words: readers of model files throw it, and a model that code
/// has put together traps with it at its first use.
enum ModelProblem {
    /// The first problem of a model; nil if it can be used.
    static func first(in model: NSManagedObjectModel) -> String? {
        var names: Set<String> = []
        let members = Set(model.entities.map(ObjectIdentifier.init))
        if model.entities.count > Int(UInt16.max) {
            return "A model can have 65,535 entities at most: split it."
        }
        for entity in model.entities {
            guard let name = entity.name, !name.isEmpty else {
                return "An entity of the model has no name: give it one."
            }
            guard names.insert(name).inserted else {
                return "The model has two entities named \"\(name)\": rename one."
            }
            if let problem = problem(ofInheritance: entity, name, members: members) {
                return problem
            }
        }
        // Only now is it certain that no inheritance goes round in a circle.
        for entity in model.entities {
            if let problem = problem(ofProperties: entity, members: members) { return problem }
        }
        return nil
    }

    /// The first problem as errors go on with it: without a full stop.
    static func reason(in model: NSManagedObjectModel) -> String? {
        first(in: model).map { String($0.dropLast()) }
    }

    private static func problem(
        ofInheritance entity: NSEntityDescription,
        _ name: String,
        members: Set<ObjectIdentifier>
    ) -> String? {
        var ancestor = entity.superentity
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(entity)]
        while let current = ancestor {
            guard seen.insert(ObjectIdentifier(current)).inserted else {
                return "The entity \"\(name)\" inherits from itself: correct its parent entities."
            }
            guard members.contains(ObjectIdentifier(current)) else {
                return "The parent entity \"\(current.name ?? "")\" of \"\(name)\" is not in the "
                    + "model: add it to the model's entities."
            }
            ancestor = current.superentity
        }
        for child in entity.subentities {
            guard members.contains(ObjectIdentifier(child)) else {
                return "The sub-entity \"\(child.name ?? "")\" of \"\(name)\" is not in the model: "
                    + "add it to the model's entities."
            }
            // Both directions must agree: layouts go down by sub-entities, properties are inherited
            // from parents.
            guard child.superentity === entity else {
                return "The entity \"\(child.name ?? "")\" is a sub-entity of \"\(name)\" and of "
                    + "another entity: keep it in one list of subentities."
            }
        }
        return nil
    }

    private static func problem(
        ofProperties entity: NSEntityDescription,
        members: Set<ObjectIdentifier>
    ) -> String? {
        let entityName = entity.name ?? ""
        let properties = entity.properties
        // Entries of accessor tables have sixteen bits for a slot.
        if properties.count > Int(UInt16.max) {
            return "The entity \"\(entityName)\" has more than 65,535 properties: split it."
        }
        var names: Set<String> = []
        for property in properties {
            guard !property.name.isEmpty else {
                return "A property of the entity \"\(entityName)\" has no name: give it one."
            }
            guard names.insert(property.name).inserted else {
                return "The entity \"\(entityName)\" has two properties named "
                    + "\"\(property.name)\", inherited ones included: rename or remove one."
            }
        }
        for name in entity.uniqueKeyGroups.joined() where !names.contains(name) {
            return
                "A uniqueness constraint of the entity \"\(entityName)\" is over \"\(name)\", which "
                + "does not exist: correct it."
        }
        for property in entity.ownProperties {
            if let attribute = property as? NSAttributeDescription,
                let value = attribute.defaultValue,
                StorageKind(attribute.attributeType).slotValue(value) == nil
            {
                return "The default value of the attribute \(entityName).\(attribute.name) is of "
                    + "another type than the attribute: set one of its type."
            }
            guard let relationship = property as? NSRelationshipDescription else { continue }
            if let problem = problem(of: relationship, in: entity, members: members) {
                return problem
            }
        }
        return nil
    }

    private static func problem(
        of relationship: NSRelationshipDescription,
        in entity: NSEntityDescription,
        members: Set<ObjectIdentifier>
    ) -> String? {
        let name = "\(entity.name ?? "").\(relationship.name)"
        guard let destination = relationship.destinationEntity else {
            return "The relationship \(name) has no destination entity: set destinationEntity."
        }
        guard members.contains(ObjectIdentifier(destination)) else {
            return
                "The destination \"\(destination.name ?? "")\" of the relationship \(name) is not "
                + "in the model: add it to the model's entities."
        }
        guard let inverse = relationship.inverseRelationship else { return nil }
        // Layouts look for the inverse by its name among the destination's slots.
        guard let owner = inverse.declaringEntity, destination.isKindOf(entity: owner) else {
            return
                "The inverse \"\(inverse.name)\" of the relationship \(name) is no relationship of "
                + "its destination \"\(destination.name ?? "")\": set another inverse or destination."
        }
        return nil
    }
}
