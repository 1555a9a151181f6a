import Foundation
import StoreInspection

/// What `mergectl model show --format json` prints.
struct ModelReport: Encodable {
    /// A part of a model or of an entity, with what differs from the defaults.
    struct Item: Encodable {
        let kind: String
        let name: String
        let facts: [String: String]

        init(_ item: ModelOutline.Item) {
            kind = item.kind
            name = item.name
            facts = Self.facts(item.facts)
        }

        static func facts(_ facts: [ModelOutline.Fact]) -> [String: String] {
            Dictionary(facts.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        }
    }

    /// An entity, with its own properties and indexes.
    struct Entity: Encodable {
        let name: String
        /// In hexadecimal, as `model hashes` has it.
        let versionHash: String
        let facts: [String: String]
        let properties: [Item]
        let indexes: [Item]

        init(_ entity: ModelOutline.Entity) {
            name = entity.name
            versionHash = OutlinePrinter.hexadecimal(entity.versionHash)
            facts = Item.facts(entity.facts)
            properties = entity.items.filter { $0.kind != "index" }.map(Item.init)
            indexes = entity.items.filter { $0.kind == "index" }.map(Item.init)
        }
    }

    private let entities: [Entity]
    /// Configurations and fetch requests.
    private let items: [Item]
    private let versionIdentifiers: [String]
    /// What the file says that is not known.
    private let notKnown: [String]

    init(_ outline: ModelOutline, notKnown: [String]) {
        entities = outline.entities.map(Entity.init)
        items = outline.items.map(Item.init)
        versionIdentifiers = outline.versionIdentifiers
        self.notKnown = notKnown
    }
}

/// What `mergectl model diff --format json` prints.
struct ModelChangesReport: Encodable {
    private struct Change: Encodable {
        let name: String
        let formerName: String
        let needsMigration: Bool
        let lines: [String]
    }

    private let needsMigration: Bool
    private let added: [String]
    private let removed: [String]
    private let changed: [Change]
    private let other: [String]

    init(_ changes: ModelChanges) {
        needsMigration = changes.needsMigration
        added = changes.addedEntities
        removed = changes.removedEntities
        other = changes.otherLines
        changed = changes.changedEntities.map {
            Change(
                name: $0.name,
                formerName: $0.formerName,
                needsMigration: $0.changesVersionHash,
                lines: $0.lines
            )
        }
    }
}
