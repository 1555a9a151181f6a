import CSQLite
import Foundation

extension SQLiteStore {
    /// So many rows are taken into the cache at once, and handed to whoever makes objects of them while
    /// the processor has them in its own.
    private static let batchSize = 128

    func rows(_ plan: FetchPlan) throws -> [Row] {
        var rows: [Row] = []
        try self.rows(plan) { rows += $0 }
        return rows
    }

    func rows(_ plan: FetchPlan, inBatches take: ([Row]) throws -> Void) throws {
        let open = try opened()
        let rowPlan = try open.plan(plan.layout, includesSubentities: plan.includesSubentities)
        // After the plan: a store that is closed or lacks the entity says so also where no row is
        // asked for.
        guard plan.primaryKeys?.isEmpty != true else { return }
        let fetch = try FetchStatement(
            plan,
            rowPlan,
            open.schema,
            store: self,
            selecting: rowPlan.selectList
        )
        let cache = open.cache(rootIndex: plan.layout.rootIndex)
        try translatingErrors {
            try open.readers.withConnection { connection in
                let statement = try fetch.prepare(connection)
                // More than a reset: the statement stays with its connection, and would keep its
                // copies of what is bound.
                defer { statement.clear() }
                guard let cancellation = plan.cancellation else {
                    return try read(statement, rowPlan, cache, take)
                }
                // Inside of the connection's use: an interrupt that comes later would hit the next
                // user of it.
                var count = 0
                try cancellation.running(interrupt: connection.interrupt) {
                    try read(statement, rowPlan, cache) { batch in
                        try take(batch)
                        count += batch.count
                        guard count % FetchCancellation.step == 0 else { return }
                        if cancellation.isCancelled { throw CocoaError(.userCancelled) }
                        cancellation.didRead(count)
                    }
                }
            }
        }
    }

    private func read(
        _ statement: SQLiteStatement,
        _ rowPlan: RowPlan,
        _ cache: RowCache,
        _ take: ([Row]) throws -> Void
    ) throws {
        // Before the first step, which begins the transaction. A commit between the two keeps the rows
        // out of the cache for nothing; the other order would let old ones in.
        let readAt = cache.commitCount
        let allocator = SlabAllocator()
        var batch: [Row] = []
        // As long as the cache has nothing but what this has put in, no row is looked for there. It has
        // rows that have ended until their slabs know.
        EndedObjects.settle()
        var known = cache.count == 0 ? nil : cache
        var insertedCount = 0
        func takeBatch() throws {
            insertedCount += batch.count
            let count = cache.insert(batch, readAt: readAt)
            if count != insertedCount { known = cache }
            try take(batch)
            batch.removeAll(keepingCapacity: true)
        }
        var yieldPoint = YieldPoint()
        while try statement.step() {
            batch.append(try rowPlan.row(statement, cache: known, in: allocator))
            yieldPoint.pass()
            if batch.count == Self.batchSize { try takeBatch() }
        }
        try takeBatch()
    }

    func references(_ plan: FetchPlan) throws -> [RowReference] {
        let open = try opened()
        let rowPlan = try open.plan(plan.layout, includesSubentities: plan.includesSubentities)
        guard plan.primaryKeys?.isEmpty != true else { return [] }
        let list = "\(RowPlan.alias).Z_PK, \(RowPlan.alias).Z_ENT"
        let fetch = try FetchStatement(plan, rowPlan, open.schema, store: self, selecting: list)
        return try translatingErrors {
            try open.readers.withConnection { connection in
                let statement = try fetch.prepare(connection)
                defer { statement.clear() }
                var references: [RowReference] = []
                while try statement.step() { references.append(try rowPlan.reference(statement)) }
                return references
            }
        }
    }

    func count(_ plan: FetchPlan) throws -> Int {
        let open = try opened()
        let rowPlan = try open.plan(plan.layout, includesSubentities: plan.includesSubentities)
        guard plan.primaryKeys?.isEmpty != true else { return 0 }
        let fetch = try FetchStatement(counting: plan, rowPlan, open.schema, store: self)
        return try translatingErrors {
            try open.readers.withConnection { connection in
                let statement = try fetch.prepare(connection)
                defer { statement.clear() }
                return try statement.step() ? Int(statement.integer(0)) : 0
            }
        }
    }

