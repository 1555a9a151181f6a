import CSQLite
import Foundation

extension SQLiteStore: MigratingStore {
    static var migrating: (any MigratingStore.Type)? { self }

    static func rowCounts(at url: URL) throws -> [String: Int] {
        // An entity that can't be counted must not pass for one without rows, which may be dropped.
        let inspection = try NSPersistentStoreCoordinator.inspection(
            ofSQLiteStoreAt: url,
            endsAtDamage: true
        )
        return Dictionary(
            inspection.entities.map { ($0.name, $0.rowCount) },
            uniquingKeysWith: { $0 + $1 }
        )
    }

    static func recover(at url: URL, options: [AnyHashable: Any]?) throws {
        let opening = try StoreOpening(file: StoreFile(url), options: options, isReadOnly: false)
        do {
            try opening.recover()
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }

    /// Whether a store's file is of this version of the entities, so that it opens without a
    /// migration.
    static func isCompatible(
        at url: URL,
        options: [AnyHashable: Any]?,
        with version: StoreVersion
    ) throws -> Bool {
        let opening = try StoreOpening(file: StoreFile(url), options: options, isReadOnly: true)
        do {
            // Reading only: a store that fits must not be changed by the question, and a forecast
            // leaves nothing beside it.
            let (connection, _) = try opening.readingConnection()
            return try opening.metadata(in: connection).isCompatible(with: version, in: connection)
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }

    /// Migrates a store's file in place, where the mapping can be inferred.
    ///
    /// The store keeps its UUID, its rows their primary keys and versions. Whatever ends this, the
    /// file holds either the old store or the new one.
    ///
    /// > Threading: Any thread. Another process that has the store open reads the old rows until
    /// > this returns; one that writes is waited for.
    ///
    /// - Parameters:
    ///   - source: The model that the file was made with.
    ///   - destination: A model to which `InferenceProblem` sees the way.
    /// - Throws: 134110 for rows that the destination does not allow, 134111 for its uniqueness
    ///   constraints; what SQLite reports.
    static func migrate(
        at url: URL,
        options: [AnyHashable: Any]?,
        from source: StoreVersion,
        to destination: StoreVersion
    ) throws {
        let file = try StoreFile(url)
        try file.checkHeader()
        let opening = try StoreOpening(file: file, options: options, isReadOnly: false)
        do {
            try opening.migrate(from: source, to: destination)
        } catch let error as SQLiteError {
            throw CocoaError.migration(
                url,
                "SQLite stopped it; see the underlying error",
                underlying: error.cocoaError(url)
            )
        }
    }
}

extension StoreOpening {
    fileprivate func migrate(from source: StoreVersion, to destination: StoreVersion) throws {
        let connection = try writingConnection()
        try connection.transaction {
            guard let metadata = try StoreMetadata(in: connection, url: file.url) else {
                throw CocoaError.emptyDatabase(file.url)
            }
            // Another process may have been here while this one waited.
            guard !metadata.isCompatible(with: destination, in: connection) else { return }
            // Under the transaction's lock, as all that follows: what was found out before it began
            // may be out of date.
            try metadata.checkCompatible(with: source.entities, url: file.url)
            let old = try StoreSchema(model: source.layout, entities: source.entities)
                .resolved(in: connection, url: file.url)
            try old.boundForeignTriggers(on: connection)
            let new = StoreSchema(model: destination.layout, entities: destination.entities)
            let migration = StoreMigration(
                SchemaMigration(from: old, to: new),
                on: connection,
                file: file
            )
            try migration.run()
            try metadata.migrated(to: destination.entities).write(to: connection, url: file.url)
            // Stores of before iOS 9 have no such table.
            try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
            if let model = destination.entities.first?.entity.model {
                try ModelCache.write(model, to: connection)
            }
        }
        // After the commit: until then a crash brings back rows that need the old files.
        do {
            try ExternalDataSweep(connection, file).run()
        } catch {
            // No row refers to the files any more; the next sweep removes them.
        }
        connection.finalizeStatements()
        Checkpointer.checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE)
    }
}

extension StoreMetadata {
    /// Whether the store was made with this version of the entities.
    ///
    /// Where hashes can't tell, since Apple's framework has others for entities with derived
    /// attributes, the tables do.
    fileprivate func isCompatible(
        with version: StoreVersion,
        in connection: SQLiteConnection
    ) -> Bool {
        let hashes = ModelVersion.hashes(of: version.entities.map(\.entity))
        if ModelVersion.hashes(inMetadata: values) == hashes { return true }
        do {
            try checkCompatible(with: version.entities, url: nil)
            _ = try StoreSchema(model: version.layout, entities: version.entities)
                .resolved(in: connection, url: nil)
            return true
        } catch {
            return false
        }
    }

    /// The same with the hashes of other entities: the UUID stays, and what the client put in.
    fileprivate func migrated(to entities: [EntityLayout]) -> StoreMetadata {
        var result = StoreMetadata(entities: entities)
        // What the format says of the model is the destination's; only what that lacks is the
        // client's.
        result.values.merge(values) { new, _ in new }
        result.uuid = uuid
        return result
    }
}
