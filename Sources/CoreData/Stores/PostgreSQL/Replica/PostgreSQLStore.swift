#if PostgreSQL
import Foundation

/// Option: the name of the schema in the database that has the store's tables, a text; `coredata`
/// by default. Several stores may be in one database, each in a schema of its own.
public let PostgreSQLSchemaOption = "PostgreSQLSchemaOption"
/// Option: the folder for the copies of the store's rows on this machine, a URL; by default a folder
/// among the user's caches.
public let PostgreSQLReplicaFolderOption = "PostgreSQLReplicaFolderOption"
/// Option: a `Progress` that tells how far the copy of the store's rows is which a machine makes when
/// it opens the store for the first time.
///
/// Its total is set when the server has counted the rows; one unit more is for the end. It is finished
/// at once where a copy is there already. Cancelling it ends the opening with
/// `CocoaError.userCancelled`. It is set on a queue of the store's.
public let PostgreSQLProgressOption = "PostgreSQLProgressOption"
/// Option: a Boolean that has requests which delete history delete it on the server, too, for all
/// machines.
///
/// A machine that has not read by then what is deleted copies its rows anew, and history requests by
/// its older tokens say that they have expired.
public let PostgreSQLTrimsServerHistoryOption = "PostgreSQLTrimsServerHistoryOption"

extension NSPersistentStore.StoreType {
    /// A store in a database of PostgreSQL, which many machines share.
    public static let postgreSQL = NSPersistentStore.StoreType(
        rawValue: PostgreSQLStore.typeName
    )
}

/// A store in PostgreSQL that many processes share, on one machine or on many.
///
/// Saves go to the server. Reads come from a replica, an SQLite store that is private to this one
/// and follows the server's feed of changes: a fault never waits for a network.
///
/// > Threading: Any thread.
final class PostgreSQLStore: NSPersistentStore, RowStore, @unchecked Sendable {
    // @unchecked: `current` is behind its lock.

    static let typeName = "PostgreSQL"

    /// What the store has while it is open.
    private let current = Locked<OpenPostgreSQLStore?>(nil)
    /// The metadata, with what the server has not got yet.
    let pendingMetadata = PendingMetadata()
    /// The store on the server, if opening has made it.
    private let made = Locked<ServerStore?>(nil)
    /// Where observers are called: they may save, and wait for the feed then.
    private let announcements = DispatchQueue(label: "CoreData.PostgreSQLStore.announcements")

    override var type: String { Self.typeName }
    override class var isFile: Bool { false }
    /// By the replica's triggers.
    var keepsDerivedValues: Bool { true }

    // MARK: Opening and closing

    func open(model: ModelLayout, entities: [EntityLayout]) throws {
        let place = try ServerStore(url, options: options)
        let schema = ServerSchema(
            name: place.name,
            store: StoreSchema(model: model, entities: entities)
        )
        let session = ServerSession(place.address, label: "CoreData.PostgreSQLStore.saves")
        let folder = try place.replicaFolder(options)
        let isReadOnly = isReadOnly
        let (metadata, replica, replicaPlace) = try session.translatingErrors {
            try session.perform { connection in
                let opening = ServerOpening(schema: schema, place: place, isReadOnly: isReadOnly)
                let (metadata, isMade) = try opening.open(connection)
                if isMade { made.withLock { $0 = place } }
                // Object IDs begin with it: the same on all machines.
                identifier = metadata.uuid
                let replicaPlace = try ReplicaPlace(in: folder)
                let replica = try ReplicaOpening(
                    place: replicaPlace,
                    schema: schema,
                    owner: self,
                    entities: entities,
                    url: place.address.url
                )
                .open(connection)
                return (metadata, replica, replicaPlace)
            }
        }
        let own = WeakHold<PostgreSQLStore>(self)
        let open = try OpenPostgreSQLStore(
            session: session,
            schema: schema,
            replica: replica,
            place: replicaPlace,
            isReadOnly: isReadOnly
        ) { touched in
            own.object?.replicaDidChange(touched, model)
        }
        super.metadata = metadata.clientValues
        pendingMetadata.begin(with: metadata)
        current.withLock { $0 = open }
        do {
            // The store begins with what others had saved when it was added.
            try catchUp(open)
        } catch {
            close()
            throw error
        }
        open.feed.start()
    }

    func close() {
        let open = current.withLock { current in
            defer { current = nil }
            return current
        }
        open?.close()
    }

