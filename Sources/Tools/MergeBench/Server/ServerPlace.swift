#if PostgreSQL
import CoreData
import Foundation

/// Schemas on a server, and machines with replicas in a folder.
struct ServerPlace {
    let url: URL
    let folder: URL
    /// Of the store.
    let schema: String

    /// - Parameter schema: One of its own if not given.
    init(
        url: URL,
        folder: URL,
        schema: String = "bench_" + UUID().uuidString.prefix(8).lowercased()
    ) {
        self.url = url
        self.folder = folder
        self.schema = schema
    }

    /// The schema of bare libpq's tables.
    var bareSchema: String { schema + "_bare" }
    /// A place of its own for items alone, without an index.
    var plain: ServerPlace { ServerPlace(url: url, folder: folder, schema: schema + "_plain") }

    func description(_ schema: String, replica: String) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: url)
        // NSPersistentStore.StoreType.postgreSQL, whose type needs newer systems than this tool.
        description.type = "PostgreSQL"
        let options: [String: NSObject] = [
            PostgreSQLSchemaOption: schema as NSString,
            PostgreSQLReplicaFolderOption: folder.appendingPathComponent(replica) as NSURL,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber,
        ]
        for (key, value) in options { description.setOption(value, forKey: key) }
        return description
    }

    /// A coordinator as another machine has one.
    func open(
        _ schema: String,
        replica: String,
        model: NSManagedObjectModel = ItemModel.makeForQueries(TypedAccess())
    ) throws -> NSPersistentStoreCoordinator {
        let description = description(schema, replica: replica)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: description.type,
            configurationName: nil,
            at: url,
            options: description.options
        )
        return coordinator
    }

    /// Opens a store, and closes it after the body.
    func with<Value>(
        _ schema: String,
        replica: String,
        model: NSManagedObjectModel = ItemModel.makeForQueries(TypedAccess()),
        _ body: (NSPersistentStoreCoordinator) throws -> Value
    ) throws -> Value {
        let coordinator = try open(schema, replica: replica, model: model)
        let value = try body(coordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return value
    }

    /// A connection whose statements name the tables of bare libpq.
    func bare() throws -> BareServer {
        let server = try BareServer(url)
        try server.run("SET search_path TO \(bareSchema)")
        return server
    }

    /// Removes all that was made.
    func drop() throws {
        let server = try BareServer(url)
        for name in [schema, bareSchema] { try server.run("DROP SCHEMA IF EXISTS \(name) CASCADE") }
    }
}
#endif
