#if PostgreSQL
import Foundation

/// Opens the replica that is at a place, or makes a new one of what the server has.
struct ReplicaOpening {
    let place: ReplicaPlace
    let schema: ServerSchema
    /// The store that the replica is of.
    let owner: NSPersistentStore
    let entities: [EntityLayout]
    let url: URL

    /// Key of the UUID of the store that a replica has all rows of, in the replica's metadata.
    private static let originKey = "MergeStackOrigin"

    /// - Parameter connection: Confined to the caller.
    func open(_ connection: PostgreSQLConnection) throws -> SQLiteStore {
        if let store = try existing(connection) { return store }
        // Whatever is there holds nothing that the server has not got.
        try SQLiteStore.removeStore(at: place.url)
        let store = makeStore()
        do {
            try store.open(model: schema.store.model, entities: entities)
            try FirstCopy(schema: schema, replica: store).run(connection)
            // Only now: a copy that was cut off is made anew.
            store.metadata = store.metadata.merging(
                [Self.originKey: owner.identifier ?? ""],
                uniquingKeysWith: { $1 }
            )
            try store.write(StoreChangeSet())
            return store
        } catch {
            store.close()
            throw error
        }
    }

    /// Nil if there is none, or none that can be used.
    private func existing(_ connection: PostgreSQLConnection) throws -> SQLiteStore? {
        guard FileManager.default.fileExists(atPath: place.url.path) else { return nil }
        let store = makeStore()
        let number: Int64
        do {
            try store.open(model: schema.store.model, entities: entities)
            number = try store.lastTransactionNumber() ?? 0
        } catch {
            // Damaged, or of another model: the copy is made anew, and says so if that fails, too.
            store.close()
            return nil
        }
        let reader = FeedReader(
            schema: schema,
            connection: connection,
            url: url,
            isReadOnly: owner.isReadOnly
        )
        // A server that is behind has lost transactions, and has others in their place.
        guard store.metadata[Self.originKey] as? String == owner.identifier,
            try reader.number() >= number
        else {
            store.close()
            return nil
        }
        return store
    }

    private func makeStore() -> SQLiteStore {
        let store = SQLiteStore(
            persistentStoreCoordinator: nil,
            configurationName: owner.configurationName,
            at: place.url,
            options: [
                StoreOptions.isReplica: true,
                NSPersistentHistoryTrackingKey: true,
                // What a power cut takes comes again from the server.
                NSSQLitePragmasOption: ["synchronous": "NORMAL"],
                NSPersistentStoreConnectionPoolMaxSizeKey:
                    owner.options?[NSPersistentStoreConnectionPoolMaxSizeKey] ?? 4,
            ]
        )
        // Predicates name objects of the owner, whose rows these are.
        store.shareIdentity(of: owner)
        return store
    }
}

/// Copies all rows of a server into an empty replica.
struct FirstCopy {
    let schema: ServerSchema
    let replica: SQLiteStore

    func run(_ connection: PostgreSQLConnection) throws {
        try replica.translatingErrors {
            try replica.opened().runBatch(ChangeOrigin()) { writer, _ in
                let tables = ReplicaTables(schema: schema, writer: writer)
                // One snapshot: the number says exactly which transactions the rows are of.
                try connection.snapshot {
                    let last = try connection.run("SELECT last FROM \(schema.path("z_numbering"))")
                    for table in schema.tables {
                        try read(schema.selection(table), connection) {
                            try tables.write($0, to: table)
                        }
                    }
                    for join in schema.store.joinTables {
                        try read(schema.selection(join), connection) {
                            try tables.write($0, to: join)
                        }
                    }
                    try writer.history?.raiseNumber(to: last.integer(0, 0))
                }
            }
        }
    }

    private func read(
        _ query: String,
        _ connection: PostgreSQLConnection,
        _ take: (PostgreSQLResult) throws -> Void
    ) throws {
        // By a cursor: a result as a whole may be larger than memory.
        try connection.run("DECLARE copy NO SCROLL CURSOR FOR \(query)")
        while true {
            let rows = try connection.run("FETCH \(FeedReader.rowsAtOnce) FROM copy")
            guard rows.rowCount > 0 else { break }
            try take(rows)
        }
        try connection.run("CLOSE copy")
    }
}
#endif
