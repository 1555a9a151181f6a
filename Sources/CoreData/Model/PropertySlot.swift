/// What the engine needs of one property, compiled: its place in a row and its connections.
///
/// A class, since inner loops take it out of arrays: a structure of this size would be copied field
/// by field each time.
///
/// > Threading: Immutable; any thread.
final class PropertySlot: @unchecked Sendable {
    // @unchecked: immutable; the description is frozen.

    /// The place in `EntityLayout.slots`, the same in all sub-entities.
    let index: Int
    let name: String
    let kind: StorageKind
    let isOptional: Bool
    let isTransient: Bool
    /// The description that this was compiled from.
    let property: NSPropertyDescription
    /// Whether the property is fetched by a request of its own.
    let isFetched: Bool
    /// The index of the entity that declares the property.
    let declaringEntityIndex: Int
    /// An attribute's default in storage form; a transformable's or volatile's default is boxed.
    let defaultValue: SlotValue

    // Relationships only.
    /// The index of the destination entity, or -1.
    let destinationIndex: Int
    /// The index of the last entity of the destination's sub-tree, or -2.
    let destinationLastIndex: Int
    /// The slot of the inverse in the destination's layout, or -1.
    let inverseSlot: Int
    let isOrdered: Bool
    /// Whether both ends are to-many.
    let isManyToMany: Bool
    let deleteRule: NSDeleteRule

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
    /// The elements of a composite attribute that rows have.
    let composite: CompositeLayout?

    var isRelationship: Bool { destinationIndex >= 0 }
    var isToOne: Bool { isRelationship && !isToMany }

    /// Compiles a property, without what depends on other entities' slots.
    init(
        _ property: NSPropertyDescription,
        index: Int,
        entityIndex: Int,
        indexByEntity: [ObjectIdentifier: Int]
    ) {
        let relationship = property as? NSRelationshipDescription
        let attribute = property as? NSAttributeDescription
        let kind = StorageKind(property)
        let valueKind = attribute.map { StorageKind($0.attributeType) } ?? kind
        self.index = index
        name = property.name
        self.kind = kind
        isOptional = property.isOptional
        isTransient = property.isTransient
        isFetched = property is NSFetchedPropertyDescription
        self.property = property
        declaringEntityIndex = entityIndex
        defaultValue = attribute.map { kind.slotValue(ofDefault: $0.defaultValue) } ?? .null
        destinationIndex =
            relationship?.destinationEntity
            .flatMap { indexByEntity[ObjectIdentifier($0)] } ?? -1
        // An empty range until the slot is linked.
        destinationLastIndex = -2
        // As above: the other initializer sets them when all entities have their slots.
        inverseSlot = -1
        isOrdered = relationship?.isOrdered ?? false
        isManyToMany = false
        deleteRule = relationship?.deleteRule ?? .nullifyDeleteRule
        isToMany = relationship?.isToMany ?? false
        minCount = relationship?.minCount ?? 0
        maxCount = relationship?.maxCount ?? 0
        self.valueKind = valueKind
        rules = attribute.map { ValidationRule.rules($0.bounds, of: $0.attributeType) } ?? []
        hasValidationPredicates = !property.givenPredicates.isEmpty
        // A transient composite is in no row, so that nothing asks for its elements there.
        composite =
            kind == .transformable
            ? (property as? NSCompositeAttributeDescription).map(CompositeLayout.init) : nil
    }

    /// The same relationship, with what it needs of its destination.
    init(_ slot: PropertySlot, destination: EntityLayout, inverse: NSRelationshipDescription?) {
        index = slot.index
        name = slot.name
        kind = slot.kind
        isOptional = slot.isOptional
        isTransient = slot.isTransient
        isFetched = slot.isFetched
        property = slot.property
        declaringEntityIndex = slot.declaringEntityIndex
        defaultValue = slot.defaultValue
        destinationIndex = slot.destinationIndex
        destinationLastIndex = destination.lastDescendantIndex
        inverseSlot = inverse.flatMap { destination.slotsByName[$0.name] } ?? -1
        isOrdered = slot.isOrdered
        isManyToMany = slot.isToMany && inverse?.isToMany == true
        deleteRule = slot.deleteRule
        isToMany = slot.isToMany
        minCount = slot.minCount
        maxCount = slot.maxCount
        valueKind = slot.valueKind
        rules = slot.rules
        hasValidationPredicates = slot.hasValidationPredicates
        composite = slot.composite
    }
}
