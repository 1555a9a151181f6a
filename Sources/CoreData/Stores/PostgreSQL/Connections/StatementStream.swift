#if PostgreSQL
import Dispatch
import Foundation

/// A transaction whose statements go to a server in parts, while whoever makes them goes on with the
/// next ones.
///
/// > Threading: One thread at a time. The network is used on the session's queue.
final class StatementStream: @unchecked Sendable {
    // @unchecked: `outcome` is set before the semaphore tells.

    private typealias Part = (commands: [PostgreSQLCommand], isLast: Bool)

    private let parts = Locked<[Part]>([])
    private let arrivals = DispatchSemaphore(value: 0)
    private let isDone = DispatchSemaphore(value: 0)
    private var outcome: Result<Void, any Error>?
    private var hasEnded = false

    init(_ session: ServerSession) {
        session.queue.async { [self] in
            outcome = Result {
                try session.withConnection { _ = try $0.run(next) }
            }
            isDone.signal()
        }
    }

    /// Sends statements that others follow.
    func add(_ commands: [PostgreSQLCommand]) { give((commands, isLast: false)) }

    /// Sends the last statements, and waits for the server.
    ///
    /// - Throws: Why there is no connection, and what the server has refused.
    func end(_ commands: [PostgreSQLCommand]) throws {
        hasEnded = true
        give((commands, isLast: true))
        isDone.wait()
        guard let outcome else { fatalError("A block on a session's queue has not run.") }
        try outcome.get()
    }

    /// Has the server undo the transaction, if it has not ended.
    func abandon() {
        guard !hasEnded else { return }
        do {
            try end([PostgreSQLCommand("ROLLBACK")])
        } catch {
            // Nothing is there to undo: the server has refused a statement, or the connection is lost
            // with its transaction.
        }
    }

    private func give(_ part: Part) {
        parts.withLock { $0.append(part) }
        arrivals.signal()
    }

    private func next() -> Part {
        arrivals.wait()
        return parts.withLock { $0.removeFirst() }
    }
}
#endif
