#if PostgreSQL
import Foundation

/// Gives the saves on a server their numbers, and reads what they have changed.
///
/// > Threading: Confined to the connection's queue.
struct FeedReader {
    let schema: ServerSchema
    let connection: PostgreSQLConnection
    let url: URL

    /// How many rows a statement reads at once.
    static let rowsAtOnce = 5_000

    private var transactions: String { schema.path("z_transaction") }
    private var numbers: String { schema.path("z_numbering") }

    /// Reads what follows a number, in one snapshot, and numbers before that what has no number yet.
    ///
    /// - Parameters:
    ///   - origin: Where the replica is.
    ///   - own: The saves that the store has written itself, so that it has their rows.
    ///   - isToNumber: Whether there are saves that are committed and have no number yet.
    /// - Throws: `BrokenFeed` if the server has not got what the replica has.
    func page(
        after number: Int64,
        _ origin: ReplicaOrigin,
        own: Set<UUID>,
        isToNumber: Bool
    ) throws -> FeedPage {
        // Also what is committed and has no number yet: its rows are seen in this snapshot, and a
        // part of what they are is not to be read without the rest.
        let condition = "(t.number > $1 OR t.number IS NULL AND NOT t.is_void)"
        let reading = [
            // Once more, since it must be true of what is read below.
            placeCommand(of: number),
            PostgreSQLCommand(
                "SELECT t.seq, t.number, t.save, t.at, t.author, t.context, t.bundle, t.process "
                    + "FROM \(transactions) t WHERE \(condition) ORDER BY t.number NULLS LAST",
                [.integer(number)]
            ),
            PostgreSQLCommand(
                "SELECT c.seq, c.entity, c.kind, c.keys, c.columns, c.tombstones "
                    + "FROM \(schema.path("z_change")) c JOIN \(transactions) t ON t.seq = c.seq "
                    + "WHERE \(condition) ORDER BY c.seq, c.place",
                [.integer(number)]
            ),
        ]
        return try connection.snapshot(after: isToNumber ? numbering : [], reading) { results in
            let place = place(results[0], number)
            guard try place.continues(origin, url: url) else { throw BrokenFeed() }
            var page = FeedPage(touched: TouchedRows(schema.store.model))
            page.last = place.last
            try take(results[1], results[2], own, &page)
            if !page.touched.isEmpty { try readRows(&page) }
            return page
        }
    }

