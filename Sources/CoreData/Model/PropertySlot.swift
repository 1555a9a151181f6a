/// What the engine needs of one property, compiled: its place in a row and its connections.
struct PropertySlot {
    /// The place in `EntityLayout.slots`, the same in all sub-entities.
    let index: Int
    let name: String
    let kind: StorageKind
    let isOptional: Bool
    let isTransient: Bool
    /// The description that this was compiled from.
    let property: NSPropertyDescription
    /// The index of the entity that declares the property.
    let declaringEntityIndex: Int
    /// An attribute's default in storage form; a transformable's or volatile's default is boxed.
    let defaultValue: SlotValue

    // Relationships only.
    /// The index of the destination entity, or -1.
    let destinationIndex: Int
    /// The slot of the inverse in the destination's layout, or -1.
    let inverseSlot: Int
    let isOrdered: Bool
    /// Whether both ends are to-many.
    let isManyToMany: Bool
    let deleteRule: NSDeleteRule

    var isToOne: Bool { destinationIndex >= 0 && !isToMany }
    let isToMany: Bool
    /// The smallest number of objects of a to-many relationship that is not empty.
    let minCount: Int
    /// The largest number of objects; 0 for no limit.
    let maxCount: Int

    // Validation.
    /// The kind that the attribute's type has in a row, also if it is transient; else `kind`.
    let valueKind: StorageKind
    /// The limits of the values.
    let rules: [ValidationRule]
    /// Whether the description has predicates beside the rules.
    let hasValidationPredicates: Bool

    var isRelationship: Bool { destinationIndex >= 0 }
}
