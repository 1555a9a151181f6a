import Foundation

/// What a migration from one model to another would do, in words. Not in Apple's framework.
///
/// > Threading: A value; any thread.
public struct MigrationForecast: Sendable {
    /// What becomes of an entity or of one of its properties.
    public struct Change: Hashable, Sendable {
        /// The entity, by its name in the destination; in the source if it is removed.
        public let entity: String
        /// The property; nil if it is about the entity.
        public let property: String?
        /// What happens, without a full stop.
        public let text: String
        /// Whether the mapping can be inferred.
        public let isInferable: Bool
    }

    /// An entity that is removed with all of its objects.
    public struct RemovedEntity: Hashable, Sendable {
        /// Its name in the source.
        public let name: String
        /// The number of its objects; nil if it is not known.
        public let objectCount: Int?
    }

    /// A property of an entity that stays, some or all values of which go.
    public struct LostValues: Hashable, Sendable {
        /// The entity, by its name in the destination.
        public let entity: String
        /// The property, by its name in the source if it is removed.
        public let property: String
        /// What happens, without a full stop.
        public let text: String
        /// The number of the entity's objects; nil if it is not known.
        public let objectCount: Int?
    }

    /// The changes, entity by entity; empty if nothing changes.
    public let changes: [Change]
    /// The properties of entities that stay whose values go, or may go.
    public let lostValues: [LostValues]
    /// The entities that are removed, by name.
    public let removedEntities: [RemovedEntity]
    /// Whether none of the source's entities stays.
    public let removesAllEntities: Bool

    /// Whether the whole mapping can be inferred.
    public var isInferable: Bool { changes.allSatisfy(\.isInferable) }

    /// Compares two models.
    ///
    /// - Parameter counts: The number of objects of each of the source's entities, where known.
    public init(
        from source: NSManagedObjectModel,
        to destination: NSManagedObjectModel,
        counts: [String: Int] = [:]
    ) {
        self.init(
            ModelMatch(source: source.entities, destination: destination.entities),
            counts: counts
        )
    }

    init(_ match: ModelMatch, counts: [String: Int]) {
        removedEntities = match.removed.map {
            RemovedEntity(name: $0.currentName, objectCount: counts[$0.currentName])
        }.sorted { $0.name < $1.name }
        removesAllEntities = match.pairs.isEmpty && !match.removed.isEmpty
        let problems = Dictionary(grouping: InferenceProblem.all(in: match), by: \.entity)
        var changes: [Change] = []
        var lostValues: [LostValues] = []
        for pair in match.pairs.sorted(by: {
            $0.destination.currentName < $1.destination.currentName
        }) {
            let entity = pair.destination.currentName
            let refused = problems[entity] ?? []
            let names = Set(refused.compactMap(\.property))
            // What is refused is told once, by its reason, and not as a change that could be made
            // too.
            let forecast = PairForecast(pair, match)
            changes += forecast.changes.filter { change in
                change.property.map { !names.contains($0) } ?? true
            }
            lostValues += forecast.losses.map { property, text in
                LostValues(
                    entity: entity,
                    property: property,
                    text: text,
                    objectCount: counts[pair.source.currentName]
                )
            }
            changes += refused.map {
                Change(
                    entity: entity,
                    property: $0.property,
                    text: $0.reason + "; needs a mapping model",
                    isInferable: false
                )
            }
        }
        changes += match.added.map {
            Change(entity: $0.currentName, property: nil, text: "is added", isInferable: true)
        }
        changes += match.removed.map {
            let objects =
                counts[$0.currentName].map { " with its \($0) objects" } ?? " with all objects"
            return Change(
                entity: $0.currentName,
                property: nil,
                text: "is removed" + objects,
                isInferable: true
            )
        }
        self.changes = changes
        self.lostValues = lostValues
    }
}

/// The changes of one entity that can be inferred.
private struct PairForecast {
    private let pair: ModelMatch.EntityPair
    private let match: ModelMatch
    private var entity: NSEntityDescription { pair.destination }

    init(_ pair: ModelMatch.EntityPair, _ match: ModelMatch) {
        self.pair = pair
        self.match = match
    }

    var changes: [MigrationForecast.Change] {
        ownChanges.map { change(nil, $0) }
            + entity.properties.filter(ModelMatch.isStored).sorted { $0.name < $1.name }
            .flatMap { property in changes(of: property).map { change(property.name, $0) } }
            + removed.map { change($0.name, Self.removal) }
    }

    private static let removal = "is removed with its values"

