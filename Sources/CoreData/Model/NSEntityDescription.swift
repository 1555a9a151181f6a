import Foundation
import Synchronization

/// An entity of a model: a kind of object, with its properties and its place in the inheritance.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSEntityDescription: NSObject, NSCopying, NSSecureCoding, WeaklyHeld, @unchecked Sendable
{
    // @unchecked: frozen before it is shared, see `checkMutable`; `tables` and `attached` are behind
    // their locks.

    let weakAnchor = WeakAnchor()
    /// Weak: the model owns its entities, and a client may keep an entity for longer.
    var model: NSManagedObjectModel? {
        get { heldModel.object }
        set { heldModel = WeakHold(newValue) }
    }
    private var heldModel = WeakHold<NSManagedObjectModel>()

    /// The model that the entity is in.
    ///
    /// - Precondition: The entity is in a model, and the model is still there.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            fatalError(
                "The entity \"\(name ?? "")\" belongs to no model yet, or its model was released: "
                    + "keep a reference to the model."
            )
        }
        return model
    }
    /// The name by which requests ask for the entity.
    open var name: String? { willSet { checkMutable() } }
    /// The name of the class as it was set, or as a model file has it.
    var givenClassName: String? = "NSManagedObject" { willSet { checkMutable() } }
    /// The class of the entity's objects.
    ///
    /// `NSManagedObject` by default. If the process has a class that a plain name means (`Author`,
    /// or `.Author` for one in the module of the program), this is its full name from then on.
    open var managedObjectClassName: String! {
        get { fullClassName }
        set { givenClassName = newValue }
    }
    /// Whether the entity has no objects of its own.
    ///
    /// False by default.
    open var isAbstract = false { willSet { checkMutable() } }
    /// Values that the client attaches to the entity; empty by default.
    ///
    /// It may be changed on any thread, also while the model is in use.
    open var userInfo: [AnyHashable: Any]? {
        get { attached.withLock { $0 } }
        set { attached.withLock { $0 = newValue } }
    }
    private let attached = Locked<[AnyHashable: Any]?>([:])
    /// A text that goes into the version hash. Change it where the meaning of the values changes
    /// and nothing else does, so that stores are migrated.
    open var versionHashModifier: String? { willSet { checkMutable() } }
    var storedRenamingIdentifier: String?
    /// The entity's name in the previous version of the model, by which a migration finds its
    /// objects.
    ///
    /// The entity's present name if not set.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? name }
        set {
            checkMutable()
            storedRenamingIdentifier = newValue
        }
    }
    /// Lists of attributes, or of their names, whose values must be unique together.
    open var uniquenessConstraints: [[Any]] = [] { willSet { checkMutable() } }
    /// The indexes that a store should keep for fetches.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet { checkMutable() }
        didSet {
            for index in oldValue { index.entity = nil }
            for index in indexes { index.entity = self }
        }
    }
    /// Lists of property names that a store should index together; ``indexes`` say more.
    open var compoundIndexes: [[Any]] = [] { willSet { checkMutable() } }
    /// Fields of a compiled model that are not known, kept to be written again.
    var unrecognizedFields: [String: PropertyListValue] = [:]
    /// The hash that a file states, where it is not the one that is computed.
    var statedVersionHash: StatedVersionHash?
    /// How Xcode generates the class: `class`, `category`, or nil for not at all.
    var codeGenerationType: String? { willSet { checkMutable() } }

    // MARK: Inheritance

    /// The entity that this one inherits from.
    open internal(set) weak var superentity: NSEntityDescription? {
        get { heldSuperentity.object }
        set { heldSuperentity = WeakHold(newValue) }
    }
    private var heldSuperentity = WeakHold<NSEntityDescription>()
    /// The entities that inherit from this one directly.
    ///
    /// Setting it sets their `superentity`.
    open var subentities: [NSEntityDescription] = [] {
        willSet { checkMutable() }
        didSet {
            // One that another entity has taken over meanwhile keeps its new parent.
            for entity in oldValue where entity.superentity === self { entity.superentity = nil }
            for entity in subentities { entity.superentity = self }
        }
    }
    /// The entities that inherit from this one directly, by name.
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
    }

    /// Whether this is an entity or inherits from it.
    @discardableResult
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        sequence(first: self, next: \.superentity).contains { $0 === entity }
    }

    // MARK: Properties

    /// The properties that this entity declares itself.
    private(set) var ownProperties: [NSPropertyDescription] = []
    /// All properties, inherited ones included.
    ///
    /// Setting it sets those that this entity declares.
    ///
    /// - Precondition: Each property is new, this entity's, or inherited.
    open var properties: [NSPropertyDescription] {
        get { (superentity?.properties ?? []) + ownProperties }
        set {
            checkMutable()
            // Released first: those that stay would be taken for inherited ones and be left out.
            for property in ownProperties { property.declaringEntity = nil }
            ownProperties = newValue.filter { property in
                // The getter gives inherited properties too, so that appending to it sets them
                // here.
                guard let other = property.declaringEntity else { return true }
                require(
                    isKindOf(entity: other),
                    "The property \"\(property.name)\" belongs to the entity \"\(other.name ?? "")\": "
                        + "give \"\(name ?? "")\" a copy() of it."
                )
                return false
            }
            for property in ownProperties { property.declaringEntity = self }
        }
    }

    /// The dictionaries below, once the model is in use.
    private struct PropertyTables {
        let all: [String: NSPropertyDescription]
        let attributes: [String: NSAttributeDescription]
        let relationships: [String: NSRelationshipDescription]

        init(_ properties: [NSPropertyDescription]) {
            all = Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
            attributes = all.compactMapValues { $0 as? NSAttributeDescription }
            relationships = all.compactMapValues { $0 as? NSRelationshipDescription }
        }
    }
    private let tables = Mutex<PropertyTables?>(nil)

    private var currentTables: PropertyTables {
        // Remembered only once the model is in use: before that, any change would make them false.
        tables.withLock { $0 } ?? PropertyTables(properties)
    }

    /// Keeps the dictionaries of properties, since nothing changes from now on.
    func rememberProperties() {
        let current = PropertyTables(properties)
        tables.withLock { $0 = current }
    }

    /// All properties by name, inherited ones included.
    open var propertiesByName: [String: NSPropertyDescription] { currentTables.all }
    /// All attributes by name, inherited ones included.
    open var attributesByName: [String: NSAttributeDescription] { currentTables.attributes }
    /// All relationships by name, inherited ones included.
    open var relationshipsByName: [String: NSRelationshipDescription] {
        currentTables.relationships
    }

    /// The relationships that lead to an entity, by name.
    @discardableResult
    open func relationships(
        forDestination entity: NSEntityDescription
    ) -> [NSRelationshipDescription] {
        relationshipsByName.values
            .filter { $0.destinationEntity === entity }
            // The order of a dictionary differs from run to run.
            .sorted { $0.name < $1.name }
    }

    /// The uniqueness constraints as lists of attribute names.
    var uniqueKeyGroups: [[String]] {
        uniquenessConstraints.map { group in
            group.compactMap { ($0 as? String) ?? ($0 as? NSPropertyDescription)?.name }
        }
    }

    /// An entity without a name.
    public override init() { super.init() }

    // MARK: Archives, see EntityCoding

    /// What an archive said of relatives that are not found yet.
    var links: ArchivedLinks?

    /// True: an archive holds plain values.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an entity with its own properties and indexes from an archive; nil, with the coder's
    /// error set, if it holds something else.
    ///
    /// It is in no model. In one, it finds its relatives and the destinations of its relationships
    /// by their names.
    public required init?(coder: NSCoder) {
        super.init()
        guard let fields = DescriptionFields.read(from: coder) else { return nil }
        take(fields)
    }

    /// Writes the entity with its own properties and indexes to an archive; other entities by
    /// their names.
    ///
    /// - Precondition: User info and default values hold what archives can hold.
    open func encode(with coder: NSCoder) {
        archivedFields.write(of: "the entity \"\(name ?? "")\"", to: coder)
    }

    // MARK: Versions and copies

    /// A hash over everything about the entity that stores depend on: a store opens with a model
    /// whose entities have the hashes in its metadata.
    open var versionHash: Data { ModelVersion.hash(of: self) }

    /// A copy with copies of the entity's own properties, in no model and without relatives.
    ///
    /// Relationships of the copy lead nowhere; `copy()` of a model keeps them.
    open func copy(with zone: NSZone? = nil) -> Any { ModelCopier().copy(self) }

    /// Traps if the model is in use.
    func checkMutable() {
        require(
            model?.isFrozen != true,
            "Can't modify an immutable model: \"\(name ?? "")\" belongs to a model that is in use."
        )
    }
}