    /// Numbers the saves that are committed and have no number yet, and tells all stores.
    ///
    /// By one store at a time, and after their commits: whoever has read up to a number has missed
    /// none below it.
    private var numbering: [PostgreSQLCommand] {
        [
            PostgreSQLCommand("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
            PostgreSQLCommand("SELECT last FROM \(numbers) FOR UPDATE"),
            // A statement of its own, which sees what was committed before the lock was had.
            PostgreSQLCommand(
                "WITH n AS (SELECT seq, row_number() OVER (ORDER BY seq) AS place "
                    + "FROM \(transactions) WHERE number IS NULL AND NOT is_void) "
                    + "UPDATE \(transactions) t SET number = z.last + n.place "
                    + "FROM n, \(numbers) z WHERE t.seq = n.seq"
            ),
            PostgreSQLCommand(
                "UPDATE \(numbers) SET last = greatest(last, "
                    + "(SELECT max(number) FROM \(transactions)))"
            ),
            PostgreSQLCommand("COMMIT"),
            // Not in that transaction: a commit that notifies locks out all others of the server
            // that do. And without waiting for the disk, for nothing is lost with a notification.
            PostgreSQLCommand("BEGIN"),
            PostgreSQLCommand("SET LOCAL synchronous_commit = off"),
            PostgreSQLCommand("SELECT pg_notify($1, '')", [.text(schema.channel)]),
            PostgreSQLCommand("COMMIT"),
        ]
    }

    private func take(
        _ heads: PostgreSQLResult,
        _ changes: PostgreSQLResult,
        _ ownSaves: Set<UUID>,
        _ page: inout FeedPage
    ) throws {
        var places: [Int64: Int] = [:]
        var own: Set<Int64> = []
        var lost = ownSaves
        for row in 0..<heads.rowCount {
            guard let save = heads.uuid(row, 2) else { continue }
            let seq = heads.integer(row, 0)
            if lost.remove(save) != nil { own.insert(seq) }
            guard !heads.isNull(row, 1) else { continue }
            places[seq] = page.transactions.count
            page.transactions.append(
                FeedPage.Transaction(save: save, head: head(heads, row), changes: [])
            )
        }
        guard lost.isEmpty else { throw BrokenFeed() }
        for row in 0..<changes.rowCount {
            let seq = changes.integer(row, 0)
            for change in try self.changes(changes, row) {
                if let place = places[seq] { page.transactions[place].changes.append(change) }
                if !own.contains(seq) { page.touched.add(change) }
            }
        }
    }

    private func head(_ result: PostgreSQLResult, _ row: Int) -> HistoryWriter.Transaction {
        let texts: [HistorySchema.Text: String?] = [
            .author: result.optionalText(row, 4), .contextName: result.optionalText(row, 5),
            .bundleID: result.optionalText(row, 6), .processID: result.optionalText(row, 7),
        ]
        return HistoryWriter.Transaction(
            number: result.integer(row, 1),
            timestamp: result.real(row, 3),
            texts: texts.compactMapValues(\.self)
        )
    }

    private func changes(_ result: PostgreSQLResult, _ row: Int) throws -> [HistoryWriter.Change] {
        guard let entity = schema.store.layoutIndex(ofNumber: result.integer(row, 1)),
            let type = NSPersistentHistoryChangeType(rawValue: Int(result.integer(row, 2)))
        else {
            throw CocoaError.incompatibleSchema(url, "its feed tells of an entity without a number")
        }
        let layout = schema.store.model.entities[entity]
        let columns = result.dataElements(row, 4), tombstones = result.dataElements(row, 5)
        return try result.integers(row, 3).enumerated().map { place, key in
            guard (1...RowReference.maximumPrimaryKey).contains(key) else {
                throw CocoaError.incompatibleSchema(url, "its feed tells of a key out of range")
            }
            var change = HistoryWriter.Change(
                type: type,
                reference: RowReference(entityIndex: entity, primaryKey: key)
            )
            if place < columns.count, let bits = columns[place] {
                change.properties = ChangedColumns.decode(bits, layout)
            }
            if place < tombstones.count, let values = tombstones[place] {
                change.tombstone = try TombstoneCoding.decode(values, url: url)
            }
            return change
        }
    }

    private func readRows(_ page: inout FeedPage) throws {
        for table in schema.tables {
            let keys = page.touched.keys(rootIndex: table.rootIndex)
            let query = schema.selection(table) + " WHERE \"Z_PK\" = ANY($1)"
            for start in stride(from: 0, to: keys.count, by: Self.rowsAtOnce) {
                let some = keys[start..<min(keys.count, start + Self.rowsAtOnce)]
                page.rows[table.rootIndex, default: []].append(
                    try connection.run(query, [.keys(some)])
                )
            }
        }
        for (place, access) in schema.store.toManyAccess {
            guard let columns = access.columnsOfMembers, let query = schema.selection(access),
                case let owners = page.touched.owners(of: place), !owners.isEmpty
            else { continue }
            let rows = try connection.run(
                query + " WHERE \(ServerSchema.quoted(columns.key)) = ANY($1)",
                [.keys(owners)]
            )
            page.members.append(FeedPage.Members(access: access, owners: owners, rows: rows))
        }
        for join in schema.store.joinTables {
            let sources = page.touched.owners(of: join.owner)
            let destinations = page.touched.owners(of: join.inverse)
            guard !sources.isEmpty || !destinations.isEmpty else { continue }
            let rows = try connection.run(
                schema.selection(join)
                    + " WHERE \(ServerSchema.quoted(join.sourceColumn)) = ANY($1) "
                    + "OR \(ServerSchema.quoted(join.destinationColumn)) = ANY($2)",
                [.keys(sources), .keys(destinations)]
            )
            page.joins.append(
                FeedPage.Joins(
                    table: join,
                    sources: sources,
                    destinations: destinations,
                    rows: rows
                )
            )
        }
    }
}
#endif
