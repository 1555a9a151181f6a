import Foundation

/// A relationship of an entity to another, or to itself.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    /// The entity at the other end.
    open unowned(unsafe) var destinationEntity: NSEntityDescription? {
        willSet { checkMutable() }
    }
    /// The relationship of the destination that leads back.
    open unowned(unsafe) var inverseRelationship: NSRelationshipDescription? {
        willSet { checkMutable() }
    }
    /// The largest number of objects; 0 for no limit, 1 makes a to-one relationship.
    open var maxCount = 0 { willSet { checkMutable() } }
    /// The smallest number of objects of a relationship that is not empty.
    open var minCount = 0 { willSet { checkMutable() } }
    /// What becomes of the objects at the other end. Nullify by default.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { willSet { checkMutable() } }
    /// Whether the relationship holds more than one object.
    open var isToMany: Bool { maxCount != 1 }
    /// Whether a to-many relationship keeps an order. False by default.
    open var isOrdered = false { willSet { checkMutable() } }
}
