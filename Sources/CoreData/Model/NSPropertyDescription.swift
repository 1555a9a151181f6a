import Foundation

/// A property of an entity: what attributes, relationships and fetched properties have in common.
///
/// > Threading: Change it on one thread until its model is in use; it is frozen then.
open class NSPropertyDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // @unchecked: frozen before it is shared, see `checkMutable`; `attached` is behind its lock.

    /// The entity that declares the property.
    ///
    /// Weak, since the entity owns its properties.
    var declaringEntity: NSEntityDescription? {
        get { heldEntity.object }
        set { heldEntity = WeakHold(newValue) }
    }
    private var heldEntity = WeakHold<NSEntityDescription>()

    /// The entity that has the property.
    open var entity: NSEntityDescription {
        guard let declaringEntity else {
            fatalError("The property \"\(name)\" belongs to no entity yet.")
        }
        return declaringEntity
    }

    /// The property's name, the key of key-value access.
    open var name: String = "" { willSet { checkMutable() } }
    /// Whether nil is a valid value.
    ///
    /// True by default.
    open var isOptional = true { willSet { checkMutable() } }
    /// Whether stores leave the property out.
    ///
    /// False by default.
    open var isTransient = false { willSet { checkMutable() } }
    /// Values that the client attaches to the property; empty by default.
    ///
    /// It may be changed on any thread, also while the model is in use.
    open var userInfo: [AnyHashable: Any]? {
        get { attached.withLock { $0 } }
        set { attached.withLock { $0 = newValue } }
    }
    private let attached = Locked<[AnyHashable: Any]?>([:])
    /// The predicates that a value must satisfy to be saved; `SELF` is the value.
    open var validationPredicates: [NSPredicate] { givenPredicates }
    /// For each validation predicate, the error: a string or a number.
    open var validationWarnings: [Any] { givenWarnings }
    /// The predicates that ``setValidationPredicates(_:withValidationWarnings:)`` has set.
    private(set) var givenPredicates: [NSPredicate] = []
    /// The warnings that were set with them.
    private(set) var givenWarnings: [Any] = []
    /// Whether a store should keep an index of the property alone; an entity's `indexes` say more.
    open var isIndexed = false { willSet { checkMutable() } }
    /// Whether Spotlight should index the property.
    ///
    /// Kept, without effect.
    open var isIndexedBySpotlight = false { willSet { checkMutable() } }
    /// Whether external records should hold the property.
    ///
    /// Kept, without effect.
    open var isStoredInExternalRecord = false { willSet { checkMutable() } }
    /// A text that goes into the version hash. Change it where the meaning of the values changes
    /// and nothing else does, so that stores are migrated.
    open var versionHashModifier: String? { willSet { checkMutable() } }
    /// The property's name in the previous version of the model, by which a migration finds its
    /// values.
    ///
    /// The property's present name if not set.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? name }
        set {
            checkMutable()
            storedRenamingIdentifier = newValue
        }
    }
    var storedRenamingIdentifier: String?
    /// Fields of a compiled model that are not known, kept to be written again.
    var unrecognizedFields: [String: PropertyListValue] = [:]

    /// Sets the predicates and the parallel list of warnings.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?,
        withValidationWarnings validationWarnings: [String]?
    ) {
        checkMutable()
        setGivenPredicates(validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    /// Sets predicates beside the bounds of an attribute; a warning is a text or an error's number.
    func setGivenPredicates(_ predicates: [NSPredicate], warnings: [Any]) {
        givenPredicates = predicates
        givenWarnings = warnings
    }

    /// A property without a name.
    public override init() { super.init() }

    // MARK: Archives, see PropertyCoding

    /// True: an archive holds plain values.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a property from an archive; nil, with the coder's error set, if it holds something
    /// else.
    ///
    /// It belongs to no entity. A relationship finds its destination and its inverse, by their
    /// names, when its entity comes out of the archive with it and is put into a model.
    public required init?(coder: NSCoder) {
        super.init()
        guard let fields = DescriptionFields.read(from: coder) else { return nil }
        take(fields)
    }

    /// Writes the property to an archive; entities and properties elsewhere by their names.
    ///
    /// - Precondition: The user info and the default value hold what archives can hold.
    open func encode(with coder: NSCoder) {
        archivedFields.write(of: "the property \"\(name)\"", to: coder)
    }

    /// What an archive has of the property.
    var archivedFields: DescriptionFields { commonFields }

    /// Takes what an archive has.
    func take(_ fields: DescriptionFields) { takeCommon(fields) }

    // MARK: Versions and copies

    /// A hash over everything about the property that stores depend on.
    open var versionHash: Data { ModelVersion.baseHash(of: self) }

    /// A copy that belongs to no entity. A relationship's copy has the same destination and inverse.
    open func copy(with zone: NSZone? = nil) -> Any { copyAlone() }

    func copyAlone() -> NSPropertyDescription { copyFields(to: NSPropertyDescription()) }

    /// Gives a new property what all kinds of properties have in common.
    func copyFields<Property: NSPropertyDescription>(to copy: Property) -> Property {
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.userInfo = userInfo
        copy.givenPredicates = givenPredicates
        copy.givenWarnings = givenWarnings
        copy.isIndexed = isIndexed
        copy.isIndexedBySpotlight = isIndexedBySpotlight
        copy.isStoredInExternalRecord = isStoredInExternalRecord
        copy.versionHashModifier = versionHashModifier
        copy.storedRenamingIdentifier = storedRenamingIdentifier
        copy.unrecognizedFields = unrecognizedFields
        return copy
    }

    /// Traps if the model is in use.
    func checkMutable() {
        require(
            declaringEntity?.model?.isFrozen != true,
            "Can't modify an immutable model: \"\(name)\" belongs to a model that is in use."
        )
    }
}
