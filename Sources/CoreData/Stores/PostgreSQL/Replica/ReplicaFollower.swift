#if PostgreSQL
import Foundation
import Synchronization

/// Brings a replica up to date with its server.
///
/// > Threading: Any thread; `follow` on the feed's queue, one at a time.
final class ReplicaFollower: Sendable {
    /// The replica has changed since a page was read, so that its rows may be older than what is
    /// there, or lacks what the page leaves out.
    private struct IsStale: Error {}

    private let replica: SQLiteStore
    private let schema: ServerSchema
    private let url: URL
    private let isReadOnly: Bool
    /// What this store saves while a page is read; nil where none is.
    private let overtaking = Locked<OvertakingChanges?>(nil)
    private let ownSaves = Locked(OwnSaves())
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
        if let save = try replica.origin().ownSave { ownSaves.withLock { $0.insert([save]) } }
    }

    // MARK: Own saves

    /// Notes that the server has committed saves, while the transaction of the replica that has them,
    /// too, is about to be. `didApply` or `didNotApply` follows.
    ///
    /// - Parameter changes: What they have changed.
    func didCommit(_ saves: [UUID], _ changes: OvertakingChanges) {
        ownSaves.withLock { $0.insert(saves, areInDoubt: true) }
        // In the lock of the replica's writer: a page that was read before this is found stale by
        // whoever has the lock next.
        overtaking.withLock { $0?.formUnion(changes) }
    }

    /// Notes that the replica has the saves.
    func didApply(_ saves: [UUID]) { ownSaves.withLock { $0.settle(saves) } }

    /// Takes `didCommit` back: the replica has not got the saves, which come by the feed then.
    func didNotApply(_ saves: [UUID]) { ownSaves.withLock { $0.subtract(saves) } }

    /// Notes that saves have thrown since it is not known whether they count.
    func didGiveUp(_ saves: [UUID]) { givenUpSaves.withLock { $0.formUnion(saves) } }

    // MARK: Following

    /// - Parameter numbersAll: Whether saves of others, too, are given their numbers. Whoever has made
    ///   them does it at once, if nothing is in its way.
    /// - Returns: How many saves were read.
    func follow(_ connection: PostgreSQLConnection, numbersAll: Bool) throws -> Int {
        let reader = FeedReader(schema: schema, connection: connection, url: url)
        do {
            return try goOn(reader, numbersAll: numbersAll)
        } catch is BrokenFeed {
            try startOver(reader)
            return 0
        }
    }

    private func goOn(_ reader: FeedReader, numbersAll: Bool) throws -> Int {
        let number = try replica.lastTransactionNumber() ?? 0
        let origin = try replica.origin()
        func read(own: Set<UUID>, isToNumber: Bool = false) throws -> FeedPage {
            try reader.page(after: number, origin, own: own, isToNumber: isToNumber)
        }
        // Saves of this store's own have no number yet, as a rule. Of others' a page tells.
        var isToNumber = !isReadOnly && ownSaves.withLock { !$0.all.isEmpty }
        var mayNumber = numbersAll && !isReadOnly && !isToNumber
        defer { overtaking.withLock { $0 = nil } }
        var attempts = 0
        // Read without a lock at first, for saves not to wait for the network.
        while attempts < 2 {
            overtaking.withLock { $0 = OvertakingChanges() }
            let own = ownSaves.withLock { $0.all }
            let page = try read(own: own, isToNumber: isToNumber)
            isToNumber = mayNumber && page.place.hasUnnumbered
            mayNumber = false
            if isToNumber { continue }
            guard page.place.last > number else { return 0 }
            attempts += 1
            do {
                return try apply {
                    let isStale = overtaking.withLock { overtaking in
                        overtaking?.meets(page.touched, schema.store.model) ?? false
                    }
                    guard !isStale, ownSaves.withLock({ $0.settled.isSuperset(of: own) }) else {
                        throw IsStale()
                    }
                    return page
                }
            } catch is IsStale {
                continue
            } catch  where overtaking.withLock({ $0?.isEmpty == false }) {
                // In conflict with a row that the page does not know yet.
                continue
            }
        }
        // Saves of this store follow each other too fast: they wait now. What is in doubt is read as
        // if it were others', for it may have come to nothing here.
        return try apply { try read(own: ownSaves.withLock { $0.settled }) }
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
            ownSaves.withLock { $0 = OwnSaves() }
        }
        losses.add(1, ordering: .sequentiallyConsistent)
        onLoss()
        onChange(touched)
    }

    /// - Parameter page: Called with the lock of the replica's writer.
    /// - Returns: How many saves it has.
    private func apply(_ page: () throws -> FeedPage) throws -> Int {
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
        return numbered.count
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
        try writer.history?.raiseNumber(to: page.place.last)
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
