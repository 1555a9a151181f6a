#if PostgreSQL
/// All reads are the replica's.
extension PostgreSQLStore {
    func rows(_ plan: FetchPlan) throws -> [Row] { try replica().rows(plan) }

    func rows(_ plan: FetchPlan, inBatches take: ([Row]) throws -> Void) throws {
        try replica().rows(plan, inBatches: take)
    }

    func references(_ plan: FetchPlan) throws -> [RowReference] { try replica().references(plan) }

    func count(_ plan: FetchPlan) throws -> Int { try replica().count(plan) }

    func values(_ plan: FetchPlan, columns: ColumnPlan) throws -> [[Any?]] {
        try replica().values(plan, columns: columns)
    }

    func row(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        try replica().row(layout, primaryKey)
    }

    func uncachedRow(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        try replica().uncachedRow(layout, primaryKey)
    }

    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [RowReference] {
        try replica().related(layout, slot, primaryKey)
    }

    func relatedRows(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [Row]? {
        try replica().relatedRows(layout, slot, primaryKey)
    }

    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        of primaryKeys: [Int64]
    ) throws -> [Int64: [RowReference]] {
        try replica().related(layout, slot, of: primaryKeys)
    }

    // MARK: What is known without reading

    func holds(_ layout: EntityLayout) -> Bool { replicaIfOpen?.holds(layout) ?? false }

    func cachedRow(_ layout: EntityLayout, _ primaryKey: Int64) -> RowCache.Entry {
        replicaIfOpen?.cachedRow(layout, primaryKey) ?? .unknown
    }

    func invalidateRow(_ layout: EntityLayout, _ primaryKey: Int64) {
        replicaIfOpen?.invalidateRow(layout, primaryKey)
    }

    private var replicaIfOpen: SQLiteStore? {
        do {
            return try replica()
        } catch {
            // A closed store holds nothing.
            return nil
        }
    }

    // MARK: Keys

    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        let open = try opened()
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        return try open.keys.take(rootIndex: rootIndex, count: count)
    }
}

/// The history that the feed has brought. Its numbers are the same for all stores of the database.
extension PostgreSQLStore: HistoryStore {
    var history: (any HistoryStore)? { self }

    func hasHistory() throws -> Bool { try replica().hasHistory() }

    func lastTransactionNumber() throws -> Int64? { try replica().lastTransactionNumber() }

    func history(after bound: HistoryBound, includesChanges: Bool) throws -> [HistoryRecord] {
        try replica().history(after: bound, includesChanges: includesChanges)
    }

    /// Deletes what this machine has. The server's stays, for others to read, unless the client has
    /// asked for more.
    func deleteHistory(before bound: HistoryBound) throws -> Int {
        let open = try opened()
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        if options.isOn(PostgreSQLTrimsServerHistoryOption) {
            // First: this machine has read all that it is about to have deleted.
            try catchUp(open)
            try open.session.translatingErrors {
                try open.session.perform { connection in
                    try FeedTrimming(schema: open.schema).run(connection, before: bound)
                }
            }
        }
        return try open.replica.deleteHistory(before: bound)
    }
}
#endif
