#if PostgreSQL
import Foundation

/// Opens the schema of a store on a server, or makes a new one.
struct ServerOpening {
    let schema: ServerSchema
    let place: ServerStore
    let isReadOnly: Bool

    private var url: URL { place.address.url }

    /// - Returns: The metadata of the store, and whether it was made now.
    /// - Throws: 134100 for a store of another model.
    func open(
        _ connection: PostgreSQLConnection
    ) throws -> (metadata: StoreMetadata, isMade: Bool) {
        try schema.checkNames(url)
        let known = try place.metadata(connection)
        let (metadata, isMade) = try known.map { ($0, false) } ?? make(connection)
        try metadata.checkCompatible(with: schema.store.members, url: url)
        return (metadata, isMade)
    }

    /// Makes the schema in one transaction, unless somebody else has done so meanwhile.
    private func make(
        _ connection: PostgreSQLConnection
    ) throws -> (metadata: StoreMetadata, isMade: Bool) {
        guard !isReadOnly else {
            throw CocoaError.storeOpen(
                url,
                "the database has no store in the schema \"\(schema.name)\", and none can be made "
                    + "read-only: open it for writing once"
            )
        }
        try connection.run("BEGIN")
        do {
            // Until the end of the transaction: whoever comes second finds the store made.
            try connection.run(
                "SELECT pg_advisory_xact_lock(hashtext($1))",
                [.text(schema.channel)]
            )
            if let existing = try place.metadata(connection) {
                try connection.run("COMMIT")
                return (existing, false)
            }
            var made = StoreMetadata(entities: schema.store.members)
            made.values[NSStoreTypeKey] = PostgreSQLStore.typeName
            let plist = try MetadataCoding.encode(made.values, url: url)
            // Not "IF NOT EXISTS", which needs the right to make one also where it is there.
            let isThere = try connection.run(
                "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
                [.text(schema.name)]
            )
            let makesSchema = isThere.rowCount == 0
            let head = makesSchema ? ["CREATE SCHEMA \(ServerSchema.quoted(schema.name))"] : []
            var names = PostgreSQLArray(.text)
            for name in schema.made { try names.append(.text(name)) }
            _ = try connection.run(
                (head + schema.definitions()).map { PostgreSQLCommand($0) } + [
                    PostgreSQLCommand(
                        "INSERT INTO \(schema.path("z_metadata")) VALUES ($1, $2, $3, $4, $5)",
                        [
                            .integer(ServerSchema.format), .text(made.uuid), .bytes(plist),
                            names.parameter, .integer(makesSchema ? 1 : 0),
                        ]
                    ),
                    PostgreSQLCommand("COMMIT"),
                ]
            )
            return (made, true)
        } catch let error as PostgreSQLError {
            throw error
        } catch {
            try connection.run("ROLLBACK")
            throw error
        }
    }
}
#endif
