import CoreData

/// What a model says, as names and texts: to be printed and compared.
///
/// Two models with equal outlines work the same. What only Xcode's class generation reads is not in
/// it.
///
/// > Threading: A value; any thread.
package struct ModelOutline: Hashable, Sendable {
    /// Something that is said of a part of a model, for example `delete rule` and `cascade`.
    package struct Fact: Hashable, Sendable {
        /// What is said.
        package let name: String
        /// How it is.
        package let value: String
    }

    /// A property, an index, a configuration or the like.
    package struct Item: Hashable, Sendable {
        /// What it is, for example `attribute`.
        package let kind: String
        /// Its name in its entity, or in the model.
        package let name: String
        /// What differs from the defaults; the type of an attribute always.
        package let facts: [Fact]
    }

    /// An entity.
    package struct Entity: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// What differs from the defaults.
        package let facts: [Fact]
        /// Its own properties and indexes, each kind by name; what it inherits stands in its parent.
        package let items: [Item]
        /// The version hash, which tells whether a store fits.
        package let versionHash: Data
    }

    /// The identifiers of the version, sorted.
    package let versionIdentifiers: [String]
    /// The entities by name.
    package let entities: [Entity]
    /// Configurations and fetch request templates, each by name.
    package let items: [Item]

    /// Takes down what a model says.
    package init(_ model: NSManagedObjectModel) {
        versionIdentifiers = model.versionIdentifiers.map { "\($0)" }.sorted()
        let hashes = model.entityVersionHashesByName
        entities = model.entities
            .map { Entity($0, versionHash: hashes[$0.name ?? ""] ?? Data()) }
            .sorted { $0.name < $1.name }
        // Every model has the default configuration by itself, with all entities.
        let configurations = model.configurations.filter { $0 != "PF_DEFAULT_CONFIGURATION_NAME" }
            .sorted()
            .map { name in
                let members = model.entities(forConfigurationName: name) ?? []
                let names = members.compactMap(\.name).sorted().joined(separator: ", ")
                return Item(
                    kind: "configuration",
                    name: name,
                    facts: [Fact(name: "entities", value: names)]
                )
            }
        let templates = model.fetchRequestTemplatesByName
            .sorted { $0.key < $1.key }
            .map { name, request in
                Item(kind: "fetch request", name: name, facts: FactList.facts(of: request))
            }
        items = configurations + templates
    }
}

extension ModelOutline.Entity {
    fileprivate init(_ entity: NSEntityDescription, versionHash: Data) {
        name = entity.name ?? ""
        self.versionHash = versionHash
        var list = FactList()
        list.add("parent", entity.superentity?.name)
        list.add("abstract", if: entity.isAbstract)
        list.add("class", entity.managedObjectClassName, unless: "NSManagedObject")
        list.add("renamed from", entity.renamingIdentifier, unless: entity.name)
        list.add("hash modifier", entity.versionHashModifier)
        list.add("unique", FactList.names(of: entity.uniquenessConstraints))
        list.add("user info", FactList.text(entity.userInfo))
        facts = list.facts
        // An entity lists what it inherits, too, so one change of a parent would show in each
        // subentity.
        let inherited = Set((entity.superentity?.propertiesByName ?? [:]).keys)
        let properties = entity.properties.filter { !inherited.contains($0.name) }
            .map { ModelOutline.Item($0) }
        let indexes = entity.indexes.map { ModelOutline.Item($0) }
        items = (properties + indexes).sorted { ($0.kind, $0.name) < ($1.kind, $1.name) }
    }
}

extension ModelOutline.Item {
    fileprivate init(_ property: NSPropertyDescription) {
        switch property {
        case let attribute as NSAttributeDescription:
            kind = "attribute"
            facts = FactList.facts(of: attribute)
        case let relationship as NSRelationshipDescription:
            kind = "relationship"
            facts = FactList.facts(of: relationship)
        case let fetched as NSFetchedPropertyDescription:
            kind = "fetched property"
            facts =
                (fetched.fetchRequest.map { FactList.facts(of: $0) } ?? [])
                + FactList.commonFacts(of: fetched)
        default:
            kind = "property"
            facts = FactList.commonFacts(of: property)
        }
        name = property.name
    }

    fileprivate init(_ index: NSFetchIndexDescription) {
        kind = "index"
        name = index.name
        var list = FactList()
        let elements = index.elements.map { element in
            (element.propertyName ?? "")
                + (element.isAscending ? "" : " descending")
                + (element.collationType == .rTree ? " R-tree" : "")
        }
        list.add("over", elements.joined(separator: ", "))
        list.add("where", index.partialIndexPredicate?.description)
        facts = list.facts
    }
}