    /// What the store has while it is open.
    func opened() throws -> OpenPostgreSQLStore {
        guard let open = current.withLock({ $0 }) else { throw CocoaError.storeIsClosed(url) }
        return open
    }

    /// What the store reads from.
    func replica() throws -> SQLiteStore { try opened().replica }

    /// Has the replica be as the server is now.
    func catchUp(_ open: OpenPostgreSQLStore) throws {
        try open.session.translatingErrors { try open.feed.catchUp() }
    }

    /// The same without waiting.
    ///
    /// - Parameter completion: Called on a queue of the store's, after the observers of the remote
    ///   change.
    func catchUp(_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        do {
            let open = try opened()
            open.feed.catchUp { [announcements] result in
                announcements.async {
                    completion(Result { try open.session.translatingErrors { try result.get() } })
                }
            }
        } catch {
            announcements.async { completion(.failure(error)) }
        }
    }

    // MARK: Changes

    private func replicaDidChange(_ touched: TouchedRows, _ model: ModelLayout) {
        if let ledger {
            var contents: [CommitLedger.Key: CommitLedger.Content] = [:]
            for (root, rows) in touched.properties {
                for key in rows.keys {
                    for isOfToMany in [false, true] {
                        var ledgerKey = model.entities[root].ledgerKey(key)
                        ledgerKey.isOfToMany = isOfToMany
                        contents[ledgerKey] = .foreign
                    }
                }
            }
            ledger.commit(contents, number: CommitLedger.next())
        }
        announcements.async { [self] in
            persistentStoreCoordinator?.postRemoteChange(of: self)
        }
    }

    // MARK: Metadata

    override var metadata: [String: Any]! {
        get { super.metadata }
        set { super.metadata = pendingMetadata.set(newValue ?? [:]) }
    }

    var hasChangedMetadata: Bool { current.withLock { $0 } != nil && pendingMetadata.isChanged }

    // MARK: Stores that need not be open

    // The options say which schema is meant, and where replicas are.

    /// Whether opening the store has made it on the server, so that nobody else has rows there.
    var isNew: Bool { made.withLock { $0 } != nil }

    override class func metadata(
        at url: URL,
        options: [AnyHashable: Any]?
    ) throws -> [String: Any] {
        let store = try ServerStore(url, options: options)
        return try store.perform { try store.existingMetadata($0).clientValues }
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try metadata(at: url, options: nil)
    }

    override class func setMetadata(
        _ metadata: [String: Any]?,
        at url: URL,
        options: [AnyHashable: Any]?
    ) throws { try ServerStore(url, options: options).replaceMetadata(metadata ?? [:]) }

    override class func setMetadata(
        _ metadata: [String: Any]?,
        forPersistentStoreAt url: URL
    ) throws { try setMetadata(metadata, at: url, options: nil) }

    override class func isVacant(at url: URL, options: [AnyHashable: Any]?) throws -> Bool {
        let store = try ServerStore(url, options: options)
        return try store.perform { try store.metadata($0) == nil }
    }

    /// Drops what the store has made on the server, and this machine's replicas that nobody uses.
    override class func destroyStore(at url: URL, options: [AnyHashable: Any]?) throws {
        let store = try ServerStore(url, options: options)
        try store.destroy()
        try ReplicaPlace.removeReplicas(in: store.replicaFolder(options))
    }

    override class func removeStore(at url: URL) throws { try destroyStore(at: url, options: nil) }

    override func undoMaking() throws {
        let made = made.withLock { made in
            defer { made = nil }
            return made
        }
        guard let made else { return }
        try made.destroy()
        try ReplicaPlace.removeReplicas(in: made.replicaFolder(options))
    }

    override class func store(
        of coordinator: NSPersistentStoreCoordinator,
        at url: URL,
        options: [AnyHashable: Any]?
    ) -> NSPersistentStore? {
        // Several stores may be in one database.
        coordinator.persistentStores.first { store in
            store is PostgreSQLStore && store.url == url
                && ServerStore.schema(store.options) == ServerStore.schema(options)
        }
    }

    /// Refused: machines that have the store open can't be given another one in one step.
    override class func replaceStore(
        at destination: URL,
        withStoreAt source: URL,
        willReplace: () throws -> Void
    ) throws { throw CocoaError.serverStoreIsNotReplaced(destination) }
}
#endif
