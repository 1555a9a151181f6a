import Foundation

/// What becomes of the objects of an entity.
public enum NSEntityMappingType: UInt, Sendable {
    /// The migration finds out what becomes of them.
    case undefinedEntityMappingType = 0
    /// A policy of the client's makes the objects.
    case customEntityMappingType = 1
    /// The destination's entity is new; the mapping makes no objects.
    case addEntityMappingType = 2
    /// The source's entity is removed, with its objects.
    case removeEntityMappingType = 3
    /// The objects stay as they are.
    case copyEntityMappingType = 4
    /// Each object becomes one, by the property mappings.
    case transformEntityMappingType = 5
}

/// How a migration makes objects of an entity of the destination from objects of one of the source.
///
/// > Threading: Not thread-safe; change it before it is used.
open class NSEntityMapping: NSObject {
    /// The name that other mappings refer to it by.
    open var name: String! = ""
    /// What becomes of the objects.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
    /// The source's entity; nil if the destination's is new.
    open var sourceEntityName: String?
    /// The version hash of the source's entity, by which a mapping model is found for a store.
    open var sourceEntityVersionHash: Data?
    /// The destination's entity; nil if the source's is removed.
    open var destinationEntityName: String?
    /// The version hash of the destination's entity.
    open var destinationEntityVersionHash: Data?
    /// How the attributes get their values.
    open var attributeMappings: [NSPropertyMapping]?
    /// How the relationships get their objects, once all objects are made.
    open var relationshipMappings: [NSPropertyMapping]?
    /// Gives the source's objects; nil for all of just that entity.
    open var sourceExpression: NSExpression?
    /// Values that the client attaches to the mapping.
    open var userInfo: [AnyHashable: Any]?
    /// The class of the policy, with its module; nil for `NSEntityMigrationPolicy`.
    open var entityMigrationPolicyClassName: String?

    /// Whether another mapping says the same of the same entities.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSEntityMapping).map(isSame) ?? false
    }
    open override var hash: Int { name.hashValue }

    /// Whether there are objects to make.
    var makesObjects: Bool {
        sourceEntityName != nil && destinationEntityName != nil
            && mappingType != .addEntityMappingType && mappingType != .removeEntityMappingType
    }
}
