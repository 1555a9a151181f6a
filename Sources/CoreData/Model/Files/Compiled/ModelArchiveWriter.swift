import Foundation

/// Puts a model into a keyed archive, as Xcode's compiler and Apple's stores do.
///
/// The same model gives the same bytes.
final class ModelArchiveWriter {
    /// What the archive is for: the two differ in how they list entities and properties.
    enum Form {
        /// A `.mom`: entities have their own properties.
        case compiled
        /// What a store keeps: entities have inherited properties as well, and all indexes.
        case cached
    }

    let model: NSManagedObjectModel
    let form: Form
    let builder = KeyedArchiveBuilder()
    /// What has no form in archives, a sentence each.
    private(set) var omissions: [String] = []
    private(set) var entityPlaces: [ObjectIdentifier: Int] = [:]
    /// By property and by the entity in whose list it stands.
    private var propertyPlaces: [PropertyKey: Int] = [:]
    private let modelPlace: Int
    private let noUserInfo: PropertyListValue

    private struct PropertyKey: Hashable {
        let property: ObjectIdentifier
        let entity: ObjectIdentifier
    }

    /// - Returns: The archive, and a sentence for each thing of the model that has no form in it.
    static func data(
        _ model: NSManagedObjectModel,
        _ form: Form
    ) -> (data: Data, omissions: [String]) {
        let writer = ModelArchiveWriter(model, form)
        let data = writer.archive()
        return (data, writer.omissions)
    }

    private init(_ model: NSManagedObjectModel, _ form: Form) {
        self.model = model
        self.form = form
        // Each entity refers back to the model.
        modelPlace = builder.reserve()
        noUserInfo = builder.dictionary([])
    }

    /// Notes something that is left out.
    func omit(_ what: String, at place: String) { omissions.append("\(place): \(what).") }

    // MARK: The model

    private func archive() -> Data {
        let entities = model.entities.sortedByName()
        // Places for all of them first, since entities and properties refer to each other in
        // circles.
        for entity in entities {
            entityPlaces[ObjectIdentifier(entity)] = builder.reserve()
            for property in properties(of: entity) {
                let key = PropertyKey(
                    property: ObjectIdentifier(property),
                    entity: ObjectIdentifier(entity)
                )
                propertyPlaces[key] = builder.reserve()
            }
        }
        for entity in entities { write(entity) }
        var fields: [String: PropertyListValue] = [
            "NSEntities": form == .cached ? knownKeys(entities) : named(entities),
            "NSFetchRequestTemplates": templates(),
            "NSVersionIdentifiers": builder.set(
                model.versionIdentifiers.map { "\($0)" }.sorted().map { builder.string($0) }
            ),
        ]
        if !model.configurations.isEmpty { fields["NSConfigurations"] = configurations() }
        builder.fill(modelPlace, ["NSManagedObjectModel", "NSObject"], fields)
        return builder.data(root: .reference(modelPlace))
    }

    private func named(_ entities: [NSEntityDescription]) -> PropertyListValue {
        builder.dictionary(
            entities.map { (key: builder.string($0.name), value: reference($0)) },
            isMutable: true
        )
    }

    /// The dictionary of Apple's model caches, whose keys stand apart.
    private func knownKeys(_ entities: [NSEntityDescription]) -> PropertyListValue {
        let mapping = builder.object(
            ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"],
            [
                "keys": builder.array(entities.map { builder.string($0.name) }),
                "length": .integer(Int64(entities.count)), "version": .integer(1),
            ]
        )
        return builder.object(
            [
                "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary",
                "NSDictionary", "NSObject",
            ],
            [
                "searchMapping": mapping, "version": .integer(1),
                "values": builder.array(entities.map { reference($0) }),
                "emptyToken": builder.string("__empty_slot_token_4c24_98dc_ac1e_b773__"),
            ]
        )
    }

    private func configurations() -> PropertyListValue {
        builder.dictionary(
            model.configurations.map { name in
                let members = (model.entities(forConfigurationName: name) ?? []).sortedByName()
                return (
                    key: builder.string(name), value: builder.set(members.map { reference($0) })
                )
            },
            isMutable: true
        )
    }

