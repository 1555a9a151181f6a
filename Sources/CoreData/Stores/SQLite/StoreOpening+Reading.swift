import CSQLite
import Foundation

/// What a file says of itself, without opening it as a store, and the connections to look with.
extension StoreOpening {
    /// Whether there is nothing to lose: no file, or a database without tables, as
    /// `destroyPersistentStore` leaves it, and a process that was killed while it made a store.
    func isVacant() throws -> Bool {
        guard file.exists else { return true }
        let (connection, _) = try readingConnection(leavesNoLog: false)
        return try connection.integer("SELECT COUNT(*) FROM sqlite_master") == 0
    }

    /// Ends what a crash has left half done, if the file has a journal of the older kind: only a
    /// connection that can write is able to.
    func recover() throws {
        guard file.exists, file.hasRollbackJournal else { return }
        try file.checkHeader()
        // The first reading rolls the journal back.
        _ = try writingConnection().integer("SELECT COUNT(*) FROM sqlite_master")
    }

    func readMetadata() throws -> StoreMetadata { try metadata(in: readingConnection().0) }

    /// - Throws: 259 for an empty database.
    func metadata(in connection: SQLiteConnection) throws -> StoreMetadata {
        guard let metadata = try StoreMetadata(in: connection, url: file.url) else {
            throw CocoaError.emptyDatabase(file.url)
        }
        return metadata
    }

    func readCachedModel() throws -> NSManagedObjectModel {
        let (connection, _) = try readingConnection()
        guard let metadata = try StoreMetadata(in: connection, url: file.url) else {
            throw CocoaError.emptyDatabase(file.url)
        }
        let model = NSManagedObjectModel()
        try ModelCache.read(into: model, in: connection, metadata: metadata, url: file.url)
        return model
    }

    func replaceMetadata(_ values: [String: Any]) throws {
        guard file.exists else {
            throw CocoaError.noSuchFile(file.url, "add the store to a coordinator to make it")
        }
        try file.checkHeader()
        let connection = try writingConnection()
        try connection.transaction {
            guard var metadata = try StoreMetadata(in: connection, url: file.url) else {
                throw CocoaError.emptyDatabase(file.url)
            }
            metadata.set(values)
            // Unlike in `StoreMetadata.set`: the IDs of an open store's objects have its UUID in
            // them, so that it may not change under them.
            if let uuid = values[NSStoreUUIDKey] as? String, UUID(uuidString: uuid) != nil {
                metadata.uuid = uuid
            }
            try metadata.write(to: connection, url: file.url)
        }
    }

    /// A connection to an existing file.
    ///
    /// - Throws: 513 or 642 for one that may not be written; what SQLite reports.
    func writingConnection() throws -> SQLiteConnection {
        try file.checkMayBeWritten()
        let connection = try SQLiteConnection(settings)
        try connection.configure(settings)
        return connection
    }

    /// A connection that only reads.
    ///
    /// On read-only media there is no place for the `-shm` file that a WAL needs. Without a WAL the
    /// file can be read all the same, and with one by whoever is alone with it.
    ///
    /// - Parameter leavesNoLog: Whether the empty log that reading makes is removed in the end; a
    ///   waste of time if the store is opened next.
    func readingConnection(
        leavesNoLog: Bool = true
    ) throws -> (SQLiteConnection, ConnectionSettings) {
        guard file.exists else {
            throw CocoaError.noSuchFile(
                file.url,
                "check the path, or add the store without NSReadOnlyPersistentStoreOption to make it"
            )
        }
        try file.checkHeader()
        // Before anything is opened: reading makes a log where there is none.
        let hasLog = FileManager.default.fileExists(atPath: file.path + "-wal")
        do {
            var settings = settings
            settings.removesEmptyLog = leavesNoLog && settings.isReadOnly && !hasLog
            return try (readingConnection(settings), settings)
        } catch {
            // With a journal of the older kind, the file alone is not the store.
            guard error.code == SQLITE_CANTOPEN || error.code == SQLITE_READONLY,
                !file.hasRollbackJournal,
                !hasLog || !FileManager.default.fileExists(atPath: file.path + "-shm")
            else { throw error }
            var alone = settings
            alone.isReadOnly = true
            if hasLog { alone.isUnshared = true } else { alone.isImmutable = true }
            return try (readingConnection(alone), alone)
        }
    }

    private func readingConnection(
        _ settings: ConnectionSettings
    ) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(settings)
        try connection.configure(settings)
        // Opening does not touch the file. The first reading tells whether it can be used.
        _ = try connection.integer("SELECT COUNT(*) FROM sqlite_master")
        if settings.isReadOnly { file.openCompanions() }
        return connection
    }
}
