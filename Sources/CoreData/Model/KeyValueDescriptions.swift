import Foundation

/// Key-value access to descriptions, for predicates such as `entity.name == "Person"`. They can't
/// be set by key.
extension NSEntityDescription: KeyValueCoding {
    /// The value for a key.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "managedObjectClassName": managedObjectClassName
        case "abstract", "isAbstract": NSNumber(value: isAbstract)
        case "superentity": superentity
        case "subentities": subentities
        case "properties": properties
        case "userInfo": userInfo
        case "renamingIdentifier": renamingIdentifier
        default: value(forUndefinedKey: key)
        }
    }

    /// Stops the program.
    public func setValue(_ value: Any?, forKey key: String) {
        setValue(value, forUndefinedKey: key)
    }
}

extension NSPropertyDescription: KeyValueCoding {
    /// The value for a key.
    public func value(forKey key: String) -> Any? {
        switch (key, self) {
        case ("name", _): name
        case ("entity", _): entity
        case ("optional", _), ("isOptional", _): NSNumber(value: isOptional)
        case ("transient", _), ("isTransient", _): NSNumber(value: isTransient)
        case ("userInfo", _): userInfo
        case ("renamingIdentifier", _): renamingIdentifier
        case ("attributeType", let attribute as NSAttributeDescription):
            NSNumber(value: attribute.attributeType.rawValue)
        case ("defaultValue", let attribute as NSAttributeDescription): attribute.defaultValue
        case ("destinationEntity", let relationship as NSRelationshipDescription):
            relationship.destinationEntity
        case ("inverseRelationship", let relationship as NSRelationshipDescription):
            relationship.inverseRelationship
        case ("toMany", let relationship as NSRelationshipDescription),
            ("isToMany", let relationship as NSRelationshipDescription):
            NSNumber(value: relationship.isToMany)
        default: value(forUndefinedKey: key)
        }
    }

    /// Stops the program.
    public func setValue(_ value: Any?, forKey key: String) {
        setValue(value, forUndefinedKey: key)
    }
}
