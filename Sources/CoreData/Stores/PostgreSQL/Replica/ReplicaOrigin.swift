#if PostgreSQL
import Foundation

/// Whose replica a file is, and where it is in the feed: a table of its own beside the store's, in
/// which each transaction notes what it has brought.
///
/// A number alone does not say where: a server that has lost transactions gives their numbers to
/// others. The UUID of a save is given once.
struct ReplicaOrigin: Sendable {
    /// The UUID of the store that the replica is of.
    let store: String
    /// The save that has the last number which the replica has read; nil if it has read none.
    var lastSave: UUID?
    /// The last save of the replica's own that the feed has not brought back with a number yet.
    var ownSave: UUID?

    init(store: String, lastSave: UUID?) {
        self.store = store
        self.lastSave = lastSave
    }

    /// Nil for a replica without one, whose first copy was cut off.
    init?(in connection: SQLiteConnection) throws {
        guard try connection.hasTable("Z_ORIGIN") else { return nil }
        let statement = try connection.statement("SELECT ZSTORE, ZLAST, ZOWN FROM Z_ORIGIN")
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        store = statement.text(0)
        lastSave = UUID(uuidString: statement.text(1))
        ownSave = UUID(uuidString: statement.text(2))
    }

    /// The save that the server must have if it is the one that the replica has read from: a server
    /// that has it has all that was committed before.
    var newestSave: UUID? { ownSave ?? lastSave }

    /// Makes the table where it is missing. The caller has begun a transaction, as for `write`.
    static func prepare(_ connection: SQLiteConnection) throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS Z_ORIGIN "
                + "(Z_PK INTEGER PRIMARY KEY, ZSTORE TEXT, ZLAST TEXT, ZOWN TEXT)"
        )
    }

    func write(to connection: SQLiteConnection) throws {
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO Z_ORIGIN (Z_PK, ZSTORE, ZLAST, ZOWN) VALUES (1, ?, ?, ?)"
        )
        defer { statement.clear() }
        statement.bind(1, store)
        statement.bind(2, lastSave?.uuidString ?? "")
        statement.bind(3, ownSave?.uuidString ?? "")
        try statement.run()
    }
}

extension SQLiteStore {
    /// Where a replica is in the feed.
    ///
    /// - Throws: 259 for a store that is none.
    func origin() throws -> ReplicaOrigin {
        let origin = try translatingErrors {
            try opened().readers.withConnection { try ReplicaOrigin(in: $0) }
        }
        guard let origin else { throw CocoaError.corruptFile(url, "it is no replica of a server") }
        return origin
    }
}
#endif
