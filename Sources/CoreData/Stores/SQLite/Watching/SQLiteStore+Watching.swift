import Foundation

extension SQLiteStore {
    /// Begins to tell the coordinator of what others commit to the file, if the options ask for
    /// remote-change notifications.
    func startWatching(for coordinator: NSPersistentStoreCoordinator) throws {
        guard options.isOn(NSPersistentStoreRemoteChangeNotificationPostOptionKey) else { return }
        let open = try opened()
        guard !open.settings.isVolatile else { return }
        let probe = ForeignCommitProbe(open)
        // Weak, since the store keeps the watcher, and the coordinator the store.
        let ownStore = WeakHold<SQLiteStore>(self), ownCoordinator = WeakHold(coordinator)
        let watcher = StoreWatcher(open.file) {
            probe.version
        } onChange: {
            guard let store = ownStore.object, let coordinator = ownCoordinator.object else {
                return
            }
            coordinator.postRemoteChange(of: store)
        }
        setWatcher(watcher)
    }
}

/// Tells whether anyone else has committed to a store's file.
///
/// > Threading: One thread at a time.
final class ForeignCommitProbe: @unchecked Sendable {
    // @unchecked: used on the watcher's queue only, but for the first time, before that has begun.

    // The watcher must not keep open what the coordinator has closed.
    private weak var store: OpenSQLiteStore?
    /// For a store that has no writer.
    private var reader: SQLiteConnection?

    init(_ store: OpenSQLiteStore) { self.store = store }

    /// The file's content, which does not change by the writer's own commits; a store that can't
    /// write has no commits of its own.
    ///
    /// Source: "PRAGMA data_version", at sqlite.org.
    var version: StoreWatcher.Content? {
        guard let store else { return nil }
        let pragma = "PRAGMA data_version"
        do {
            guard store.settings.isReadOnly else {
                return try store.withWriter { writer in
                    try writer.connection.integer(pragma).map {
                        StoreWatcher.Content(version: $0, connection: writer.number)
                    }
                }
            }
            // One connection for all times, so that the numbers compare.
            if reader == nil { reader = try SQLiteConnection(store.settings) }
            return try reader?.integer(pragma)
                .map { StoreWatcher.Content(version: $0, connection: 0) }
        } catch {
            // Whoever uses the store next is told; a file that is back is looked at again.
            return nil
        }
    }
}
