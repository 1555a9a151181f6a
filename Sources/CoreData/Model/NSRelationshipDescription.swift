import Foundation

/// A relationship of an entity to another, or to itself.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    // @unchecked: see NSPropertyDescription.

    /// The entity at the other end.
    ///
    /// Weak: the model owns it.
    open weak var destinationEntity: NSEntityDescription? {
        get { heldDestination.object }
        set {
            checkMutable()
            heldDestination = WeakHold(newValue)
        }
    }
    private var heldDestination = WeakHold<NSEntityDescription>()
    /// The relationship of the destination that leads back; set it at both ends.
    ///
    /// Weak: its entity owns it.
    open weak var inverseRelationship: NSRelationshipDescription? {
        willSet { checkMutable() }
    }
    /// The largest number of objects; 0 for no limit, 1 makes a to-one relationship.
    open var maxCount = 0 { willSet { checkMutable() } }
    /// The smallest number of objects of a relationship that is not empty.
    open var minCount = 0 { willSet { checkMutable() } }
    /// What happens to the objects at the other end when an object is deleted.
    ///
    /// Nullify by default.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { willSet { checkMutable() } }
    /// Whether the relationship holds more than one object.
    open var isToMany: Bool { maxCount != 1 }
    /// Whether a to-many relationship keeps an order.
    ///
    /// False by default.
    open var isOrdered = false { willSet { checkMutable() } }

    /// A hash over everything about the relationship that stores depend on.
    open override var versionHash: Data { ModelVersion.hash(of: self) }

    /// The names that an archive has of the destination and the inverse, until they are found.
    var archivedDestination: (entity: String?, inverse: String?)

    override var archivedFields: DescriptionFields {
        var fields = commonFields
        fields["destination"] = destinationEntity?.name ?? archivedDestination.entity
        fields["inverse"] = inverseRelationship?.name ?? archivedDestination.inverse
        fields["maxCount"] = maxCount
        fields["minCount"] = minCount
        fields["deleteRule"] = Int(deleteRule.rawValue)
        if isOrdered { fields["isOrdered"] = true }
        return fields
    }

    override func take(_ fields: DescriptionFields) {
        takeCommon(fields)
        archivedDestination = (fields.text("destination"), fields.text("inverse"))
        maxCount = fields.integer("maxCount") ?? 0
        minCount = fields.integer("minCount") ?? 0
        deleteRule =
            NSDeleteRule(rawValue: UInt(clamping: fields.integer("deleteRule") ?? 1))
            ?? .nullifyDeleteRule
        isOrdered = fields.isSet("isOrdered")
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = copyAlone()
        if let copy = copy as? NSRelationshipDescription {
            copy.destinationEntity = destinationEntity
            copy.inverseRelationship = inverseRelationship
        }
        return copy
    }

    /// Takes the destination's relationship of the inverse's name for an inverse that is none of the
    /// destination's: a copy has the inverse of its original, and the destination may have a copy of
    /// that.
    func findInverse() {
        guard let inverse = inverseRelationship, let destination = destinationEntity else { return }
        if let owner = inverse.declaringEntity, destination.isKindOf(entity: owner) { return }
        if let found = destination.relationshipsByName[inverse.name] { inverseRelationship = found }
    }

    override func copyAlone() -> NSPropertyDescription {
        // Without destination and inverse: only the copier of the whole model knows their copies.
        let copy = copyFields(to: NSRelationshipDescription())
        copy.maxCount = maxCount
        copy.minCount = minCount
        copy.deleteRule = deleteRule
        copy.isOrdered = isOrdered
        return copy
    }
}
