import Foundation

/// What has a name in one version of a model, and maybe another in the version before.
protocol VersionNamed: AnyObject {
    var currentName: String { get }
    /// The name that stays the same over all versions: the renaming identifier, or the name.
    var canonicalName: String { get }
}

extension NSEntityDescription: VersionNamed {
    var currentName: String { name ?? "" }
    var canonicalName: String { renamingIdentifier ?? currentName }
}

extension NSPropertyDescription: VersionNamed {
    var currentName: String { name }
    var canonicalName: String { renamingIdentifier ?? name }
}

/// Which entities and properties of one version of a model are which of a later version.
///
/// Names are compared as Apple's "Using Lightweight Migration" says: a renaming identifier is the
/// name in the version before, or that version's own renaming identifier.
struct ModelMatch {
    /// An entity in both versions.
    struct EntityPair {
        let source: NSEntityDescription
        let destination: NSEntityDescription
        /// The stored properties in both versions, inherited ones included: the source's by the
        /// destination's name.
        let sourceProperties: [String: NSPropertyDescription]

        init(_ source: NSEntityDescription, _ destination: NSEntityDescription) {
            self.source = source
            self.destination = destination
            let matches = ModelMatch.match(
                source.properties.filter(ModelMatch.isStored),
                destination.properties.filter(ModelMatch.isStored)
            )
            sourceProperties = Dictionary(
                matches.map { ($0.destination.name, $0.source) },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }

    /// In the destination's order.
    let pairs: [EntityPair]
    /// The destination's entities that are new.
    let added: [NSEntityDescription]
    /// The source's entities that the destination lacks.
    let removed: [NSEntityDescription]
    private let pairsByDestination: [String: EntityPair]
    private let pairsBySource: [String: EntityPair]

    init(source: [NSEntityDescription], destination: [NSEntityDescription]) {
        pairs = Self.match(source, destination).map { EntityPair($0.source, $0.destination) }
        let byDestination = Dictionary(
            pairs.map { ($0.destination.currentName, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let bySource = Dictionary(
            pairs.map { ($0.source.currentName, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        pairsByDestination = byDestination
        pairsBySource = bySource
        added = destination.filter { byDestination[$0.currentName] == nil }
        removed = source.filter { bySource[$0.currentName] == nil }
    }

    /// The pair of a destination entity; nil if it is new.
    func pair(ofDestination name: String) -> EntityPair? { pairsByDestination[name] }
    /// The pair of a source entity; nil if the destination lacks it.
    func pair(ofSource name: String) -> EntityPair? { pairsBySource[name] }

    // MARK: Relationships

    /// Whether each object that the source may lead to is one that the destination may lead to.
    func leadsOn(
        _ source: NSRelationshipDescription,
        _ destination: NSRelationshipDescription
    ) -> Bool {
        guard let to = destination.destinationEntity, source.destinationEntity != nil else {
            return false
        }
        return keptDestinations(of: source).allSatisfy { $0.isKindOf(entity: to) }
    }

    /// Whether the destination leads to a new sub-entity of what the source leads to: all links
    /// there were are to objects that it can't lead to.
    func isNarrowed(
        _ source: NSRelationshipDescription,
        _ destination: NSRelationshipDescription
    ) -> Bool {
        guard let from = source.destinationEntity, let to = destination.destinationEntity,
            pair(ofDestination: to.currentName) == nil,
            let kept = pair(ofSource: from.currentName)?.destination
        else { return false }
        return to !== kept && to.isKindOf(entity: kept)
    }

    /// What became of the entities whose objects a source's relationship may lead to.
    ///
    /// Of an entity that the destination lacks, only the objects of sub-entities are kept: if it
    /// has none of those either, no link is kept.
    private func keptDestinations(of source: NSRelationshipDescription) -> [NSEntityDescription] {
        guard let from = source.destinationEntity else { return [] }
        return ([from] + Self.descendants(of: from))
            .compactMap { pair(ofSource: $0.currentName)?.destination }
    }

    private static func descendants(of entity: NSEntityDescription) -> [NSEntityDescription] {
        entity.subentities.flatMap { [$0] + descendants(of: $0) }
    }

    // MARK: Names

    /// Whether stores keep the property.
    static func isStored(_ property: NSPropertyDescription) -> Bool {
        !property.isTransient && !(property is NSFetchedPropertyDescription)
    }

    /// What stands on both sides, each once, in the destination's order.
    ///
    /// What was given a renaming identifier has the first choice, so that its old name can be
    /// given to something new.
    private static func match<Item: VersionNamed>(
        _ sources: [Item],
        _ destinations: [Item]
    ) -> [(source: Item, destination: Item)] {
        let sourceNames = sources.map { VersionName($0) }
        let destinationNames = destinations.map { VersionName($0) }
        var isFree = [Bool](repeating: true, count: sources.count)
        var found = [Int?](repeating: nil, count: destinations.count)
        // Each rule goes over all items before the next one is tried, so that a weak match never
        // takes a source from a strong one.
        for rule in VersionName.rules {
            for place in destinations.indices where found[place] == nil {
                let name = destinationNames[place]
                guard
                    let source = sources.indices.first(where: {
                        isFree[$0] && rule(sourceNames[$0], name)
                    })
                else { continue }
                isFree[source] = false
                found[place] = source
            }
        }
        return destinations.indices.compactMap { place in
            found[place].map { (source: sources[$0], destination: destinations[place]) }
        }
    }
}

/// The names of an entity or property in one version.
private struct VersionName {
    let current: String
    let canonical: String
    var isRenamed: Bool { current != canonical }

    init(_ item: any VersionNamed) {
        current = item.currentName
        canonical = item.canonicalName
    }

    /// Whether the first, of the earlier version, is the second; surer rules stand first.
    static let rules: [@Sendable (VersionName, VersionName) -> Bool] = [
        { $1.isRenamed && $0.canonical == $1.canonical && $0.current == $1.current },
        { $1.isRenamed && $0.canonical == $1.canonical },
        { $1.isRenamed && $0.current == $1.canonical },
        { $0.current == $1.current },
        { $0.canonical == $1.current },
    ]
}