    private func templates() -> PropertyListValue {
        let entries = model.requestTemplates.sorted { $0.key < $1.key }.compactMap {
            name,
            request -> (key: PropertyListValue, value: PropertyListValue)? in
            let place = "The fetch request template \(name)"
            return self.request(request, at: place).map { (key: builder.string(name), value: $0) }
        }
        return entries.isEmpty
            ? KeyedArchiveBuilder.null : builder.dictionary(entries, isMutable: true)
    }

    // MARK: Entities

    /// The properties that the archive lists in an entity, by name.
    private func properties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
        (form == .cached ? entity.properties : entity.ownProperties).sorted { $0.name < $1.name }
    }

    func reference(_ entity: NSEntityDescription?) -> PropertyListValue {
        guard let entity, let place = entityPlaces[ObjectIdentifier(entity)] else {
            return KeyedArchiveBuilder.null
        }
        return .reference(place)
    }

    /// A property in the list of the entity that declares it, or of another.
    func reference(
        _ property: NSPropertyDescription?,
        in entity: NSEntityDescription?
    ) -> PropertyListValue {
        // In a cache an inherited property stands in the list of each sub-entity, with a place of
        // its own.
        guard let property, let entity,
            let place = propertyPlaces[
                PropertyKey(
                    property: ObjectIdentifier(property),
                    entity: ObjectIdentifier(entity)
                )
            ]
        else { return KeyedArchiveBuilder.null }
        return .reference(place)
    }

    private func write(_ entity: NSEntityDescription) {
        guard let place = entityPlaces[ObjectIdentifier(entity)], let name = entity.name else {
            return
        }
        // Archives have no class name for plain managed objects.
        let className =
            entity.givenClassName == "NSManagedObject"
            ? nil : entity.givenClassName
        var fields = entity.unrecognizedFields
        fields["NSEntityName"] = builder.string(name)
        fields["NSClassNameForEntity"] = builder.string(className)
        fields["NSRenamingIdentifier"] = builder.string(entity.renamingIdentifier)
        fields["NSVersionHashModifier"] = builder.string(entity.versionHashModifier)
        if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
        fields["NSManagedObjectModel"] = .reference(modelPlace)
        fields["NSSuperentity"] = reference(entity.superentity)
        fields["NSSubentities"] = named(entity.subentities.sortedByName())
        fields["NSUserInfo"] = userInfo(entity.userInfo, at: name) ?? noUserInfo
        fields["NSProperties"] = propertyList(of: entity)
        if !entity.uniquenessConstraints.isEmpty {
            fields["NSUniqueTuples"] = nameLists(entity.uniqueKeyGroups)
        }
        if !entity.compoundIndexes.isEmpty {
            fields["NSCompoundIndexes"] = nameLists(entity.compoundIndexNames)
        }
        // Caches list the indexes that a model adds by itself when it is loaded. In a `.mom` they
        // follow from indexed attributes and lists of names.
        let indexes =
            form == .cached
            ? entity.indexes + entity.impliedCompoundIndexes
            : entity.indexes.filter { !ModelIndexes.isImplied($0, in: entity) }
        if !indexes.isEmpty {
            fields["NSFetchIndexDescriptions"] = builder.array(
                indexes.compactMap { index($0, of: entity) },
                isMutable: true
            )
        }
        builder.fill(place, ["NSEntityDescription", "NSObject"], fields)
    }

    private func propertyList(of entity: NSEntityDescription) -> PropertyListValue {
        let properties = properties(of: entity)
        for property in properties { write(property, in: entity) }
        return builder.dictionary(
            properties.map {
                (key: builder.string($0.name), value: reference($0, in: entity))
            },
            isMutable: true
        )
    }

    private func write(_ property: NSPropertyDescription, in entity: NSEntityDescription) {
        guard case .reference(let place) = reference(property, in: entity) else { return }
        let (classNames, fields) = description(of: property, in: entity)
        builder.fill(place, classNames, fields)
    }

    private func nameLists(_ lists: [[String]]) -> PropertyListValue {
        builder.array(
            lists.map { builder.array($0.map { builder.string($0) }, isMutable: true) },
            isMutable: true
        )
    }

    /// A reference to user info; nil for none.
    func userInfo(_ userInfo: [AnyHashable: Any]?, at place: String) -> PropertyListValue? {
        guard let userInfo, !userInfo.isEmpty else { return nil }
        do throws(UnarchivableValue) {
            return try builder.value(userInfo)
        } catch {
            omit("the user info holds a value of type \(error.typeName)", at: place)
            return nil
        }
    }
}
