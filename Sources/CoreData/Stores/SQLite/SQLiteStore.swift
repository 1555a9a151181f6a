import CSQLite
import Foundation

/// A store in an SQLite file, laid out as Apple's framework lays it out.
///
/// > Threading: Any thread. Reads run beside each other and beside the one write.
final class SQLiteStore: NSPersistentStore, RowStore, @unchecked Sendable {
    // @unchecked: `state` is behind its lock.

    private struct State {
        var open: OpenSQLiteStore?
        var watcher: StoreWatcher?
        /// The numbers of the entities that it has, also while it is closed: whoever fetches them
        /// is told that it is, and not that there are none.
        var numbers: [Int] = []
    }
    private let state = Locked(State())
    /// The metadata, with what is not in the file yet.
    let pendingMetadata = PendingMetadata()

    override var type: String { NSSQLiteStoreType }
    /// By triggers.
    var keepsDerivedValues: Bool { true }

    // MARK: Opening and closing

    func open(model: ModelLayout, entities: [EntityLayout]) throws {
        let file = try StoreFile(url ?? .nullDevice)
        let opening = try StoreOpening(file: file, options: options, isReadOnly: isReadOnly)
        let (open, metadata) = try translatingErrors {
            try opening.open(model: model, entities: entities)
        }
        identifier = metadata.uuid
        super.metadata = metadata.clientValues
        pendingMetadata.begin(with: metadata)
        state.withLock { state in
            state.open = open
            state.numbers = open.schema.numbers
        }
        // Throwaway stores bear one URL, /dev/null, and have a file each.
        if !open.settings.isVolatile { ledger?.share(file.path) }
        // One that its coordinator has already, and that moves: closing it has ended the watch.
        if let coordinator = persistentStoreCoordinator,
            coordinator.persistentStores.contains(where: { $0 === self })
        {
            try startWatching(for: coordinator)
        }
    }

    override func didAdd(to coordinator: NSPersistentStoreCoordinator) {
        do {
            // Not before: what is told goes to the coordinator's contexts, which find the store in
            // its list by now.
            try startWatching(for: coordinator)
        } catch {
            // A store that was closed meanwhile has nothing to watch.
        }
    }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { setWatcher(nil) }

    /// What tells of others' commits, if the store is watched.
    var watcher: StoreWatcher? { state.withLock { $0.watcher } }

    /// Replaces what tells of others' commits.
    func setWatcher(_ watcher: StoreWatcher?) {
        let old = state.withLock { state in
            defer { state.watcher = watcher }
            return state.watcher
        }
        // Outside of the lock, since the watcher releases others' objects.
        old?.stop()
    }

    func close() {
        setWatcher(nil)
        // Requests that come now find the store closed; those under way have `open` in hand, and
        // are waited for by its own `close`.
        let open = state.withLock { state in
            defer { state.open = nil }
            return state.open
        }
        // A store whose opening failed is closed all the same.
        guard let open else { return }
        open.close(metadata: pendingMetadata.take())
        if open.settings.isVolatile { removeThrowaway(open.file) }
    }

    /// What the store has while it is open.
    func opened() throws -> OpenSQLiteStore {
        guard let open = state.withLock({ $0.open }) else { throw CocoaError.storeIsClosed(url) }
        return open
    }

    /// Whether an entity, by its place in the model, is one of the store's.
    func hasTable(_ index: Int) -> Bool {
        state.withLock { $0.numbers.indices.contains(index) && $0.numbers[index] > 0 }
    }

    /// The row cache of an inheritance tree; nil if the store is closed.
    func cache(rootIndex: Int) -> RowCache? {
        state.withLock { $0.open }?.cache(rootIndex: rootIndex)
    }

    /// Runs `body`; what SQLite reports becomes a Cocoa error that names the store.
    func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }

    private func removeThrowaway(_ file: StoreFile) {
        do {
            try file.remove()
        } catch {
            // It is in the system's folder for temporary files, which is cleared in the end.
        }
    }

    // MARK: Metadata

    override var metadata: [String: Any]! {
        get { super.metadata }
        set { super.metadata = pendingMetadata.set(newValue ?? [:]) }
    }

    var hasChangedMetadata: Bool { state.withLock { $0.open } != nil && pendingMetadata.isChanged }

    // MARK: Stores that are not open

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        let file = try StoreFile(url)
        let opening = try StoreOpening(file: file, options: nil, isReadOnly: true)
        do {
            return try opening.readMetadata().clientValues
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }

    override class func setMetadata(
        _ metadata: [String: Any]?,
        forPersistentStoreAt url: URL
    ) throws {
        let file = try StoreFile(url)
        let opening = try StoreOpening(file: file, options: nil, isReadOnly: false)
        do {
            try opening.replaceMetadata(metadata ?? [:])
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }

    override class func isVacant(at url: URL) throws -> Bool {
        let opening = try StoreOpening(file: StoreFile(url), options: nil, isReadOnly: true)
        do {
            return try opening.isVacant()
        } catch let error as SQLiteError {
            throw error.cocoaError(url)
        }
    }

    /// Leaves an empty database, as Apple's framework does, without the files beside it.
    ///
    /// Whatever ends this, the file holds the whole store or nothing. Another process that has it
    /// open finds no tables.
    override class func destroyStore(at url: URL) throws {
        let file = try StoreFile(url)
        do {
            try StoreOpening(file: file, options: nil, isReadOnly: false).empty()
        } catch let error as SQLiteError {
            // What is no database, a damaged one, and one on a full disk, are removed as files.
            guard [SQLITE_NOTADB, SQLITE_CORRUPT].contains(error.code) || error.isDiskFull else {
                throw error.cocoaError(url)
            }
            try file.remove()
            // An empty database is left in each case, which the next opening sets up as a store.
            try file.makeEmpty()
        }
    }

    /// Removes the store with all its files. It must not be open.
    override class func removeStore(at url: URL) throws {
        guard !url.isNullDevice else { return }
        try StoreFile(url).remove()
    }

    /// Copies a store as it stands after its last commit; it may be in use.
    override class func replaceStore(
        at destination: URL,
        withStoreAt source: URL,
        willReplace: () throws -> Void
    ) throws {
        // Before the old store is removed from its coordinator: a source that can't be read or
        // copied leaves all as it was.
        let copy = try makeCopy(of: source, beside: destination)
        do {
            try willReplace()
            try copy.move(to: destination)
        } catch {
            try copy.remove()
            throw error
        }
    }
}
