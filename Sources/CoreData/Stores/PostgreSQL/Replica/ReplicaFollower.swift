#if PostgreSQL
import Foundation
import Synchronization

/// Brings a replica up to date with its server.
///
/// > Threading: Any thread; `follow` on the feed's queue, one at a time.
final class ReplicaFollower: Sendable {
    /// The replica has changed since a page was read, so that its rows may be older than what is
    /// there.
    private struct IsStale: Error {}

    private let replica: SQLiteStore
    private let schema: ServerSchema
    private let url: URL
    private let isReadOnly: Bool
    /// How many saves of this store the server has committed.
    private let commits = Atomic<Int>(0)
    /// Those whose transactions have not come back by the feed yet.
    private let ownSaves = Locked<Set<UUID>>([])
    /// Those that have thrown, and may count all the same.
    private let givenUpSaves = Locked<Set<UUID>>([])
    /// How many times the replica was copied anew.
    let losses = Atomic<Int>(0)
    private let onChange: @Sendable (TouchedRows) -> Void
    private let onLoss: @Sendable () -> Void

    /// - Parameters:
    ///   - onLoss: Called when the replica was copied anew, since its server has lost transactions.
    ///   - onChange: Called after the replica has changed, without locks, with the rows that others
    ///     have changed.
    init(
        _ replica: SQLiteStore,
        _ schema: ServerSchema,
        _ url: URL,
        isReadOnly: Bool,
        onLoss: @escaping @Sendable () -> Void,
        onChange: @escaping @Sendable (TouchedRows) -> Void
    ) throws {
        self.replica = replica
        self.schema = schema
        self.url = url
        self.isReadOnly = isReadOnly
        self.onLoss = onLoss
        self.onChange = onChange
        // Of an earlier process: if the server has lost it, nobody else will notice.
        if let save = try replica.origin().ownSave { ownSaves.withLock { _ = $0.insert(save) } }
    }

    // MARK: Own saves

    /// Notes that the server has committed a save, while the transaction of the replica that has it,
    /// too, is about to be.
    func didCommit(_ save: UUID) {
        ownSaves.withLock { _ = $0.insert(save) }
        // In the lock of the replica's writer: a page that was read before this is found stale by
        // whoever has the lock next.
        commits.add(1, ordering: .sequentiallyConsistent)
    }

    /// Takes `didCommit` back: the replica has not got the save, which comes by the feed then.
    func didNotApply(_ save: UUID) { ownSaves.withLock { _ = $0.remove(save) } }

    /// Notes that a save has thrown since it is not known whether it counts.
    func didGiveUp(_ save: UUID) { givenUpSaves.withLock { _ = $0.insert(save) } }

    // MARK: Following

    func follow(_ connection: PostgreSQLConnection) throws {
        let reader = FeedReader(
            schema: schema,
            connection: connection,
            url: url,
            isReadOnly: isReadOnly
        )
        do {
            try goOn(reader)
        } catch is BrokenFeed {
            try startOver(reader)
        }
    }

    private func goOn(_ reader: FeedReader) throws {
        let number = try replica.lastTransactionNumber() ?? 0
        let origin = try replica.origin()
        // Before the server is asked: it has these, or has lost them.
        let own = ownSaves.withLock { $0 }
        let place = try reader.place(of: number)
        guard try place.continues(origin, url: url) else { throw BrokenFeed() }
        guard try reader.number(place) > number else {
            guard own.isEmpty || isReadOnly else { throw BrokenFeed() }
            return
        }
        let read = {
            try reader.page(after: number, origin, own: self.ownSaves.withLock { $0 })
        }
        // Read without a lock at first, for saves not to wait for the network.
        for _ in 0..<2 {
            let known = commits.load(ordering: .sequentiallyConsistent)
            let page = try read()
            do {
                return try apply {
                    guard commits.load(ordering: .sequentiallyConsistent) == known else {
                        throw IsStale()
                    }
                    return page
                }
            } catch is IsStale {
                continue
            }
        }
        // Saves of this store follow each other too fast: they wait now.
        try apply(read)
    }

    /// Copies the replica anew, with a history that begins behind all that was lost.
    private func startOver(_ reader: FeedReader) throws {
        let number = try replica.lastTransactionNumber() ?? 0
        if try reader.place(of: number).last <= number {
            guard !isReadOnly else { throw CocoaError.serverHasLostTransactions(url) }
            try reader.mark(above: number)
        }
        let copy = FirstCopy(schema: schema, replica: replica, store: try replica.origin().store)
        let touched = try copy.run(reader.connection) {
            // In the lock of the replica's writer, for saves that follow add theirs in it.
            ownSaves.withLock { $0 = [] }
        }
        losses.add(1, ordering: .sequentiallyConsistent)
        onLoss()
        onChange(touched)
    }

    /// - Parameter page: Called with the lock of the replica's writer.
    private func apply(_ page: () throws -> FeedPage) throws {
        let applied = try replica.translatingErrors {
            try replica.opened().runBatch(ChangeOrigin()) { writer, changes in
                let page = try page()
                try apply(page, writer, &changes)
                return page
            }
        }
        let numbered = applied.transactions.map(\.save)
        ownSaves.withLock { $0.subtract(numbered) }
        givenUpSaves.withLock { $0.subtract(numbered) }
        onChange(applied.touched)
    }

    private func apply(
        _ page: FeedPage,
        _ writer: StoreWriter,
        _ changes: inout ChangeSet<RowReference>
    ) throws {
        let tables = ReplicaTables(schema: schema, writer: writer)
        for table in schema.tables {
            let keys = page.touched.keys(rootIndex: table.rootIndex)
            let gone = try tables.replace(table, keys, by: page.rows[table.rootIndex] ?? [])
            func references(_ keys: some Sequence<Int64>) -> [RowReference] {
                // The root stands for the entity: caches are the roots'.
                keys.map { RowReference(entityIndex: table.rootIndex, primaryKey: $0) }
            }
            changes.deleted += references(gone)
            changes.updated += references(Set(keys).subtracting(gone).sorted())
            // Later saves look whether what they refer to is there.
            if !gone.isEmpty { writer.hasDeleted = true }
        }
        for members in page.members { try tables.replace(members) }
        for joins in page.joins { try tables.replace(joins) }
        let keys = schema.tables.map { ($0.rootIndex, page.touched.keys(rootIndex: $0.rootIndex)) }
        try DerivedValueFilling(schema: writer.schema, connection: writer.connection)
            .run(Dictionary(uniqueKeysWithValues: keys))
        let givenUp = givenUpSaves.withLock { $0 }
        for transaction in page.transactions {
            var head = transaction.head
            // Whoever follows the history leaves out what its own authors have saved. Of this save
            // it was told that it had failed.
            if givenUp.contains(transaction.save) { head.texts[.author] = nil }
            try writer.history?.write(head, transaction.changes)
        }
        try writer.history?.raiseNumber(to: page.last)
        try noteOrigin(page, writer.connection)
    }

    private func noteOrigin(_ page: FeedPage, _ connection: SQLiteConnection) throws {
        guard var origin = try ReplicaOrigin(in: connection), let last = page.transactions.last
        else { return }
        origin.lastSave = last.save
        if page.transactions.contains(where: { $0.save == origin.ownSave }) { origin.ownSave = nil }
        try origin.write(to: connection)
    }
}
#endif
