#if PostgreSQL
import CPostgreSQL
import Foundation
import Synchronization
import Threads

/// A statement with its values, on its way to a server.
struct PostgreSQLCommand: Sendable {
    let sql: String
    var parameters: [PostgreSQLParameter] = []

    init(_ sql: String, _ parameters: [PostgreSQLParameter] = []) {
        self.sql = sql
        self.parameters = parameters
    }

    /// Has the rest of a transaction find rows by indexes.
    ///
    /// A server keeps the plan of a statement as long as it has learned nothing new of the tables. One
    /// that was made while they had few rows reads all of them, and goes on so when there are many.
    /// Not by `enable_seqscan`, whose costs outweigh all differences between the plans that are left
    /// where a table without an index is among them. Nor does a server compile what it believes to be
    /// long.
    static let byIndexes = PostgreSQLCommand(
        "SELECT set_config('seq_page_cost', '100', true), set_config('jit', 'off', true)"
    )
}

/// One connection to a server.
///
/// libpq itself waits for an answer as long as it takes, and a server that is frozen gives none.
/// So nothing here blocks but a `poll` with a limit, which begins anew whenever something arrives.
///
/// > Threading: One user at a time: the queue of its `ServerSession`.
final class PostgreSQLConnection: @unchecked Sendable {
    // @unchecked: used on the session's queue only.

    /// How many times any connection has waited for a server while the main queue waited, which
    /// tests look at.
    static let mainQueueWaits = Atomic<Int>(0)
    private static let oldestVersion: Int32 = 130_000

    private let handle: OpaquePointer
    private let patience: Int32
    private var statements = PreparedStatements()

    /// Connects.
    ///
    /// - Throws: `PostgreSQLError`; 134080 for a server that is too old.
    init(_ address: ServerAddress) throws {
        Self.noteWait()
        patience = address.patience
        let parameters = address.connectionParameters
        let names = parameters.map { strdup($0.name) }, values = parameters.map { strdup($0.value) }
        defer { (names + values).forEach { free($0) } }
        let handle = PQconnectdbParams(
            (names + [nil]).map { UnsafePointer($0) },
            (values + [nil]).map { UnsafePointer($0) },
            1
        )
        guard let handle else { throw PostgreSQLError(.notConnected, "memory is short") }
        self.handle = handle
        // From here on, an error lets `deinit` close the connection.
        guard PQstatus(handle) == CONNECTION_OK else {
            throw PostgreSQLError(.notConnected, Self.message(handle))
        }
        guard PQserverVersion(handle) >= Self.oldestVersion else {
            throw CocoaError.storeOpen(
                address.url,
                "its server is PostgreSQL \(PQserverVersion(handle) / 10_000), and a store needs 13 "
                    + "or later"
            )
        }
        // They would go to the program's standard error.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0 else { throw lost() }
        // A little less than the patience of this end: a server that gives up itself has undone
        // the transaction, and no outcome is unknown.
        _ = try run("SET statement_timeout = \(patience / 10 * 9)")
    }

    deinit { PQfinish(handle) }

    var socket: Int32 { PQsocket(handle) }

    /// Whether the connection is not known to have ended.
    var isAlive: Bool {
        // The first look may find the words with which the server has ended it, and the second one
        // the end.
        PQconsumeInput(handle) == 1 && PQconsumeInput(handle) == 1
            && PQstatus(handle) == CONNECTION_OK
    }

    // MARK: Running

    @discardableResult
    func run(_ sql: String, _ parameters: [PostgreSQLParameter] = []) throws -> PostgreSQLResult {
        try run([PostgreSQLCommand(sql, parameters)])[0]
    }

    /// Runs statements in one round trip. Without a `BEGIN` they are one transaction of their own.
    ///
    /// - Returns: A result for each of them.
    /// - Throws: `PostgreSQLError`, that of the first statement that the server has refused. What
    ///   follows it was not run, and a transaction that was begun is rolled back.
    func run(_ commands: [PostgreSQLCommand]) throws -> [PostgreSQLResult] {
        try run { (commands, isLast: true) }
    }

    /// The same with statements that come in parts: the server runs what it has got while the next ones
    /// are being made.
    ///
    /// - Parameter next: Gives the next part. It is called until the last one, but for a connection that
    ///   is lost.
    func run(
        _ next: () -> (commands: [PostgreSQLCommand], isLast: Bool)
    ) throws -> [PostgreSQLResult] {
        let isInTransaction = PQtransactionStatus(handle) != PQTRANS_IDLE
        var commands: [PostgreSQLCommand] = []
        do {
            return try runOnce(next, &commands)
        } catch let error as PostgreSQLError
            where error.isOfPreparedStatement && !isInTransaction
        {
            // The transaction that it was in is undone, and one before it may be made twice.
            var again: [PostgreSQLCommand] = []
            return try runOnce({ (commands, isLast: true) }, &again)
        }
    }

