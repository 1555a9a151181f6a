import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A store of one version of a model, in a folder of its own, that tests migrate to another.
final class MigrationFixture {
    let folder: URL
    let url: URL
    let model: NSManagedObjectModel

    /// Makes the store and saves what a body inserts.
    init(
        _ model: NSManagedObjectModel,
        _ fill: (NSManagedObjectContext) throws -> Void
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Migration-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("Store.sqlite")
        self.model = model
        try open(model) { context in
            try fill(context)
            try context.save()
        }
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("A test folder could not be removed: \(error)")
        }
    }

    /// Migrates the store in place, from the model that it was made with or a later one.
    func migrate(
        from source: NSManagedObjectModel? = nil,
        to destination: NSManagedObjectModel
    ) throws {
        let source = source ?? model
        let match = ModelMatch(source: source.entities, destination: destination.entities)
        let problems = InferenceProblem.all(in: match)
        #expect(problems.isEmpty)
        try SQLiteStore.migrate(
            at: url,
            options: nil,
            from: StoreVersion(source, entityNames: nil),
            to: StoreVersion(destination, entityNames: nil)
        )
    }

    /// Runs a body with a context on the store, which has to be of that model.
    func open<Result>(
        _ model: NSManagedObjectModel,
        _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let result = try context.onQueue { try body(context) }
        try coordinator.remove(store)
        return result
    }

    /// What the `sqlite3` shell prints for a query.
    func shell(_ sql: String) throws -> [String] { try Self.shell(sql, url) }

    static func shell(_ sql: String, _ url: URL) throws -> [String] {
        try SQLiteShell.run(url, sql)
    }

    /// The tables, indexes and entities. A table's columns are sorted: one that stayed may have
    /// them in another order than a new one.
    func definitions() throws -> [[String]] {
        try shell(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL "
                + "UNION ALL SELECT Z_ENT || Z_NAME || Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1"
        ).map { $0.components(separatedBy: ", ").sorted() }
    }

    /// Asserts that a migrated store is just what a new store of the model is, rows apart.
    func expectDefinitions(ofNew model: NSManagedObjectModel) throws {
        let new = try MigrationFixture(model) { _ in }
        let expected = try new.definitions(), found = try definitions()
        #expect(found == expected)
        #expect(try shell("PRAGMA integrity_check") == ["ok"])
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    func objects(_ entity: String, by key: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try fetch(request)
    }
}

extension NSManagedObject {
    /// Texts of an attribute of the objects of a to-many relationship; in order, if it has one.
    func texts(_ relationship: String, _ key: String = "name") -> [String] {
        let objects: [Any]
        if let ordered = value(forKey: relationship) as? NSOrderedSet {
            objects = ordered.array
        } else {
            objects = Array(value(forKey: relationship) as? Set<NSManagedObject> ?? [])
        }
        let texts = objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: key) as? String }
        return value(forKey: relationship) is NSOrderedSet ? texts : texts.sorted()
    }

    func text(_ key: String) -> String? { value(forKey: key) as? String }
    func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
}

/// A mapping model of mappings between entities of one name each, which carry the name over.
func makeNameMapping(
    _ entities: [String],
    policy: NSEntityMigrationPolicy.Type? = nil
) -> NSMappingModel {
    let model = NSMappingModel()
    model.entityMappings = entities.map { entity in
        let property = NSPropertyMapping()
        property.name = "name"
        property.valueExpression = NSExpression(format: "$source.name")
        let mapping = NSEntityMapping()
        mapping.name = entity
        mapping.mappingType = .customEntityMappingType
        mapping.sourceEntityName = entity
        mapping.destinationEntityName = entity
        mapping.attributeMappings = [property]
        mapping.entityMigrationPolicyClassName = policy.map { NSStringFromClass($0) }
        return mapping
    }
    return model
}
