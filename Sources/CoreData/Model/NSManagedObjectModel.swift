import Foundation
import Synchronization

/// A model: the entities of a store, their configurations and templates of requests.
///
/// The model owns its entities and they refer to it weakly: keep the model as long as you use
/// them. A coordinator keeps its model.
///
/// > Threading: Change it on one thread until a coordinator uses it; it is frozen then.
open class NSManagedObjectModel: NSObject, NSCopying, NSSecureCoding, WeaklyHeld,
    @unchecked Sendable
{
    // @unchecked: frozen before it is shared; the compiled layout is behind its lock.

    let weakAnchor = WeakAnchor()
    private let compiled = Mutex<ModelLayout?>(nil)

    /// An empty model.
    public override init() {
        super.init()
        _ = ArchivedFetchRequest.isNamed
    }

    deinit {
        // Entities that hold themselves by their properties would outlive the model.
        for property in entities.flatMap(\.ownProperties) {
            (property as? NSFetchedPropertyDescription)?.releaseEntity()
        }
    }

    /// The entities.
    ///
    /// Setting it makes this model theirs.
    ///
    /// - Precondition: No entity is in a model that is in use; put a `copy()` of it here then.
    open var entities: [NSEntityDescription] = [] {
        willSet { checkMutable() }
        didSet { adoptEntities(replacing: oldValue) }
    }
    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        Dictionary(entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
    }
    /// Identifies the version in words of the model's author; no part of compatibility checks.
    open var versionIdentifiers: Set<AnyHashable> = [] { willSet { checkMutable() } }
    /// The file that the model was read from: a `.xcdatamodel` or its like.
    ///
    /// Nil for a model that code has put together.
    var fileURL: URL?
    /// Texts for names of entities and properties, and for errors, by key.
    open var localizationDictionary: [String: String]?
    /// The templates of requests by name; those of a model file know their entity by name.
    var requestTemplates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:] {
        willSet { checkMutable() }
    }

    /// What a model file says that has no meaning here, a sentence each; empty for a model that
    /// was put together in code.
    ///
    /// Not in Apple's framework. Such parts are of later versions of Xcode or of Apple's framework,
    /// or of the program that wrote the model; the rest of the model works without them. Version hashes
    /// that stand beside the model are compared with those of the model as it is now.
    public var unrecognizedParts: [String] {
        ownUnrecognizedParts + hashStatements.flatMap { $0.contradictions(of: self) }
    }
    /// What was found while the model was read.
    var ownUnrecognizedParts: [String] = []
    /// Compared only when somebody asks: the hashes of a whole model take as long as reading it.
    var hashStatements: [HashStatement] = []

    /// Whether another model says the same of its entities and their classes, its configurations
    /// and its version.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSManagedObjectModel).map(isSame) ?? false
    }
    open override var hash: Int { Set(entities.map(\.name)).hashValue }

    // MARK: Configurations

    private var entitiesByConfiguration: [String: [NSEntityDescription]] = [:]

    /// The name that means "all entities" where a configuration's name is expected.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// The names of the configurations, sorted.
    open var configurations: [String] { entitiesByConfiguration.keys.sorted() }

    /// The entities of a configuration; of the whole model for nil.
    ///
    /// - Returns: nil if there is no such configuration.
    @discardableResult
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration else { return entities }
        if let members = entitiesByConfiguration[configuration] { return members }
        return configuration == Self.defaultConfigurationName ? entities : nil
    }

    /// The entities that a store with a configuration holds: those of the configuration and the
    /// ones beneath them, whose rows are in the same tables.
    func storedEntities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let members = entities(forConfigurationName: configuration) else { return nil }
        var stored = Set(members)
        var open = members
        while let entity = open.popLast() {
            open += entity.subentities.filter { stored.insert($0).inserted }
        }
        return entities.filter(stored.contains)
    }

    /// Makes or replaces a configuration.
    ///
    /// A store with it holds the entities beneath those named here, too.
    ///
    /// - Precondition: The entities are the model's.
    open func setEntities(
        _ entities: [NSEntityDescription],
        forConfigurationName configuration: String
    ) {
        checkMutable()
        for entity in entities {
            require(
                entity.model === self,
                "The entity \"\(entity.name ?? "")\" of the configuration \"\(configuration)\" is not "
                    + "in the model: add it to the model's entities first."
            )
        }
        entitiesByConfiguration[configuration] = entities
    }

    // MARK: Archives, see ModelCoding

    /// True: an archive holds plain values.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a model with all that is in it from an archive; nil, with the coder's error set, if it
    /// holds something else. It may be changed.
    public required init?(coder: NSCoder) {
        super.init()
        guard let fields = DescriptionFields.read(from: coder) else { return nil }
        take(fields)
    }

    /// Writes the model with all that is in it to an archive.
    ///
    /// - Precondition: User info and default values hold what archives can hold; predicates hold
    ///   no blocks.
    open func encode(with coder: NSCoder) { archivedFields.write(of: "the model", to: coder) }

    // MARK: Templates

    /// Copies of the templates, by name.
    open var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        requestTemplates.mapValues { $0.resolved(in: self) }
    }

    /// A copy of a template; nil if there is none of that name.
    ///
    /// A template with variables can't be executed as it is: use
    /// ``fetchRequestFromTemplate(withName:substitutionVariables:)``.
    @discardableResult
    open func fetchRequestTemplate(
        forName name: String
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        requestTemplates[name]?.resolved(in: self)
    }

    /// A copy of a template with values in place of its variables; nil if there is none of that
    /// name.
    ///
    /// - Parameter variables: The values, by the variables' names without dollar signs. Variables
    ///   that are not named here stay.
    @discardableResult
    open func fetchRequestFromTemplate(
        withName name: String,
        substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        let request = fetchRequestTemplate(forName: name)
        request?.predicate = request?.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Keeps a copy of a request as a template; nil removes the one of that name.
    ///
    /// - Precondition: No coordinator uses the model yet.
    open func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?,
        forName name: String
    ) {
        // A copy: the client may go on to change its request.
        requestTemplates[name] = fetchRequestTemplate?.copied()
    }

    // MARK: Versions

    /// The version hash of each entity: what makes a store compatible.
    open var entityVersionHashesByName: [String: Data] { ModelVersion.hashes(of: entities) }

    /// A checksum over all entities' version hashes, as Xcode prints it.
    open var versionChecksum: String { ModelVersion.checksum(entityVersionHashesByName) }

    /// Whether a store with some metadata can be opened with a configuration of this model.
    ///
    /// - Parameters:
    ///   - configuration: A configuration's name; nil for the whole model.
    ///   - metadata: The store's metadata.
    /// - Returns: False also if there is no such configuration, or the metadata has no hashes.
    @discardableResult
    open func isConfiguration(
        withName configuration: String?,
        compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        // With the entities beneath, whose hashes a store of the configuration has too.
        guard let entities = storedEntities(forConfigurationName: configuration),
            let hashes = ModelVersion.hashes(inMetadata: metadata)
        else { return false }
        return ModelVersion.hashes(of: entities) == hashes
    }

    // MARK: Models of bundles, see NSManagedObjectModel+Bundles

    /// Makes one model of all models among the resources of some bundles.
    ///
    /// - Parameter bundles: Where to look; nil for the main bundle. If the program's own has none,
    ///   the resource bundles of Swift packages beside the program count.
    /// - Returns: nil if there are none that can be read; those that can't are left out.
    @discardableResult
    open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        merged(from: bundles)
    }

    /// Makes the model that a store was made with of the models among the resources of some
    /// bundles, earlier versions included.
    ///
    /// - Parameters:
    ///   - bundles: Where to look; nil for the main bundle.
    ///   - metadata: The store's metadata.
    /// - Returns: nil if the bundles don't have all entities of the store in its versions.
    @discardableResult
    open class func mergedModel(
        from bundles: [Bundle]?,
        forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? { merged(from: bundles, forStoreMetadata: metadata) }

    // MARK: Use

    /// Whether the model is in use.
    var isFrozen: Bool { compiled.withLock { $0 != nil } }

    /// The compiled entities.
    ///
    /// The first call freezes the model.
    ///
    /// - Precondition: The model is sound; the message says what is not.
    var layout: ModelLayout {
        compiled.withLock { compiled in
            if let compiled { return compiled }
            let problem = ModelProblem.first(in: self)
            require(problem == nil, problem ?? "")
            // Nothing in here may set anything of a description: `checkMutable` would wait for this
            // lock.
            let layout = ModelLayout(self)
            for entity in layout.entities { entity.entity.rememberProperties() }
            compiled = layout
            return layout
        }
    }

    /// Traps if the model is in use.
    func checkMutable() {
        require(
            !isFrozen,
            "Can't modify an immutable model: it is in use by a coordinator; change a copy() of it."
        )
    }

    private func adoptEntities(replacing former: [NSEntityDescription]) {
        // One that another model has taken over meanwhile stays with that.
        for entity in former where entity.model === self { entity.model = nil }
        for entity in entities {
            require(
                // A model in use has compiled its entities: they must not change any more, nor lead
                // elsewhere.
                entity.model == nil || entity.model?.isFrozen == false,
                "The entity \"\(entity.name ?? "")\" is in another model, which is in use: "
                    + "put a copy() of it into this one."
            )
            entity.model = self
        }
        if entities.contains(where: { $0.links != nil }) { ArchivedLinks.resolve(entities) }
        for case let relationship as NSRelationshipDescription in entities.flatMap(\.ownProperties)
        {
            relationship.findInverse()
        }
        // Configurations keep to the entities of the model, which stores with them take for
        // granted.
        let members = Set(entities.map(ObjectIdentifier.init))
        for (name, list) in entitiesByConfiguration {
            entitiesByConfiguration[name] = list.filter { members.contains(ObjectIdentifier($0)) }
        }
    }

    // MARK: Copying

    /// A copy of the model with copies of its entities, which may be changed again.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        ModelCopier().copy([self], into: copy)
        return copy
    }
}
