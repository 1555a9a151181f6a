import CSQLite
import Dispatch
import Foundation

/// Copies the WAL into the database on a queue of its own, so that no save waits for it.
///
/// > Threading: Any thread.
final class Checkpointer: @unchecked Sendable {
    // @unchecked: `connection` is touched on `queue` only.

    /// From this size of the WAL on, a checkpoint is due.
    // SQLite's own default for automatic checkpoints.
    static let duePageCount = 1_000
    /// From this size on it cannot wait: the writer does it, so that a long import with saves in
    /// close succession does not leave the background behind.
    static let urgentPageCount = 16_000

    private struct State {
        var isPending = false
        var isClosed = false
    }
    private let settings: ConnectionSettings
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "CoreData.SQLiteStore.checkpoint", qos: .utility)
    private var connection: SQLiteConnection?

    init(_ settings: ConnectionSettings) { self.settings = settings }

    /// Has a checkpoint made soon, if none is due already.
    func schedule() {
        let isFirst = state.withLock { state in
            guard !state.isPending, !state.isClosed else { return false }
            state.isPending = true
            return true
        }
        guard isFirst else { return }
        queue.async { [self] in
            // Before the work: a commit that comes while it runs may be missed by it, and asks
            // again.
            state.withLock { $0.isPending = false }
            checkpoint()
        }
    }

    /// Waits for a checkpoint under way; there are none afterwards.
    func close() {
        // First, so that a block that waits in the queue finds it and opens no connection again.
        state.withLock { $0.isClosed = true }
        queue.sync { connection = nil }
    }

    private func checkpoint() {
        guard !state.withLock({ $0.isClosed }) else { return }
        do {
            let connection = try self.connection ?? open()
            self.connection = connection
            // Passive: waits neither for readers nor for the writer
            // (sqlite.org/c3ref/wal_checkpoint_v2.html). What they still need is copied the next
            // time.
            Checkpointer.checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE)
        } catch {
            // Nothing is lost: the rows are in the WAL, and the next save tries again.
            connection = nil
        }
    }

    private func open() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(settings)
        try connection.configure(settings)
        return connection
    }

    /// Makes a checkpoint. What cannot be copied now, since a reader needs it or the disk refuses,
    /// is left for later: it is safe in the WAL, so that SQLite's result makes no difference.
    static func checkpoint(_ connection: SQLiteConnection, _ mode: Int32) {
        sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, nil, nil)
    }
}
