import CSQLite

/// Taking primary keys; see `PrimaryKeyReservations`.
extension SQLiteStore {
    /// Takes keys without a write.
    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        let open = try opened()
        guard !open.settings.isReadOnly else {
            throw CocoaError.storeIsReadOnly(url, store: self)
        }
        let maximum = try translatingErrors {
            // By a reader, which waits for no save. Another process may raise `Z_MAX` at once: the
            // save looks again when it has the write lock, see `raiseMaxima`.
            try open.readers.withConnection {
                try open.maximumKey(rootIndex: rootIndex, $0)
            }
        }
        guard
            let first = open.keys.take(
                rootIndex: rootIndex,
                count: count,
                maximumInFile: maximum
            )
        else {
            throw CocoaError.storeSave(url, "no primary keys are left in one of its tables")
        }
        return first
    }

    /// Takes keys, and raises `Z_MAX` at once.
    func claimPrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        let open = try opened()
        guard !open.settings.isReadOnly else {
            throw CocoaError.storeIsReadOnly(url, store: self)
        }
        let first = try translatingErrors {
            // With the write lock and a commit, unlike a reservation: a claimed key can't be
            // exchanged for another one when the save finds it taken.
            try open.withWriter { writer in
                try open.claimKeys(rootIndex: rootIndex, count: count, writer.connection)
            }
        }
        guard let first else {
            throw CocoaError.storeSave(url, "no primary keys are left in one of its tables")
        }
        return first
    }
}

extension OpenSQLiteStore {
    fileprivate func claimKeys(
        rootIndex: Int,
        count: Int,
        _ connection: SQLiteConnection
    ) throws -> Int64? {
        // Lost with the power supply, as are the objects that the keys are for.
        let synchronous = try connection.integer("PRAGMA synchronous") ?? 2
        // Outside of the transaction, in which SQLite refuses to change it.
        try connection.execute("PRAGMA synchronous=\(min(synchronous, 1))")
        // Kept and not thrown yet: the setting has to be taken back in any case.
        let result = Result {
            try connection.transaction { () -> Int64? in
                let maximum = try maximumKey(rootIndex: rootIndex, connection)
                guard
                    let first = keys.take(
                        rootIndex: rootIndex,
                        count: count,
                        maximumInFile: maximum
                    )
                else { return nil }
                let last = first + Int64(count) - 1
                try raiseMaximumKey(rootIndex: rootIndex, to: last, connection)
                // If the commit fails, the claim stays, and does no harm: `take` has passed these
                // keys, and gives them to nobody again.
                keys.claim(first...max(first, last), rootIndex: rootIndex)
                return first
            }
        }
        // Later saves must be as safe as the client has asked for.
        // True while it is not yet done: if the pragma throws, the connection is closed rather than
        // used with less safety than was asked for.
        connection.isMisconfigured = true
        try connection.execute("PRAGMA synchronous=\(synchronous)")
        connection.isMisconfigured = false
        if case .failure = result { keys.didNotCommit(rootIndex: rootIndex) }
        return try result.get()
    }

    /// `Z_MAX` of a root entity, which is never negative here.
    func maximumKey(rootIndex: Int, _ connection: SQLiteConnection) throws -> Int64 {
        let read = try connection.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        defer { read.reset() }
        read.bind(1, Int64(schema.numbers[rootIndex]))
        // The column has no constraint: NULL reads as 0, and a file that was damaged or edited may
        // hold less.
        return try read.step() ? max(0, read.integer(0)) : 0
    }

    /// Raises `Z_MAX` of a root entity, inside a transaction.
    func raiseMaximumKey(
        rootIndex: Int,
        to key: Int64,
        _ connection: SQLiteConnection
    ) throws {
        let raise = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        raise.bind(1, key)
        raise.bind(2, Int64(schema.numbers[rootIndex]))
        try raise.run()
        // To SQLite an update of no row is a success, and the next save would be given the same
        // keys.
        guard connection.changeCount == 1 else {
            throw CocoaError.incompatibleSchema(
                file.url,
                "the table Z_PRIMARYKEY has no row for the entity "
                    + schema.model.entities[rootIndex].name
            )
        }
        keys.willCommit(rootIndex: rootIndex, maximum: key)
    }
}