    /// What takes values away, by property.
    var losses: [(property: String, text: String)] {
        entity.properties.filter(ModelMatch.isStored).sorted { $0.name < $1.name }
            .flatMap { new in
                let old = pair.sourceProperties[new.name] as? NSRelationshipDescription
                guard let old, let new = new as? NSRelationshipDescription else {
                    return [(property: String, text: String)]()
                }
                let texts = [collapse(old, new), narrowing(old, new)].compactMap(\.self)
                return texts.map { (new.name, $0) }
            } + removed.map { ($0.name, Self.removal) }
    }

    private func change(_ property: String?, _ text: String) -> MigrationForecast.Change {
        .init(entity: entity.currentName, property: property, text: text, isInferable: true)
    }

    private var removed: [NSPropertyDescription] {
        // By identity: where a property takes over the name of another one, names alone would hide
        // that the other one is gone.
        let kept = Set(pair.sourceProperties.values.map(ObjectIdentifier.init))
        return pair.source.properties
            .filter { ModelMatch.isStored($0) && !kept.contains(ObjectIdentifier($0)) }
            .sorted { $0.name < $1.name }
    }

    private var ownChanges: [String] {
        var texts: [String] = []
        if pair.source.currentName != entity.currentName {
            texts.append("is renamed from \(pair.source.currentName)")
        }
        if entity.isAbstract, !pair.source.isAbstract {
            texts.append("becomes abstract, and the migration fails if it has objects")
        }
        let old = pair.source.superentity?.canonicalName, new = entity.superentity?.canonicalName
        if old != new {
            texts.append(
                entity.superentity.map { "gets the parent \($0.currentName)" }
                    ?? "loses its parent"
            )
        }
        return texts
    }

    private func changes(of property: NSPropertyDescription) -> [String] {
        guard let source = pair.sourceProperties[property.name] else { return [addition(property)] }
        var texts: [String] = []
        if source.name != property.name { texts.append("is renamed from \(source.name)") }
        if source.isOptional, !property.isOptional {
            texts.append("becomes required" + requirement(property, what: "empty values get"))
        } else if !source.isOptional, property.isOptional {
            texts.append("becomes optional")
        }
        if let old = source as? NSAttributeDescription,
            let new = property as? NSAttributeDescription,
            old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage
        {
            texts.append(
                new.allowsExternalBinaryDataStorage
                    ? "may stand in files of its own" : "moves from files of its own into the store"
            )
        }
        if let old = source as? NSAttributeDescription,
            let new = property as? NSAttributeDescription, old.attributeType != new.attributeType
        {
            texts.append(
                "changes its type from \(old.attributeType.sourceName) to "
                    + new.attributeType.sourceName
            )
        }
        if let old = source as? NSRelationshipDescription,
            let new = property as? NSRelationshipDescription
        {
            texts += changes(of: old, to: new)
        }
        return texts
    }

    private func addition(_ property: NSPropertyDescription) -> String {
        property.isOptional || property is NSDerivedAttributeDescription
            ? "is added, empty"
            : "is added and required" + requirement(property, what: "all objects get")
    }

    private func requirement(_ property: NSPropertyDescription, what: String) -> String {
        // An empty to-many is no missing value, and gets no default.
        guard !((property as? NSRelationshipDescription)?.isToMany ?? false) else { return "" }
        return (property as? NSAttributeDescription)?.defaultValue == nil
            ? ", and the migration fails if an object has none" : ", and \(what) the default value"
    }

    private func changes(
        of old: NSRelationshipDescription,
        to new: NSRelationshipDescription
    ) -> [String] {
        var texts: [String] = []
        if let collapse = collapse(old, new) {
            texts.append(collapse)
        } else if !old.isToMany, new.isToMany {
            texts.append("becomes to-many")
        }
        if new.isToMany, old.isOrdered != new.isOrdered {
            texts.append(
                new.isOrdered ? "becomes ordered, in the order of keys" : "loses its order"
            )
        }
        if old.destinationEntity?.canonicalName != new.destinationEntity?.canonicalName {
            let name = new.destinationEntity?.currentName ?? ""
            texts.append(narrowing(old, new) ?? "leads to \(name)")
        }
        return texts
    }

    private func collapse(
        _ old: NSRelationshipDescription,
        _ new: NSRelationshipDescription
    ) -> String? {
        guard old.isToMany, !new.isToMany else { return nil }
        return "becomes to-one, and of several objects the first stays"
    }

    private func narrowing(
        _ old: NSRelationshipDescription,
        _ new: NSRelationshipDescription
    ) -> String? {
        guard old.destinationEntity?.canonicalName != new.destinationEntity?.canonicalName,
            match.isNarrowed(old, new)
        else { return nil }
        return "leads to \(new.destinationEntity?.currentName ?? ""), and links to other objects go"
    }
}