    /// - Parameter commands: Those that were sent are added to it.
    private func runOnce(
        _ next: () -> (commands: [PostgreSQLCommand], isLast: Bool),
        _ commands: inout [PostgreSQLCommand]
    ) throws -> [PostgreSQLResult] {
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        statements.begin()
        var uses: [PreparedStatements.Use] = []
        while true {
            let part = next()
            for command in part.commands {
                let use = statements.use(command.sql)
                try send(command, use)
                uses.append(use)
            }
            commands += part.commands
            if part.isLast { break }
            while try flush() { try wait(isUnsent: true) }
        }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        var results: [PostgreSQLResult] = []
        var refusal: PostgreSQLError?
        /// The next statement's result; nil for one that was not run.
        func take() throws -> PostgreSQLResult? {
            guard let handle = try nextResult() else { throw lost() }
            let result = PostgreSQLResult(handle)
            switch PQresultStatus(handle) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_ABORTED: break
            default: refusal = refusal ?? PostgreSQLError(result: handle)
            }
            // Each statement's results end with none.
            if let more = try nextResult() { PQclear(more) }
            return refusal == nil ? result : nil
        }
        for (command, use) in zip(commands, uses) {
            if case .prepared(let name, true) = use, try take() != nil {
                statements.didPrepare(command.sql, name: name)
            }
            if let result = try take() { results.append(result) }
        }
        guard let end = try nextResult() else { throw lost() }
        PQclear(end)
        guard PQexitPipelineMode(handle) == 1 else { throw lost() }
        guard let refusal else { return results }
        statements.didRefuse(refusal)
        if PQstatus(handle) != CONNECTION_OK { throw lost() }
        if PQtransactionStatus(handle) == PQTRANS_INERROR { try run("ROLLBACK") }
        throw refusal
    }

    /// Runs `body` in a transaction of one snapshot that writes nothing.
    ///
    /// - Parameters:
    ///   - before: Transactions before that one, in the same round trip.
    ///   - commands: The first statements of that one, in the same round trip, too.
    ///   - body: Is given the results of `commands`. It may end the transaction by a `COMMIT` behind
    ///     its last statements.
    func snapshot<Result>(
        after before: [PostgreSQLCommand] = [],
        _ commands: [PostgreSQLCommand] = [],
        _ body: ([PostgreSQLResult]) throws -> Result
    ) throws -> Result {
        let begin = PostgreSQLCommand("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let results = try run(before + [begin] + commands)
        let result: Result
        do {
            result = try body(Array(results.suffix(commands.count)))
        } catch {
            // A statement that the server has refused has ended the transaction already, and so
            // has a connection that is lost.
            if PQstatus(handle) == CONNECTION_OK, PQtransactionStatus(handle) != PQTRANS_IDLE {
                try run("ROLLBACK")
            }
            throw error
        }
        if PQtransactionStatus(handle) != PQTRANS_IDLE { try run("COMMIT") }
        return result
    }

    /// Takes in what has arrived by itself.
    ///
    /// - Returns: Whether there was a notification.
    func takeNotifications() throws -> Bool {
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        var wasNotified = false
        while let notification = PQnotifies(handle) {
            PQfreemem(notification)
            wasNotified = true
        }
        return wasNotified
    }

    private func send(_ command: PostgreSQLCommand, _ use: PreparedStatements.Use) throws {
        let parameters = command.parameters
        let byteCount = parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
        // One piece of memory for all values, since each pointer must stay as long as the call. Not
        // empty: a value without bytes has an address, too, for none means NULL.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount + 1, alignment: 8)
        defer { memory.deallocate() }
        var pointers: [UnsafePointer<CChar>?] = []
        var lengths: [Int32] = []
        var offset = 0
        for parameter in parameters {
            let bytes = parameter.bytes ?? []
            let place = UnsafeMutableRawBufferPointer(rebasing: memory[offset...])
            place.copyBytes(from: bytes)
            let start = place.baseAddress?.assumingMemoryBound(to: CChar.self)
            pointers.append(parameter.bytes == nil ? nil : UnsafePointer(start))
            lengths.append(Int32(truncatingIfNeeded: bytes.count))
            offset += bytes.count
        }
        let count = Int32(parameters.count), types = parameters.map(\.type)
        let formats = parameters.map { _ in Int32(1) }
        let isSent =
            switch use {
            case .whole:
                PQsendQueryParams(
                    handle,
                    command.sql,
                    count,
                    types,
                    pointers,
                    lengths,
                    formats,
                    1
                ) == 1
            case .prepared(let name, let isNew):
                (!isNew || PQsendPrepare(handle, name, command.sql, count, types) == 1)
                    && PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1) == 1
            }
        guard isSent else { throw lost() }
    }

    // MARK: Waiting

    /// The next result; nil at the end of a statement's.
    private func nextResult() throws -> OpaquePointer? {
        var isUnsent = try flush()
        while PQisBusy(handle) == 1 {
            try wait(isUnsent: isUnsent)
            if isUnsent { isUnsent = try flush() }
        }
        return PQgetResult(handle)
    }

    /// Waits until something has arrived, or until more can be sent: both ways at once, for a server
    /// that can't get rid of its results takes no more statements.
    private func wait(isUnsent: Bool) throws {
        var place = pollfd(
            fd: PQsocket(handle),
            events: Int16(POLLIN | (isUnsent ? POLLOUT : 0)),
            revents: 0
        )
        Self.noteWait()
        let count = poll(&place, 1, patience)
        if count < 0, errno == EINTR { return }
        guard count != 0 else {
            throw PostgreSQLError(.noAnswer, "no answer within \(patience) ms")
        }
        guard count > 0, PQconsumeInput(handle) == 1 else { throw lost() }
    }

    /// Whether something is still to be sent.
    private func flush() throws -> Bool {
        let outcome = PQflush(handle)
        guard outcome >= 0 else { throw lost() }
        return outcome == 1
    }

    private static func noteWait() {
        if MainQueue.isServed { mainQueueWaits.add(1, ordering: .relaxed) }
    }

    private func lost() -> PostgreSQLError { PostgreSQLError(.lost, Self.message(handle)) }

    private static func message(_ handle: OpaquePointer) -> String {
        PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    }
}
#endif
