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

    /// - Parameter connection: Confined to the caller.
    func open(_ connection: PostgreSQLConnection) throws -> SQLiteStore {
        if let store = try existing(connection) {
            progress?.totalUnitCount = 1
            finishProgress()
            return store
        }
        // Whatever is there holds nothing that the server has not got.
        try SQLiteStore.removeStore(at: place.url)
        let store = makeStore()
        do {
            try store.open(model: schema.store.model, entities: entities)
            // In one transaction: a copy that was cut off is none, and made anew.
            let copy = FirstCopy(
                schema: schema,
                replica: store,
                store: owner.identifier ?? "",
                progress: progress
            )
            try copy.run(connection)
            finishProgress()
            return store
        } catch {
            store.close()
            throw error
        }
    }

    private var progress: Progress? { owner.options?[PostgreSQLProgressOption] as? Progress }

    private func finishProgress() {
        if let progress { progress.completedUnitCount = progress.totalUnitCount }
    }

    /// Nil if there is none, or none that can be used.
    private func existing(_ connection: PostgreSQLConnection) throws -> SQLiteStore? {
        guard FileManager.default.fileExists(atPath: place.url.path) else { return nil }
        let store = makeStore()
        do {
            try store.open(model: schema.store.model, entities: entities)
            if try store.origin().store == owner.identifier, try isFollowed(store, connection) {
                return store
            }
        } catch let error as PostgreSQLError {
            store.close()
            throw error
        } catch {
            // Damaged, or of another model: the copy is made anew, and says so if that fails, too.
        }
        store.close()
        return nil
    }

    /// Whether the replica can be brought up to date. What a server has lost, the first following
    /// finds, but it needs to write a number for that.
    private func isFollowed(
        _ store: SQLiteStore,
        _ connection: PostgreSQLConnection
    ) throws -> Bool {
        guard owner.isReadOnly else { return true }
        let reader = FeedReader(schema: schema, connection: connection, url: url)
        return try reader.place(of: store.lastTransactionNumber() ?? 0)
            .continues(store.origin(), url: url)
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
#endif
