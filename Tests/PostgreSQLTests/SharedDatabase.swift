#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A store of a test's own in the server of the tests, and the machines that share it.
final class SharedDatabase: Sendable {
    let url: URL
    let schema = "s" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    private let folder: URL

    convenience init(on server: PostgreSQLServer? = nil) throws {
        try self.init(at: (server ?? PostgreSQLServer.shared()).url)
    }

    /// - Parameter url: Of a database.
    init(at url: URL) throws {
        self.url = url
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("MergeStackTests-\(UUID().uuidString)", isDirectory: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("A test folder could not be removed: \(error)")
        }
    }

    /// The options of a store on a machine, which has a folder of its own for replicas.
    func options(_ machine: String) -> [AnyHashable: Any] {
        [
            PostgreSQLSchemaOption: schema,
            PostgreSQLReplicaFolderOption: folder.appendingPathComponent(machine),
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]
    }

    func machine(
        _ name: String,
        model: NSManagedObjectModel = SampleModel.make(),
        options: [AnyHashable: Any] = [:]
    ) throws -> Machine {
        try Machine(
            url,
            model,
            self.options(name).merging(options, uniquingKeysWith: { $1 }),
            database: self
        )
    }

    /// Runs a statement on a connection of its own; `$` stands for the schema and a point.
    @discardableResult
    func run(_ sql: String) throws -> PostgreSQLResult {
        let connection = try PostgreSQLConnection(ServerAddress(url, options: nil))
        return try connection.run(sql.replacingOccurrences(of: "$", with: "\"\(schema)\"."))
    }
}

/// A coordinator as another machine has one: with a replica of its own.
final class Machine: Sendable {
    let coordinator: NSPersistentStoreCoordinator
    private let database: SharedDatabase

    init(
        _ url: URL,
        _ model: NSManagedObjectModel,
        _ options: [AnyHashable: Any],
        database: SharedDatabase
    ) throws {
        self.database = database
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            type: .postgreSQL,
            configuration: nil,
            at: url,
            options: options
        )
    }

    deinit { close() }

    /// Removes the store, so that its replica is free.
    func close() {
        for store in coordinator.persistentStores {
            do {
                try coordinator.remove(store)
            } catch {
                print("A test store could not be removed: \(error)")
            }
        }
    }

    var store: PostgreSQLStore {
        guard let store = coordinator.persistentStores.first as? PostgreSQLStore else {
            fatalError("The machine has no store.")
        }
        return store
    }

    /// Has the replica be as the server is.
    func catchUp() throws { try store.catchUp(store.opened()) }

    func context(_ policy: NSMergePolicy = .error) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = policy
        return context
    }

    /// Works in a context of its own.
    @discardableResult
    func perform<Result>(
        _ policy: NSMergePolicy = .error,
        _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let context = context(policy)
        // Called once, while the caller waits.
        nonisolated(unsafe) let body = body
        return try context.performAndWait { try body(context) }
    }

    /// Makes and saves an object.
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any]) throws -> URL {
        try perform { context in
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValuesForKeys(values)
            try context.save()
            return object.objectID.uriRepresentation()
        }
    }

    /// Makes a tag, and has the one person have it.
    func addTag(_ label: String) throws {
        try perform { context in
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue(label, forKey: "label")
            let person = try context.first("Person", by: "name")
            person.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
        }
    }

    /// The values of an attribute of all objects of an entity, sorted.
    func values(_ entity: String, _ key: String) throws -> [String] {
        try perform { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            return try context.fetch(request).map { "\($0.value(forKey: key) ?? "nil")" }.sorted()
        }
    }
}

extension NSManagedObjectContext {
    /// The first object of an entity, in ascending order of a key.
    func first(_ entity: String, by key: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try #require(try fetch(request).first)
    }
}
#endif
