import Foundation

/// Makes the entities of a model from a keyed archive: a `.mom`, or what a store keeps of its
/// model.
///
/// Fields and classes that it does not know are reported, not refused: they are of other versions
/// of Apple's framework, or of the program that made the model.
final class ModelArchiveReader {
    private static let maximumEntityCount = 65_535

    let archive: KeyedArchive
    let unrecognized = UnrecognizedParts()
    private let compositeBudget = CompositeBudget()
    private var archived: [String: ArchivedObject] = [:]
    private var entities: [String: NSEntityDescription] = [:]

    private init(_ archive: KeyedArchive) { self.archive = archive }

    /// Fills a model that is empty yet.
    static func read(_ data: Data, into model: NSManagedObjectModel) throws(ArchiveError) {
        try ModelArchiveReader(KeyedArchive(data)).read(into: model)
    }

    private func read(into model: NSManagedObjectModel) throws(ArchiveError) {
        guard case .object(let root) = try archive.root(),
            root.classNames.contains("NSManagedObjectModel")
        else { throw ArchiveError(reason: "it is a keyed archive, but not of a model") }
        let ordered = try makeEntities(root)
        // In this order: an inverse may be a relationship that the destination inherits, and an
        // index may be over inherited properties.
        try linkParents(ordered)
        for entity in ordered { try linkRelationships(of: entity) }
        for entity in ordered { try readIndexes(of: entity) }
        model.entities = ordered
        // Checked here, where it can be thrown: the first use of the model would stop the process.
        if let reason = ModelProblem.reason(in: model) { throw ArchiveError(reason: reason) }
        for entity in ordered { ModelIndexes.complete(entity) }
        try readConfigurations(root, of: model)
        try readTemplates(root, of: model)
        model.versionIdentifiers = try versionIdentifiers(root)
        noteUnknownFields(of: root, ModelArchiveKeys.model, at: "The model")
        model.ownUnrecognizedParts = unrecognized.sentences + RelationshipPairs(ordered).warnings
    }

    // MARK: Entities

    private func makeEntities(
        _ root: ArchivedObject
    ) throws(ArchiveError) -> [NSEntityDescription] {
        guard let list = try root.object("NSEntities") else {
            throw ArchiveError(reason: "it is a model without entities")
        }
        for (_, value) in try list.entries() {
            guard case .object(let object) = value, let name = try object.string("NSEntityName"),
                !name.isEmpty
            else { throw ArchiveError(reason: "an entity has no name") }
            archived[name] = object
        }
        // References to rows keep the place of the entity in 16 bits.
        guard archived.count <= Self.maximumEntityCount else {
            throw ArchiveError(reason: "it has more than \(Self.maximumEntityCount) entities")
        }
        var ordered: [NSEntityDescription] = []
        // By name, since a dictionary's order differs from run to run.
        for (name, object) in archived.sorted(by: { $0.key < $1.key }) {
            let entity = try makeEntity(name, object)
            entities[name] = entity
            ordered.append(entity)
        }
        return ordered
    }

