import Foundation

/// An entity of a model: a kind of object, with its properties and its place in the inheritance.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSEntityDescription: NSObject, @unchecked Sendable {
    // @unchecked: frozen before it is shared, see `checkMutable`.

    unowned(unsafe) var model: NSManagedObjectModel?

    /// The model that the entity is in.
    public var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            preconditionFailure("The entity \"\(name ?? "")\" belongs to no model yet.")
        }
        return model
    }
    /// The name by which requests ask for the entity.
    open var name: String? { willSet { checkMutable() } }
    /// The class of the entity's objects. `NSManagedObject` by default.
    open var managedObjectClassName: String! = "NSManagedObject" { willSet { checkMutable() } }
    /// Whether the entity has no objects of its own. False by default.
    open var isAbstract = false { willSet { checkMutable() } }
    /// What the client attached.
    open var userInfo: [AnyHashable: Any]? { willSet { checkMutable() } }
    /// What makes the version hash another, though nothing else differs.
    open var versionHashModifier: String? { willSet { checkMutable() } }
    var storedRenamingIdentifier: String?
    /// The entity's name in the model that came before. The own name if not set.
    open var renamingIdentifier: String! {
        get { storedRenamingIdentifier ?? name }
        set {
            checkMutable()
            storedRenamingIdentifier = newValue
        }
    }
    /// Lists of attribute names whose values must be unique together.
    open var uniquenessConstraints: [[Any]] = [] { willSet { checkMutable() } }

    /// The entity that this one inherits from.
    public internal(set) unowned(unsafe) var superentity: NSEntityDescription?
    /// The entities that inherit from this one directly. Setting it sets their `superentity`.
    open var subentities: [NSEntityDescription] = [] {
        willSet { checkMutable() }
        didSet {
            for entity in oldValue { entity.superentity = nil }
            for entity in subentities { entity.superentity = self }
        }
    }
    /// The properties that this entity declares itself.
    private(set) var ownProperties: [NSPropertyDescription] = []
    /// All properties, inherited ones included. Setting it sets those that this entity declares.
    open var properties: [NSPropertyDescription] {
        get { (superentity?.properties ?? []) + ownProperties }
        set {
            checkMutable()
            ownProperties = newValue.filter {
                $0.declaringEntity == nil || $0.declaringEntity === self
            }
            for property in ownProperties { property.declaringEntity = self }
        }
    }
    public var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
    }
    public var propertiesByName: [String: NSPropertyDescription] {
        Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
    public var attributesByName: [String: NSAttributeDescription] {
        propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }
    public var relationshipsByName: [String: NSRelationshipDescription] {
        propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }

    /// Traps if the model is in use.
    func checkMutable() {
        precondition(
            model?.isFrozen != true,
            "Can't modify an immutable model: \"\(name ?? "")\" belongs to a model that is in use."
        )
    }
}
