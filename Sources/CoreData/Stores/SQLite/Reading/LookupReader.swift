import CSQLite
import Dispatch

/// Looks up rows by their keys, and those of relationships. Look-ups that follow each other closely
/// share a read transaction.
///
/// To begin and end a read transaction costs several times as much as to find a row: SQLite takes and
/// releases a lock of the file system. So a transaction stays open for some milliseconds, and only as
/// long as no commit, of whatever process, has changed the write-ahead log: each look-up sees what
/// one with a transaction of its own would see. A store without a log that tells has none such.
///
/// > Threading: Any thread. Whoever comes while another thread looks up reads by itself.
final class LookupReader: @unchecked Sendable {
    // @unchecked: all that changes is in `state`, behind its lock.

    /// So many look-ups in a row have a transaction of their own: most come alone.
    private static let loneCount = 2
    /// Look-ups follow each other closely if there is not more time than this between them.
    private static let closeness: UInt64 = 2_000_000
    /// After so long a transaction ends, in use or not. One that reads from the log keeps others from
    /// emptying it.
    private static let longest = DispatchTimeInterval.milliseconds(10)

    private struct Transaction {
        let connection: SQLiteConnection
        let header: UnsafeRawPointer
        /// What the header said before the transaction began.
        let stamp: LogStamp
        /// What rows of relationships were read with last.
        var prepared: (owner: AnyObject, statement: SQLiteStatement)?
        /// What rows were looked up with by their keys. Each is where it found its last one.
        var seeking: [(plan: RowPlan, statement: SQLiteStatement)] = []
        /// Memory for rows by the cache that takes them in, of which a slab has one.
        var allocators: [(cache: RowCache, allocator: SlabAllocator)] = []

        mutating func allocator(_ cache: RowCache) -> SlabAllocator {
            for known in allocators where known.cache === cache { return known.allocator }
            // Small slabs: what is looked up by key comes and goes one by one.
            let allocator = SlabAllocator(largestSize: 1 << 12)
            allocators.append((cache, allocator))
            return allocator
        }
    }
    private struct State {
        var transaction: Transaction?
        var successionCount = 0
        /// When rows were looked up last without a transaction, in nanoseconds since the start of
        /// the system.
        var lastTime: UInt64 = 0
        /// Whether the store is closed, or has no log that tells of commits.
        var isOff = false
        /// Counts the transactions, so that each one's end knows it.
        var number = 0
    }
    private let pool: ConnectionPool
    private let state = Locked(State())

    init(_ pool: ConnectionPool) { self.pool = pool }

    /// The outcome of looking up a row.
    struct Found {
        /// nil if there is none.
        let row: Row?
    }

    /// Looks up the row of a key.
    ///
    /// - Parameter cache: The cache for the row, which it is put into.
    /// - Returns: nil if the caller has to look it up by itself.
    func row(_ plan: RowPlan, _ primaryKey: Int64, cache: RowCache) throws -> Found? {
        try withTransaction(cache) { state, readAt in
            guard let connection = state.transaction?.connection else { return nil }
            let statement = try seeking(plan, connection, &state)
            connection.nextKey.ask(primaryKey)
            guard try statement.step() else {
                // It has come to its end: the next one begins anew.
                statement.reset()
                return Found(row: nil)
            }
            let allocator = state.transaction?.allocator(cache)
            let row = try plan.row(statement, cache: nil, in: allocator)
            cache.insert(row, readAt: readAt)
            return Found(row: row)
        }
    }

    /// Looks up what `body` reads with a statement.
    ///
    /// - Parameters:
    ///   - owner: What has this statement and no other, by which it is found again.
    ///   - cache: The cache for the rows.
    ///   - body: Binds, steps and reads the statement, with the cache's commit count from before
    ///     its first step; takes memory for rows.
    /// - Returns: What `body` returns; nil if the caller has to read by itself.
    func read<Result>(
        _ owner: AnyObject,
        _ sql: String,
        cache: RowCache,
        _ body: (SQLiteStatement, Int, SlabAllocator?) throws -> Result
    ) throws -> Result? {
        try withTransaction(cache) { state, readAt in
            guard let statement = try statement(owner, sql, &state) else { return nil }
            defer { statement.reset() }
            return try body(statement, readAt, state.transaction?.allocator(cache))
        }
    }

