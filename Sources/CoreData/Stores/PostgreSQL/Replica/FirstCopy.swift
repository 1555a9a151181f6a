#if PostgreSQL
import Foundation

/// Copies all rows of a server into a replica, in the place of those that it has.
struct FirstCopy {
    let schema: ServerSchema
    let replica: SQLiteStore
    /// The UUID of the server's store.
    let store: String
    /// What is told of how far it is.
    var progress: Progress?

    /// - Parameter willCommit: Called in the transaction, when all is copied.
    /// - Returns: The rows that the replica has had and those that it has now, if it has had some.
    @discardableResult
    func run(
        _ connection: PostgreSQLConnection,
        willCommit: () -> Void = {}
    ) throws -> TouchedRows {
        try replica.translatingErrors {
            try replica.opened().runBatch(ChangeOrigin()) { writer, changes in
                let tables = ReplicaTables(schema: schema, writer: writer)
                let before = try schema.tables.map { try tables.keys($0) }
                let isReplacing = before.contains { !$0.isEmpty }
                if isReplacing { try tables.removeAll() }
                try copy(connection, tables, writer)
                willCommit()
                var touched = TouchedRows(schema.store.model)
                guard isReplacing else { return touched }
                for (table, before) in zip(schema.tables, before) {
                    let after = try tables.keys(table)
                    // The root stands for the entity: caches are the roots'.
                    func references(_ keys: Set<Int64>) -> [RowReference] {
                        keys.sorted().map {
                            RowReference(entityIndex: table.rootIndex, primaryKey: $0)
                        }
                    }
                    changes.deleted += references(before.subtracting(after))
                    changes.updated += references(after)
                    touched.add(before.union(after), rootIndex: table.rootIndex)
                }
                // Later saves look whether what they refer to is there.
                writer.hasDeleted = true
                return touched
            }
        }
    }

    private func copy(
        _ connection: PostgreSQLConnection,
        _ tables: ReplicaTables,
        _ writer: StoreWriter
    ) throws {
        // One snapshot: the number says exactly which transactions the rows are of.
        try connection.snapshot { _ in
            if let progress {
                progress.totalUnitCount = try rowCount(connection) + 1
                progress.completedUnitCount = 0
            }
            let place = try connection.run(
                "SELECT last, (SELECT save FROM \(schema.path("z_transaction")) "
                    + "WHERE number = last) FROM \(schema.path("z_numbering"))"
            )
            for table in schema.tables {
                try read(schema.selection(table), connection) { try tables.write($0, to: table) }
            }
            for join in schema.store.joinTables {
                try read(schema.selection(join), connection) { try tables.write($0, to: join) }
            }
            try DerivedValueFilling(schema: writer.schema, connection: writer.connection).run()
            try writer.history?.startOver(at: place.integer(0, 0))
            try ReplicaOrigin.prepare(writer.connection)
            try ReplicaOrigin(store: store, lastSave: place.uuid(0, 1))
                .write(to: writer.connection)
        }
    }

    /// How many rows there are in all tables.
    private func rowCount(_ connection: PostgreSQLConnection) throws -> Int64 {
        let names = schema.tables.map(\.name) + schema.store.joinTables.map(\.name)
        let counts = names.map { "(SELECT count(*) FROM \(schema.path($0)))" }
        return try connection.run("SELECT \((["0"] + counts).joined(separator: " + "))")
            .integer(0, 0)
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
            if let progress {
                guard !progress.isCancelled else { throw CocoaError(.userCancelled) }
                progress.completedUnitCount += Int64(rows.rowCount)
            }
            try take(rows)
        }
        try connection.run("CLOSE copy")
    }
}
#endif
