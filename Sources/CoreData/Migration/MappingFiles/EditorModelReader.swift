import Foundation

/// Makes a model of the copy that the source of a mapping model keeps of it: a keyed archive of
/// objects of Xcode's editor, whose settings stand in lists of named values.
///
/// What version hashes and mappings need is read. Their form was found in files of Xcode 4 to 13;
/// the hashes of what is read are those of the compiled models.
struct EditorModelReader {
    /// - Throws: What is malformed, and what makes the model unusable.
    static func model(_ archive: KeyedArchive) throws(ArchiveError) -> NSManagedObjectModel {
        guard case .object(let root) = try archive.root(), root.className == "XDPMModel",
            let package = try root.object("_xd_rootPackage")
        else { throw ArchiveError(reason: "the copy of a model is of an unknown form") }
        var entities: [NSEntityDescription] = []
        var parentNames: [String: String] = [:]
        var links: [(NSRelationshipDescription, RelationshipLink)] = []
        for object in try Self.members(package, "XDBucketForClassesstorage")
        where object.className == "XDPMEntity" {
            let (entity, relationships) = try Self.entity(object)
            entities.append(entity)
            links += relationships
            parentNames[entity.name ?? ""] = try Self.members(
                object,
                "XDBucketForGeneralizationsstorage"
            ).first?.object("_general")?.string("_name")
        }
        do throws(ModelInheritance.Problem) {
            try ModelInheritance.link(entities, parentNames: parentNames)
        } catch {
            throw ArchiveError(reason: error.message)
        }
        connect(links, entities)
        let model = NSManagedObjectModel()
        model.entities = entities
        if let reason = ModelProblem.reason(in: model) { throw ArchiveError(reason: reason) }
        return model
    }

    // MARK: Entities

    private static func entity(
        _ object: ArchivedObject
    ) throws(ArchiveError) -> (NSEntityDescription, [(NSRelationshipDescription, RelationshipLink)])
    {
        let settings = try EditorSettings(object)
        let entity = NSEntityDescription()
        entity.name = try object.string("_name")
        entity.isAbstract = settings.isOn("XD_PSK_isAbstract")
        entity.versionHashModifier = settings.text("XD_PSK_versionHashModifier")
        entity.storedRenamingIdentifier = settings.text("XD_PSK_elementID")
        var properties: [NSPropertyDescription] = []
        var links: [(NSRelationshipDescription, RelationshipLink)] = []
        for member in try members(object, "XDBucketForOwnedAttributesstorage") {
            let settings = try EditorSettings(member)
            let property: NSPropertyDescription
            switch member.className {
            case "XDPMAttribute": property = Self.attribute(settings)
            case "XDPMRelationship":
                let relationship = Self.relationship(settings)
                links.append((relationship, try RelationshipLink(settings)))
                property = relationship
            // Fetched properties have no part in hashes and mappings.
            default: continue
            }
            property.name = try member.string("_name") ?? ""
            property.isOptional = settings.isOn("XD_PPSK_isOptional")
            property.isTransient = settings.isOn("XD_PPSK_isTransient")
            property.versionHashModifier = settings.text("XD_PPSK_versionHashModifier")
            property.storedRenamingIdentifier = settings.text("XD_PPSK_elementID")
            properties.append(property)
        }
        entity.properties = properties.sorted { $0.name < $1.name }
        entity.uniquenessConstraints = try settings.nameLists("XDPMUniquenessConstraints")
        return (entity, links)
    }

    private static func attribute(_ settings: EditorSettings) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.attributeType =
            settings.integer("XD_PAttK_attributeType")
            .flatMap { UInt(exactly: $0) }.flatMap(NSAttributeType.init)
            ?? .undefinedAttributeType
        attribute.allowsExternalBinaryDataStorage = settings.isOn(
            "XD_PAttK_allowsExternalBinaryDataStorage"
        )
        return attribute
    }

    private static func relationship(_ settings: EditorSettings) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        let isToMany = settings.isOn("XD_PRK_isToMany")
        relationship.minCount = settings.integer("XD_PRK_minCount") ?? 0
        relationship.maxCount = settings.integer("XD_PRK_maxCount") ?? (isToMany ? 0 : 1)
        relationship.isOrdered = settings.isOn("XD_PRK_ordered")
        return relationship
    }

    /// Sets destinations and inverses, once all entities are there.
    private static func connect(
        _ links: [(NSRelationshipDescription, RelationshipLink)],
        _ entities: [NSEntityDescription]
    ) {
        let byName = Dictionary(entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
        for (relationship, link) in links {
            relationship.destinationEntity = byName[link.destination]
            guard let inverse = link.inverse else { continue }
            relationship.inverseRelationship =
                byName[inverse.entity]?.relationshipsByName[inverse.name]
        }
    }

    // MARK: Lists

    /// The objects in a list, which is kept by name or in order.
    fileprivate static func members(
        _ object: ArchivedObject,
        _ key: String
    ) throws(ArchiveError) -> [ArchivedObject] {
        guard let list = try object.object(key) else { return [] }
        let values =
            list.fields["NS.keys"] == nil
            ? try list.elements() : try list.entries().map(\.value)
        var members: [ArchivedObject] = []
        for value in values { if case .object(let member) = value { members.append(member) } }
        return members
    }
}

/// Where a relationship leads, by name.
private struct RelationshipLink {
    let destination: String
    let inverse: (entity: String, name: String)?

    init(_ settings: EditorSettings) throws(ArchiveError) {
        destination = try settings.object("XD_PRK_destination")?.string("_name") ?? ""
        if let object = settings.object("XD_PRK_inverseRelationship"),
            let name = try object.string("_name"),
            let entity = try object.object("_owner")?.string("_name")
        {
            inverse = (entity, name)
        } else {
            inverse = nil
        }
    }
}

/// The settings of an entity or a property: values by name, in several lists.
private struct EditorSettings {
    private var values: [String: ArchivedValue] = [:]

    init(_ object: ArchivedObject) throws(ArchiveError) {
        for list in try EditorModelReader.members(object, "XDBucketForStereotypesstorage") {
            let key = "XDBucketForOwnedAttributesstorage"
            for setting in try EditorModelReader.members(list, key) {
                guard let name = try setting.string("_name") else { continue }
                values[name] = try setting.value("_default")
            }
        }
    }

    func object(_ name: String) -> ArchivedObject? {
        guard case .object(let object)? = values[name] else { return nil }
        return object
    }

    func integer(_ name: String) -> Int? {
        guard case .plain(let value)? = values[name] else { return nil }
        return value.integer.map { Int($0) } ?? value.string.flatMap { Int($0) }
    }

    func isOn(_ name: String) -> Bool {
        guard case .plain(let value)? = values[name] else { return false }
        return value.boolean == true
    }

    /// A text; nil for none and for an empty one.
    func text(_ name: String) -> String? {
        let text: String?
        switch values[name] {
        case .plain(let value)?: text = value.string
        case .object(let object)?: text = object.fields["NS.string"]?.string
        case .null?, nil: text = nil
        }
        return text?.isEmpty == true ? nil : text
    }

    func nameLists(_ name: String) throws(ArchiveError) -> [[Any]] {
        var lists: [[Any]] = []
        for element in try object(name)?.elements() ?? [] {
            guard case .object(let list) = element else { continue }
            var names: [String] = []
            for value in try list.elements() {
                switch value {
                case .plain(let plain): plain.string.map { names.append($0) }
                case .object(let text): try text.stringContent().map { names.append($0) }
                case .null: continue
                }
            }
            if !names.isEmpty { lists.append(names) }
        }
        return lists
    }
}