    func row(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        let open = try opened()
        let cache = open.cache(rootIndex: layout.rootIndex)
        switch cache.entry(primaryKey) {
        // The cache is that of the whole tree, and the row may be of another entity in it.
        case .row(let row): return layout.contains(row.entityIndex) ? row : nil
        case .deleted: return nil
        case .unknown: return try uncachedRow(layout, primaryKey)
        }
    }

    func uncachedRow(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        let open = try opened()
        let cache = open.cache(rootIndex: layout.rootIndex)
        let rowPlan = try open.plan(layout)
        return try translatingErrors {
            if let found = try open.lookups.row(rowPlan, primaryKey, cache: cache) {
                return found.row
            }
            return try open.readers.withConnection { connection in
                let statement = try connection.statement(rowPlan.byKeySQL)
                defer { statement.reset() }
                // Before the first step, as in `rows(_:)`.
                let readAt = cache.commitCount
                statement.bind(1, primaryKey)
                guard try statement.step() else { return nil }
                let row = try rowPlan.row(statement, cache: nil)
                cache.insert(row, readAt: readAt)
                return row
            }
        }
    }

    /// Looks up what `body` reads, in a transaction that look-ups share or one of its own.
    ///
    /// - Parameters:
    ///   - owner: What has this statement and no other for look-ups.
    ///   - body: Binds, steps and reads the statement, with the cache's commit count from before
    ///     its first step; takes memory for rows that are read in one transaction.
    private func lookUp<Result>(
        _ open: OpenSQLiteStore,
        _ owner: AnyObject,
        _ sql: String,
        _ cache: RowCache,
        _ body: (SQLiteStatement, Int, SlabAllocator?) throws -> Result
    ) throws -> Result {
        if let result = try open.lookups.read(owner, sql, cache: cache, body) { return result }
        return try open.readers.withConnection { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            // Before the first step, as in `rows(_:)`.
            let readAt = cache.commitCount
            return try body(statement, readAt, nil)
        }
    }

    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [RowReference] {
        let open = try opened()
        guard let reading = open.relatedReading(slot) else { return [] }
        return try translatingErrors {
            try open.readers.withConnection { connection in
                let statement = try connection.statement(reading.sql)
                defer { statement.reset() }
                statement.bind(1, primaryKey)
                var references: [RowReference] = []
                while try statement.step() {
                    references.append(try reading.plan.reference(statement))
                }
                return references
            }
        }
    }

    func relatedRows(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [Row]? {
        let open = try opened()
        guard let reading = open.relatedReading(slot), let sql = reading.rowsSQL else { return nil }
        let cache = open.cache(rootIndex: reading.plan.layout.rootIndex)
        return try translatingErrors {
            try lookUp(open, reading, sql, cache) { statement, readAt, allocator in
                statement.bind(1, primaryKey)
                let allocator = allocator ?? SlabAllocator()
                var rows: [Row] = []
                while try statement.step() {
                    rows.append(try reading.plan.row(statement, cache: cache, in: allocator))
                }
                cache.insert(rows, readAt: readAt)
                return rows
            }
        }
    }

    /// By one statement.
    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        of primaryKeys: [Int64]
    ) throws -> [Int64: [RowReference]] {
        let open = try opened()
        guard let reading = open.relatedReading(slot) else { return [:] }
        return try translatingErrors {
            try open.readers.withConnection { connection in
                let statement = try connection.statement(reading.manySQL)
                defer { statement.clear() }
                statement.bind(1, "[\(primaryKeys.map(String.init).joined(separator: ","))]")
                var result: [Int64: [RowReference]] = [:]
                while try statement.step() {
                    let reference = try reading.plan.reference(statement)
                    result[statement.integer(2), default: []].append(reference)
                }
                return result
            }
        }
    }
}
