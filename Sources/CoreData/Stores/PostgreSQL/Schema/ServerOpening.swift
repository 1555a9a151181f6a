#if PostgreSQL
import Foundation

/// Opens the schema of a store on a server, or makes a new one.
struct ServerOpening {
    let schema: ServerSchema
    let url: URL
    let isReadOnly: Bool

    /// - Returns: The metadata of the store.
    /// - Throws: 134100 for a store of another model.
    func open(_ connection: PostgreSQLConnection) throws -> StoreMetadata {
        try schema.checkNames(url)
        let metadata = try metadata(connection) ?? make(connection)
        try metadata.checkCompatible(with: schema.store.members, url: url)
        return metadata
    }

    /// Nil if there is no such store.
    private func metadata(_ connection: PostgreSQLConnection) throws -> StoreMetadata? {
        let table = schema.path("z_metadata")
        // By a query and not by `to_regclass`, which may remember that there was no table before
        // the lock was had.
        let known = try connection.run(
            "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                + "ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'z_metadata'",
            [.text(schema.name)]
        )
        guard known.rowCount > 0 else { return nil }
        let result = try connection.run("SELECT format, uuid, plist FROM \(table)")
        guard result.rowCount == 1 else {
            throw CocoaError.incompatibleSchema(url, "the table z_metadata must have one row")
        }
        guard result.integer(0, 0) == ServerSchema.format else {
            throw CocoaError.incompatibleSchema(
                url,
                "they are of form \(result.integer(0, 0)), and this version of the package knows "
                    + "form \(ServerSchema.format)"
            )
        }
        return StoreMetadata(
            uuid: result.text(0, 1),
            values: try MetadataCoding.decode(result.data(0, 2), url: url)
        )
    }

    /// Makes the schema in one transaction, unless somebody else has done so meanwhile.
    private func make(_ connection: PostgreSQLConnection) throws -> StoreMetadata {
        guard !isReadOnly else {
            throw CocoaError.storeOpen(
                url,
                "the database has no store in the schema \"\(schema.name)\"; open it without the "
                    + "read-only option once"
            )
        }
        try connection.run("BEGIN")
        do {
            // Until the end of the transaction: whoever comes second finds the store made.
            try connection.run(
                "SELECT pg_advisory_xact_lock(hashtext($1))",
                [.text(schema.channel)]
            )
            if let existing = try metadata(connection) {
                try connection.run("COMMIT")
                return existing
            }
            var made = StoreMetadata(entities: schema.store.members)
            made.values[NSStoreTypeKey] = PostgreSQLStore.typeName
            let plist = try MetadataCoding.encode(made.values, url: url)
            // Not "IF NOT EXISTS", which needs the right to make one also where it is there.
            let isThere = try connection.run(
                "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
                [.text(schema.name)]
            )
            let head =
                isThere.rowCount > 0
                ? [] : ["CREATE SCHEMA \(ServerSchema.quoted(schema.name))"]
            _ = try connection.run(
                (head + schema.definitions()).map { PostgreSQLCommand($0) } + [
                    PostgreSQLCommand(
                        "INSERT INTO \(schema.path("z_metadata")) VALUES ($1, $2, $3)",
                        [.integer(ServerSchema.format), .text(made.uuid), .bytes(plist)]
                    ),
                    PostgreSQLCommand("COMMIT"),
                ]
            )
            return made
        } catch let error as PostgreSQLError {
            throw error
        } catch {
            try connection.run("ROLLBACK")
            throw error
        }
    }
}
#endif
