import CSQLite
import Foundation
import Testing

@testable import CoreData

/// The kinds of stores that behave alike.
enum TestedStore: CaseIterable, Sendable {
    case sqlite
    case memory
}

/// Animal <- Dog, owned by Person; people like each other's tags; playlists keep an order.
enum StoreModel {
    static func make() -> NSManagedObjectModel {
        let person = entity(
            "Person",
            [
                attribute("name", .stringAttributeType), attribute("age", .integer16AttributeType),
                attribute("email", .stringAttributeType), attribute("weight", .doubleAttributeType),
                attribute("balance", .decimalAttributeType), attribute("born", .dateAttributeType),
                attribute("isActive", .booleanAttributeType),
                attribute("token", .UUIDAttributeType),
                attribute("photo", .binaryDataAttributeType), attribute("site", .URIAttributeType),
                attribute("portrait", .binaryDataAttributeType),
                attribute("count32", .integer32AttributeType),
                attribute("count64", .integer64AttributeType),
                attribute("ratio", .floatAttributeType),
            ]
        )
        (person.ownProperties.first { $0.name == "portrait" } as? NSAttributeDescription)?
            .allowsExternalBinaryDataStorage = true
        person.uniquenessConstraints = [["email"]]
        let animal = entity("Animal", [attribute("name", .stringAttributeType)])
        let dog = entity("Dog", [attribute("breed", .stringAttributeType)])
        animal.subentities = [dog]
        let tag = entity("Tag", [attribute("title", .stringAttributeType)])
        let playlist = entity("Playlist", [attribute("title", .stringAttributeType)])
        let song = entity("Song", [attribute("title", .stringAttributeType)])

        relate(person, "pets", true, animal, "owner", false)
        relate(person, "favourite", false, animal, "fans", true)
        relate(person, "tags", true, tag, "people", true)
        relate(playlist, "songs", true, song, "playlist", false, ordered: true)
        relate(tag, "playlists", true, playlist, "labels", true, ordered: true)
        let attachments = NSRelationshipDescription()
        attachments.name = "attachments"
        attachments.destinationEntity = song
        tag.properties.append(attachments)
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.destinationEntity = person
        friends.inverseRelationship = friends
        person.properties.append(friends)

        let model = NSManagedObjectModel()
        model.entities = [person, animal, dog, tag, playlist, song]
        return model
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription
    {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    static func relate(
        _ left: NSEntityDescription,
        _ leftName: String,
        _ leftIsToMany: Bool,
        _ right: NSEntityDescription,
        _ rightName: String,
        _ rightIsToMany: Bool,
        ordered: Bool = false
    ) {
        let forward = NSRelationshipDescription(), back = NSRelationshipDescription()
        forward.name = leftName
        back.name = rightName
        forward.destinationEntity = right
        back.destinationEntity = left
        forward.maxCount = leftIsToMany ? 0 : 1
        back.maxCount = rightIsToMany ? 0 : 1
        forward.isOrdered = ordered && leftIsToMany
        forward.inverseRelationship = back
        back.inverseRelationship = forward
        left.properties.append(forward)
        right.properties.append(back)
    }
}

/// A store of the test model in a folder of its own.
final class StoreFixture: @unchecked Sendable {
    // @unchecked: all is set in init; stores are used from any thread.
    let kind: TestedStore
    let model: NSManagedObjectModel
    let folder: URL
    let url: URL
    let store: any RowStore

    init(
        _ kind: TestedStore = .sqlite,
        model: NSManagedObjectModel = StoreModel.make(),
        options: [AnyHashable: Any]? = nil
    ) throws {
        self.kind = kind
        self.model = model
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("StoreTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("Store.sqlite")
        store = try Self.open(kind, model: model, url: url, options: options)
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    static func open(
        _ kind: TestedStore,
        model: NSManagedObjectModel,
        url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> any RowStore {
        let store: any RowStore
        switch kind {
        case .sqlite:
            store = SQLiteStore(
                persistentStoreCoordinator: nil,
                configurationName: nil,
                at: url,
                options: options
            )
        case .memory:
            store = InMemoryStore(
                persistentStoreCoordinator: nil,
                configurationName: nil,
                at: url,
                options: options
            )
        }
        try store.open(model: model.layout, entities: model.layout.entities)
        return store
    }

    /// Another store object on the same file, as another process would have it.
    func another(options: [AnyHashable: Any]? = nil) throws -> any RowStore {
        try Self.open(kind, model: StoreModel.make(), url: url, options: options)
    }

    func layout(_ name: String) throws -> EntityLayout {
        try #require(model.layout.entitiesByName[name])
    }

    func slot(_ entity: String, _ name: String) throws -> PropertySlot {
        try #require(try layout(entity).slot(named: name))
    }

    /// A row with the given values.
    func row(
        _ entity: String,
        _ key: Int64,
        version: Int32 = 1,
        _ values: [String: SlotValue] = [:]
    ) throws -> Row {
        let layout = try layout(entity)
        var all = [SlotValue](repeating: .null, count: layout.slots.count)
        for (name, value) in values { all[try #require(layout.slotsByName[name])] = value }
        return Row.make(layout: layout, primaryKey: key, version: version, values: all)
    }

    /// Inserts rows with keys taken from the store.
    @discardableResult
    func insert(_ entity: String, _ rows: [[String: SlotValue]]) throws -> [Row] {
        let layout = try layout(entity)
        let first = try store.reservePrimaryKeys(rootIndex: layout.rootIndex, count: rows.count)
        var changes = StoreChangeSet()
        for (index, values) in rows.enumerated() {
            changes.inserts.append(try row(entity, first + Int64(index), values))
        }
        try store.write(changes)
        return changes.inserts
    }

    func update(_ old: Row, _ values: [String: SlotValue]) throws -> StoreChangeSet.Update {
        let layout = model.layout.entities[old.entityIndex]
        var all = layout.slots.map { old.value($0.index, $0.kind) }
        var changed = SlotSet()
        for (name, value) in values {
            let slot = try #require(layout.slotsByName[name])
            all[slot] = value
            changed.insert(slot)
        }
        let row = Row.make(
            layout: layout,
            primaryKey: old.primaryKey,
            version: old.version + 1,
            values: all
        )
        return StoreChangeSet.Update(row: row, old: old, changed: changed)
    }

    func plan(_ entity: String, keys: [Int64]? = nil) throws -> FetchPlan {
        FetchPlan(layout: try layout(entity), primaryKeys: keys)
    }

    /// What a connection of SQLite's own says; columns joined by `|`.
    func query(_ sql: String) throws -> [String] {
        let connection = try SQLiteConnection(ConnectionSettings(path: url.path))
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        var result: [String] = []
        while try statement.step() {
            result.append(
                (0..<statement.columnCount).map { statement.text($0) }.joined(separator: "|")
            )
        }
        return result
    }
}

extension Row {
    func text(_ name: String, _ layout: EntityLayout) -> String? {
        guard let slot = layout.slotsByName[name], !isNull(slot) else { return nil }
        return text(slot)
    }
}
