#if PostgreSQL
import Foundation

/// A barrier for stores that follow a server.
extension NSPersistentStoreCoordinator {
    /// Brings the stores up to date with their servers, and calls back.
    ///
    /// Fetches find what this machine has been told, which is mostly a few milliseconds behind. After
    /// the callback they find all that was saved on any machine before this was called, and the
    /// remote-change notifications of it are posted. Contexts show it when it is merged, as after any
    /// save of others. Stores that have no server are always up to date.
    ///
    /// > Threading: Any thread. It returns at once, and never waits for a network.
    ///
    /// - Parameters:
    ///   - timeout: Seconds after which the handler is called with an error, whatever the servers do;
    ///     the stores go on by themselves. Nil waits as long as `NSPersistentStoreTimeoutOption` has
    ///     each connection wait.
    ///   - completionHandler: Called once, on a queue of its own: with nil, or with the first error.
    ///     That is `NSPersistentStoreTimeoutError` where it took too long, and what says why a server
    ///     can't be asked else.
    public func catchUpWithServers(
        timeout: TimeInterval? = nil,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let stores = persistentStores.compactMap { $0 as? PostgreSQLStore }
        let barrier = ServerBarrier(stores.count, completionHandler)
        for store in stores { store.catchUp { barrier.arrive($0) } }
        guard let timeout, let store = stores.first else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { [url = store.url] in
            barrier.giveUp(CocoaError.serverIsLate(url))
        }
    }

    /// Brings the stores up to date with their servers; see
    /// ``catchUpWithServers(timeout:completionHandler:)``.
    ///
    /// - Parameter timeout: Seconds after which an error is thrown, whatever the servers do.
    /// - Throws: `NSPersistentStoreTimeoutError` where it took too long; what says why a server can't
    ///   be asked.
    public func catchUpWithServers(timeout: TimeInterval? = nil) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            catchUpWithServers(timeout: timeout) { error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume()
                }
            }
        }
    }
}

/// Waits for several stores, and calls back once.
private final class ServerBarrier: Sendable {
    private struct State {
        var missing: Int
        var error: (any Error)?
        var handler: (@Sendable ((any Error)?) -> Void)?
    }
    private let state: Locked<State>

    init(_ count: Int, _ handler: @escaping @Sendable ((any Error)?) -> Void) {
        state = Locked(State(missing: count, handler: handler))
        if count == 0 { finish(nil) }
    }

    func arrive(_ result: Result<Void, any Error>) {
        let (isLast, error) = state.withLock { state in
            state.missing -= 1
            if case .failure(let error) = result { state.error = state.error ?? error }
            return (state.missing == 0, state.error)
        }
        if isLast { finish(error) }
    }

    func giveUp(_ error: any Error) { finish(error) }

    private func finish(_ error: (any Error)?) {
        let handler = state.withLock { state in
            defer { state.handler = nil }
            return state.handler
        }
        // Never on the caller's thread, which may hold what the handler needs.
        if let handler { DispatchQueue.global().async { handler(error) } }
    }
}
#endif
