extension StorageKind {
    /// The kind that a property's description asks for.
    init(_ property: NSPropertyDescription) {
        if property.isTransient {
            self = .volatile
        } else if let relationship = property as? NSRelationshipDescription {
            self = relationship.isToMany ? .toMany : .toOne
        } else if let attribute = property as? NSAttributeDescription {
            self = StorageKind(attribute.attributeType)
        } else {
            self = .volatile
        }
    }
}
