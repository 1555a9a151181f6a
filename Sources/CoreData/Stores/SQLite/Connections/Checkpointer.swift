import CSQLite
import Dispatch
import Foundation

/// Copies the WAL into the database on a queue of its own, so that no save waits for it.
///
/// > Threading: Any thread.
final class Checkpointer: @unchecked Sendable {
    // @unchecked: `connection` is touched on `queue` only.

    /// When so many pages of the WAL are not copied, a checkpoint is due: a quarter of SQLite's own
    /// default for automatic checkpoints.
    // A save that is committed while the database is synced waits until the disk has all that was
    // copied: for some 10 ms with 1,000 pages.
    private static let duePageCount = 250
    /// From this size of the WAL on it cannot wait: the writer does it, so that a long import with
    /// saves in close succession does not leave the background behind, and the WAL begins anew.
    private static let urgentPageCount = 16_000

    private struct State {
        var isPending = false
        var isClosed = false
        /// How many pages of the WAL the last checkpoint has found copied. While saves follow each
        /// other closely the WAL seldom begins anew, and its size alone would make a checkpoint, which
        /// waits for the disk twice, due after each of them.
        var copiedPageCount = 0
    }
    private let settings: ConnectionSettings
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "CoreData.SQLiteStore.checkpoint", qos: .utility)
    private var connection: SQLiteConnection?

    init(_ settings: ConnectionSettings) { self.settings = settings }

    /// Has a checkpoint made soon, if one is due and none is to come already.
    ///
    /// - Parameter pageCount: The size of the WAL after a commit.
    func didCommit(pageCount: Int) {
        let isFirst = state.withLock { state in
            // It has begun anew.
            if pageCount < state.copiedPageCount { state.copiedPageCount = 0 }
            guard pageCount - state.copiedPageCount >= Self.duePageCount, !state.isPending,
                !state.isClosed
            else { return false }
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

    /// Makes a checkpoint if the WAL has become too large. The caller has the writer's lock: the saves
    /// that make the WAL grow have to wait for it.
    ///
    /// - Parameter connection: The writer's, after its commit.
    func relieve(_ connection: SQLiteConnection) {
        guard connection.walPageCount >= Self.urgentPageCount else { return }
        note(Self.checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE))
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
            note(Self.checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE))
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

    private func note(_ copied: Int?) {
        guard let copied else { return }
        state.withLock { $0.copiedPageCount = copied }
    }

    /// Makes a checkpoint. What cannot be copied now, since a reader needs it or the disk refuses,
    /// is left for later: it is safe in the WAL, so that SQLite's result makes no difference.
    ///
    /// - Returns: How many pages of the WAL are copied; nil if SQLite can't tell.
    @discardableResult
    static func checkpoint(_ connection: SQLiteConnection, _ mode: Int32) -> Int? {
        var copied: Int32 = -1
        sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, nil, &copied)
        return copied < 0 ? nil : Int(copied)
    }
}