    private func makeEntity(
        _ name: String,
        _ object: ArchivedObject
    ) throws(ArchiveError) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        if let className = try object.string("NSClassNameForEntity"), !className.isEmpty {
            entity.givenClassName = className
        }
        entity.isAbstract = try object.boolean("NSIsAbstract") ?? false
        let identifier = try object.string("NSRenamingIdentifier")
        // Archives always state an identifier; the name itself stands for none.
        entity.storedRenamingIdentifier = identifier == name ? nil : identifier
        entity.versionHashModifier = try object.string("NSVersionHashModifier")
        entity.userInfo = userInfo(object, at: name) ?? [:]
        entity.uniquenessConstraints = try nameLists(object, "NSUniqueTuples")
        entity.compoundIndexes = try nameLists(object, "NSCompoundIndexes")
        entity.unrecognizedFields = noteUnknownFields(
            of: object,
            ModelArchiveKeys.entity,
            at: "The entity \(name)"
        )
        entity.properties = try makeProperties(object, of: name)
        return entity
    }

    /// The properties that the entity declares: caches repeat inherited ones in it.
    private func makeProperties(
        _ object: ArchivedObject,
        of entityName: String
    ) throws(ArchiveError) -> [NSPropertyDescription] {
        // Model caches repeat inherited properties in each sub-entity, while a `.mom` has each
        // property in the entity that declares it.
        let inherited = Set(
            try properties(object.object("NSSuperentity")).map(\.name)
        )
        let reader = PropertyArchiveReader(
            archive: archive,
            entityName: entityName,
            unrecognized: unrecognized,
            budget: compositeBudget
        )
        var result: [NSPropertyDescription] = []
        for (name, property) in try properties(object) where !inherited.contains(name) {
            if let made = try reader.makeProperty(property, named: name) { result.append(made) }
        }
        return result
    }

    /// The properties of an archived entity, sorted by name.
    private func properties(
        _ entity: ArchivedObject?
    ) throws(ArchiveError) -> [(name: String, object: ArchivedObject)] {
        guard let list = try entity?.object("NSProperties") else { return [] }
        var result: [(name: String, object: ArchivedObject)] = []
        for (_, value) in try list.entries() {
            guard case .object(var object) = value else { throw list.malformed("NS.objects") }
            // Caches of frameworks up to 754 have these in place of copies.
            if object.className == "_NSPropertyDescriptionProxy",
                let underlying = try object.object("NSUnderlyingProperty")
            {
                object = underlying
            }
            guard let name = try object.string("NSPropertyName"), !name.isEmpty else {
                throw ArchiveError(reason: "a property has no name")
            }
            result.append((name, object))
        }
        return result.sorted { $0.name < $1.name }
    }

    // MARK: Links

    private func linkParents(_ ordered: [NSEntityDescription]) throws(ArchiveError) {
        var parentNames: [String: String] = [:]
        for (name, object) in archived {
            parentNames[name] = try object.object("NSSuperentity")?.string("NSEntityName")
        }
        do throws(ModelInheritance.Problem) {
            try ModelInheritance.link(ordered, parentNames: parentNames)
        } catch {
            throw ArchiveError(reason: error.message)
        }
    }

    private func linkRelationships(of entity: NSEntityDescription) throws(ArchiveError) {
        guard let object = archived[entity.name ?? ""] else { return }
        let own = Dictionary(
            entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
                .map { ($0.name, $0) },
            uniquingKeysWith: { $1 }
        )
        for (name, property) in try properties(object) {
            guard let relationship = own[name] else { continue }
            let place = "\(entity.name ?? "").\(name)"
            let destinationName = try Self.name(
                property.object("NSDestinationEntity")?.string("NSEntityName"),
                property.string("_NSDestinationEntityName")
            )
            guard let destination = entities[destinationName] else {
                throw ArchiveError(
                    reason: "the destination \"\(destinationName)\" of the relationship "
                        + "\(place) does not exist"
                )
            }
            relationship.destinationEntity = destination
            let inverseName = try Self.name(
                property.string("_NSInverseRelationshipName"),
                property.object("NSInverseRelationship")?.string("NSPropertyName")
            )
            if inverseName.isEmpty { continue }
            guard let inverse = Self.relationship(inverseName, of: destination) else {
                throw ArchiveError(
                    reason: "the inverse \"\(inverseName)\" of the relationship \(place) does not "
                        + "exist"
                )
            }
            relationship.inverseRelationship = inverse
        }
    }

    /// The first of two statements that is made; empty if neither is.
    private static func name(_ first: String?, _ second: String?) -> String {
        first ?? second ?? ""
    }

    /// Looked for from the entity upwards, without making a list of all properties each time.
    private static func relationship(
        _ name: String,
        of entity: NSEntityDescription
    ) -> NSRelationshipDescription? {
        // Not by the tables of the entity, which are made anew each time until the model is in use.
        sequence(first: entity, next: \.superentity).lazy
            .compactMap { entity in
                entity.ownProperties.first { $0.name == name } as? NSRelationshipDescription
            }
            .first
    }

    private func readIndexes(of entity: NSEntityDescription) throws(ArchiveError) {
        let name = entity.name ?? ""
        guard let list = try archived[name]?.object("NSFetchIndexDescriptions") else { return }
        let reader = FetchIndexArchiveReader(
            archive: archive,
            entity: entity,
            unrecognized: unrecognized
        )
        var indexes: [NSFetchIndexDescription] = []
        for element in try list.elements() {
            guard case .object(let object) = element else { throw list.malformed("NS.objects") }
            if let index = try reader.makeIndex(object) { indexes.append(index) }
        }
        entity.indexes = indexes
    }

    // MARK: Parts

    private func userInfo(_ object: ArchivedObject, at place: String) -> [AnyHashable: Any]? {
        ModelArchiveValues(archive: archive, unrecognized: unrecognized)
            .userInfo(of: object, at: "The entity \(place)")
    }

    @discardableResult
    private func noteUnknownFields(
        of object: ArchivedObject,
        _ known: Set<String>,
        at place: String
    ) -> [String: PropertyListValue] {
        ModelArchiveValues(archive: archive, unrecognized: unrecognized)
            .unknownFields(of: object, known, at: place)
    }
}