    /// Runs `body` in a transaction, with the cache's commit count from before it; an error ends it.
    ///
    /// - Returns: nil if there is none, or `body` returns nil.
    private func withTransaction<Result>(
        _ cache: RowCache,
        _ body: (inout State, Int) throws -> Result?
    ) throws -> Result? {
        try state.withLockIfAvailable { state -> Result? in
            guard !state.isOff else { return nil }
            // Before the log is looked at: what is committed after that raises the count, so that
            // rows which this transaction does not see newer stay out of the cache.
            let readAt = cache.commitCount
            if let open = state.transaction, LogStamp(open.header) != open.stamp {
                end(&state)
            }
            if state.transaction == nil {
                guard isInSuccession(&state), try begin(&state) else { return nil }
            }
            do {
                return try body(&state, readAt)
            } catch {
                end(&state)
                throw error
            }
        } ?? nil
    }

    /// Ends the transaction; there are none afterwards.
    func close() {
        state.withLock { state in
            state.isOff = true
            end(&state)
        }
    }

    private func isInSuccession(_ state: inout State) -> Bool {
        let now = DispatchTime.now().uptimeNanoseconds
        let isClose = now &- state.lastTime < Self.closeness
        state.lastTime = now
        state.successionCount = isClose ? state.successionCount + 1 : 0
        return state.successionCount >= Self.loneCount
    }

    /// - Returns: Whether there is a transaction now.
    private func begin(_ state: inout State) throws -> Bool {
        let connection = try pool.lend()
        do {
            guard let header = try connection.logHeader() else {
                state.isOff = true
                pool.takeBack(connection)
                return false
            }
            let stamp = LogStamp(header)
            try connection.statement("BEGIN").run()
            state.transaction = Transaction(connection: connection, header: header, stamp: stamp)
        } catch {
            pool.takeBack(connection)
            throw error
        }
        state.number += 1
        let number = state.number
        // It keeps the reader alive, so that no transaction is left without an end.
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.longest) {
            self.state.withLock { state in
                guard state.number == number, state.transaction != nil else { return }
                self.end(&state)
                // Whoever is in the midst of looking up goes on with another transaction.
                state.lastTime = DispatchTime.now().uptimeNanoseconds
            }
        }
        return true
    }

    private func statement(
        _ owner: AnyObject,
        _ sql: String,
        _ state: inout State
    ) throws -> SQLiteStatement? {
        if let prepared = state.transaction?.prepared, prepared.owner === owner {
            return prepared.statement
        }
        guard let statement = try state.transaction?.connection.statement(sql) else { return nil }
        state.transaction?.prepared = (owner, statement)
        return statement
    }

    private func seeking(
        _ plan: RowPlan,
        _ connection: SQLiteConnection,
        _ state: inout State
    ) throws -> SQLiteStatement {
        // Few: those of the entities that were looked up within some milliseconds.
        if let known = state.transaction?.seeking.first(where: { $0.plan === plan }) {
            return known.statement
        }
        let statement = try connection.statement(plan.byNextKeySQL)
        state.transaction?.seeking.append((plan, statement))
        return statement
    }

    private func end(_ state: inout State) {
        guard let transaction = state.transaction else { return }
        let connection = transaction.connection
        state.transaction = nil
        // The transaction lasts as long as one of them has not ended.
        for seeking in transaction.seeking { seeking.statement.reset() }
        do {
            try connection.statement("COMMIT").run()
        } catch {
            // Nothing was written; a connection that can't end its transaction is not used again.
            connection.rollBack()
        }
        pool.takeBack(connection)
    }
}

/// What the header of the index of the write-ahead log says: another value after each commit.
private struct LogStamp: Equatable {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64)

    /// Offsets 8 to 47: the count of changes, the number of frames, checksums and salts.
    init(_ header: UnsafeRawPointer) {
        let start = (header + 8).assumingMemoryBound(to: UInt64.self)
        words = (start[0], start[1], start[2], start[3], start[4])
    }

    static func == (left: LogStamp, right: LogStamp) -> Bool { left.words == right.words }
}
