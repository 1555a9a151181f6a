import Dispatch
import Foundation

/// The reading connections of a store: the one returned last is handed out first, since its
/// pages and statements are warm.
///
/// > Threading: Any thread. A connection has one user at a time.
final class ConnectionPool: @unchecked Sendable {
    // @unchecked: `idle` and `isClosed` are in `state`, behind its lock.

    private struct State {
        var idle: [SQLiteConnection] = []
        var isClosed = false
        var userCount = 0
        /// What waits for a moment without users.
        var idleActions: [@Sendable () -> Void] = []
    }
    let settings: ConnectionSettings
    private let url: URL?
    private let state = Locked(State())
    private let users = DispatchGroup()

    init(_ settings: ConnectionSettings, url: URL?) {
        self.settings = settings
        self.url = url
    }

    /// Runs `body` with a connection of its own.
    func withConnection<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try lend()
        defer { takeBack(connection) }
        return try body(connection)
    }

    /// Hands out a connection; `close()` waits until it is given to `takeBack(_:)`.
    func lend() throws -> SQLiteConnection {
        let idle: SQLiteConnection? = try state.withLock { state in
            guard !state.isClosed else { throw CocoaError.storeIsClosed(url) }
            // Under the lock that `close()` sets its flag with: nobody can come in between the flag
            // and the wait for users.
            users.enter()
            state.userCount += 1
            return state.idle.popLast()
        }
        if let idle { return idle }
        do {
            // Opened outside of the lock: its pragmas may wait for a lock of another process.
            return try open()
        } catch {
            leave()
            throw error
        }
    }

    /// Takes a connection whose user is done with it.
    func takeBack(_ connection: SQLiteConnection) {
        putBack(connection)
        // Last: once `close()` has waited, all connections are idle.
        leave()
    }

    /// Waits for the users and closes all connections; later requests throw.
    func close() {
        state.withLock { $0.isClosed = true }
        users.wait()
        // After the wait, when each user has put its connection back.
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { connection.finalizeStatements() }
    }

    /// Runs an action as soon as nobody reads: what is running now may need what was committed
    /// before, later reads do not.
    func whenIdle(_ action: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.userCount > 0 { state.idleActions.append(action) }
            return state.userCount == 0
        }
        if isIdle { action() }
    }

    private func leave() {
        let actions = state.withLock { state -> [@Sendable () -> Void] in
            state.userCount -= 1
            guard state.userCount == 0, !state.idleActions.isEmpty else { return [] }
            defer { state.idleActions = [] }
            return state.idleActions
        }
        // Outside of the lock, since the action is not ours; before `users.leave()`, so that
        // `close()` waits for it as well.
        for action in actions { action() }
        users.leave()
    }

    private func open() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(settings)
        try connection.configure(settings)
        return connection
    }

    private func putBack(_ connection: SQLiteConnection) {
        // It would go on reading the past.
        guard !connection.mustBeClosed else { return connection.finalizeStatements() }
        // The connection that is not kept is closed outside the lock.
        state.withLock { state in
            if state.idle.count < settings.idleLimit { state.idle.append(connection) }
        }
    }
}
