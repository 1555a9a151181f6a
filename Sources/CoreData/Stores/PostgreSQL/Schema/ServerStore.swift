#if PostgreSQL
import Foundation

/// A store on a server as its place alone tells of it, without the model: whether it is there, its
/// metadata, and its end.
struct ServerStore {
    static let defaultSchema = "coredata"

    let address: ServerAddress
    /// The name of the schema.
    let name: String

    /// - Throws: 134080 for a URL that is none of a server.
    init(_ url: URL?, options: [AnyHashable: Any]?) throws {
        address = try ServerAddress(url, options: options)
        name = Self.schema(options)
    }

    static func schema(_ options: [AnyHashable: Any]?) -> String {
        options?[PostgreSQLSchemaOption] as? String ?? defaultSchema
    }

    /// Where this machine's replicas of the store are.
    func replicaFolder(_ options: [AnyHashable: Any]?) throws -> URL {
        try options?[PostgreSQLReplicaFolderOption] as? URL
            ?? ReplicaPlace.defaultFolder(address.url, schema: name)
    }

    /// Runs `body` on a connection of its own.
    func perform<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        let session = ServerSession(address, label: "CoreData.PostgreSQLStore.place")
        defer { session.close() }
        return try session.translatingErrors { try session.perform(body) }
    }

    // MARK: Metadata

    /// Nil if there is no store.
    ///
    /// - Throws: 134020 for tables of another form.
    func metadata(_ connection: PostgreSQLConnection) throws -> StoreMetadata? {
        // By a query and not by `to_regclass`, which may remember that there was no table before
        // the lock was had.
        let known = try connection.run(
            "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                + "ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'z_metadata'",
            [.text(name)]
        )
        guard known.rowCount > 0 else { return nil }
        let result = try connection.run("SELECT format, uuid, plist FROM \(path("z_metadata"))")
        guard result.rowCount == 1 else {
            throw CocoaError.incompatibleSchema(
                address.url,
                "the table z_metadata must have one row"
            )
        }
        guard result.integer(0, 0) == ServerSchema.format else {
            throw CocoaError.incompatibleSchema(
                address.url,
                "they are of form \(result.integer(0, 0)), and this version of the package knows "
                    + "form \(ServerSchema.format)"
            )
        }
        return StoreMetadata(
            uuid: result.text(0, 1),
            values: try MetadataCoding.decode(result.data(0, 2), url: address.url)
        )
    }

    /// - Throws: 134080 if there is no store.
    func existingMetadata(_ connection: PostgreSQLConnection) throws -> StoreMetadata {
        if let metadata = try metadata(connection) { return metadata }
        throw CocoaError.storeOpen(
            address.url,
            "the database has no store in the schema \"\(name)\"; name another one with "
                + "PostgreSQLSchemaOption, or add the store to a coordinator to make it"
        )
    }

    /// - Throws: 134080 if there is no store.
    func replaceMetadata(_ values: [String: Any]) throws {
        try perform { connection in
            var metadata = try existingMetadata(connection)
            metadata.set(values)
            let plist = try MetadataCoding.encode(metadata.values, url: address.url)
            try connection.run("UPDATE \(path("z_metadata")) SET plist = $1", [.bytes(plist)])
        }
    }

    // MARK: The end

    /// Drops what the store has made: its tables, its sequences and its function, and the schema if it
    /// has made that and nobody else has put anything into it.
    func destroy() throws {
        try perform { connection in
            guard try metadata(connection) != nil else { return }
            let made = try connection.run(
                "SELECT made, makes_schema FROM \(path("z_metadata"))"
            )
            var commands = made.dataElements(0, 0).compactMap(\.self).map {
                PostgreSQLCommand("DROP \(String(decoding: $0, as: UTF8.self))")
            }
            if made.integer(0, 1) != 0 {
                commands.append(
                    PostgreSQLCommand(
                        """
                        DO $$ BEGIN
                            DROP SCHEMA \(ServerSchema.quoted(name));
                        EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
                        END $$
                        """
                    )
                )
            }
            // One transaction: it is there as a whole or not at all.
            _ = try connection.run(commands)
        }
    }

    private func path(_ table: String) -> String { ServerSchema.path(name, table) }
}
#endif
