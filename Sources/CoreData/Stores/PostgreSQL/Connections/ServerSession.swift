#if PostgreSQL
import Dispatch
import Foundation

/// A connection that is made when it is needed and again after it was lost, with the queue that it
/// is used on.
///
/// > Threading: Any thread. Whoever asks waits; the network is used on the queue, also where main
///   asks.
final class ServerSession: @unchecked Sendable {
    // @unchecked: `connection` is touched on the queue only.

    let address: ServerAddress
    let queue: DispatchQueue
    private var connection: PostgreSQLConnection?
    /// Called on the queue with each new connection, before anything else uses it.
    private let prepare: @Sendable (PostgreSQLConnection) throws -> Void

    init(
        _ address: ServerAddress,
        label: String,
        prepare: @escaping @Sendable (PostgreSQLConnection) throws -> Void = { _ in }
    ) {
        self.address = address
        self.prepare = prepare
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    /// Runs `body` with the connection on the queue, and waits for it.
    ///
    /// - Throws: What `body` throws, or why there is no connection: a `PostgreSQLError` where the
    ///   server is the cause.
    func perform<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        // Not `sync`, by which Dispatch would run it on the caller's own thread: that may be main.
        try withoutActuallyEscaping(body) { body in
            let request = Request(body)
            let isDone = DispatchSemaphore(value: 0)
            queue.async {
                request.run(on: self)
                isDone.signal()
            }
            isDone.wait()
            return try request.answer()
        }
    }

    /// The same for what may be done twice: if the connection is lost, once more on a new one.
    func performRepeatably<Result>(
        _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        do {
            return try perform(body)
        } catch let error as PostgreSQLError where error.kind == .lost {
            return try perform(body)
        }
    }

    /// A body on its way to the queue and what it has given on its way back.
    private final class Request<Result>: @unchecked Sendable {
        // @unchecked: whoever asks waits until the queue is done with it.

        private var body: ((PostgreSQLConnection) throws -> Result)?
        private var outcome: Swift.Result<Result, any Error>?

        init(_ body: @escaping (PostgreSQLConnection) throws -> Result) { self.body = body }

        func run(on session: ServerSession) {
            guard let body else { return }
            outcome = Swift.Result { try session.withConnection(body) }
            // Let go of here: the block on the queue may end after the caller has gone on.
            self.body = nil
        }

        func answer() throws -> Result {
            guard let outcome else { fatalError("A block on a session's queue has not run.") }
            return try outcome.get()
        }
    }

    /// The same on the queue itself.
    func withConnection<Result>(
        _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        dispatchPrecondition(condition: .onQueue(queue))
        do {
            return try body(try connected())
        } catch let error as PostgreSQLError where error.isOutcomeUnknown {
            // The next one begins with a connection of its own.
            connection = nil
            throw error
        }
    }

    /// Lets go of the connection, when what is under way has ended.
    ///
    /// - Parameter body: Called on the queue before that.
    func close(_ body: @escaping @Sendable () -> Void = {}) {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { [self] in
            body()
            // On the queue, too: a connection says goodbye to its server.
            connection = nil
            isDone.signal()
        }
        isDone.wait()
    }

    private func connected() throws -> PostgreSQLConnection {
        // One that has ended while nobody used it has lost nothing.
        if let connection, connection.isAlive { return connection }
        connection = nil
        let made = try PostgreSQLConnection(address)
        try prepare(made)
        connection = made
        return made
    }
}

extension ServerSession {
    /// Runs `body`; what the server reports becomes a Cocoa error that names the store.
    func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as PostgreSQLError {
            throw error.cocoaError(address.url)
        }
    }
}
#endif
