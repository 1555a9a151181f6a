import Foundation
import Synchronization

/// A model: the entities of a store, their configurations and templates of requests.
///
/// The model owns its entities and they refer to it weakly: keep the model as long as you use
/// them. A coordinator keeps its model.
///
/// > Threading: Change it on one thread until a coordinator uses it; it is frozen then.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked: frozen before it is shared; the compiled layout is behind its lock.

    private let compiled = Mutex<ModelLayout?>(nil)

    /// An empty model.
    public override init() { super.init() }

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
    public var entitiesByName: [String: NSEntityDescription] {
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
    /// or of the program that wrote the model; the rest of the model works without them.
    public internal(set) var unrecognizedParts: [String] = []

    /// Whether another model says the same of its entities and their classes, its configurations
    /// and its version.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSManagedObjectModel).map(isSame) ?? false
    }
    open override var hash: Int { Set(entities.map(\.name)).hashValue }

    // MARK: Configurations

    private var entitiesByConfiguration: [String: [NSEntityDescription]] = [:]

    /// The name that stands for "all entities" where a configuration's name is expected.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// The names of the configurations, sorted.
    open var configurations: [String] { entitiesByConfiguration.keys.sorted() }

    /// The entities of a configuration; of the whole model for nil.
    ///
    /// - Returns: nil if there is no such configuration.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration else { return entities }
        if let members = entitiesByConfiguration[configuration] { return members }
        return configuration == Self.defaultConfigurationName ? entities : nil
    }

    /// Makes or replaces a configuration.
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
        for entity in former where entity.model === self { entity.model = nil }
        for entity in entities {
            require(
                entity.model == nil || entity.model?.isFrozen == false,
                "The entity \"\(entity.name ?? "")\" is in another model, which is in use: "
                    + "put a copy() of it into this one."
            )
            entity.model = self
        }
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
