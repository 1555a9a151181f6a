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
        let numbering = isToNumber ? numbering(after: number) : []
        return try connection.snapshot(after: numbering, reading(after: number)) { results in
            // The first result is of no interest: it sets something.
            let place = place(results[1], number)
            guard try place.continues(origin, url: url) else { throw BrokenFeed() }
            var page = FeedPage(place: place, touched: TouchedRows(schema.store.model))
            try take(results[2], results[3], own, &page)
            // Rows of saves without numbers only are read when these have some.
            if place.last > number, !page.touched.isEmpty { try readRows(&page) }
            return page
        }
    }

    /// The statements that a page begins with.
    func reading(after number: Int64) -> [PostgreSQLCommand] {
        [
            .byIndexes,
            placeCommand(of: number),
            PostgreSQLCommand(
                "SELECT t.seq, t.number, t.save, t.at, t.author, t.context, t.bundle, t.process "
                    + "FROM \(transactions) t WHERE t.seq = \(new) ORDER BY t.number NULLS LAST",
                [.integer(number)]
            ),
            PostgreSQLCommand(
                "SELECT c.seq, c.entity, c.kind, c.keys, c.columns, c.tombstones "
                    + "FROM \(schema.path("z_change")) c WHERE c.seq = \(new) "
                    + "ORDER BY c.seq, c.place",
                [.integer(number)]
            ),
        ]
    }

    /// The saves behind the number `$1`, and those that are committed and have no number yet: their
    /// rows are seen in the same snapshot, and a part of what they are is not to be read without the
    /// rest.
    ///
    /// An array, and a range with two ends: a server expects few rows of either, whatever it knows of
    /// the table, and finds them by its indexes. Of what is only above a parameter it expects a third
    /// of the table, and reads all saves that there have ever been.
    private var new: String {
        "ANY (ARRAY(SELECT seq FROM \(transactions) WHERE number > $1 AND number <= \(Int64.max) "
            + "UNION ALL SELECT seq FROM \(transactions) WHERE \(Self.isUnnumbered)))"
    }

    /// Of a save that is committed and has no number yet. An index has these only.
    private static let isUnnumbered = "number IS NULL AND NOT is_void"

    /// Whether there are such saves. By the index, in whose order they are asked for: a server that
    /// knows little of the table would look through it for the first one.
    var hasUnnumbered: String {
        "(SELECT seq FROM \(transactions) WHERE \(Self.isUnnumbered) ORDER BY seq LIMIT 1) IS NOT NULL"
    }

    /// Numbers the saves that are committed and have no number yet, and tells all stores.
    ///
    /// By one store at a time, and after their commits: whoever has read up to a number has missed
    /// none below it. A store that finds nothing to number writes nothing, and waits for no disk.
    ///
    /// - Parameter number: How far the store has read.
    func numbering(after number: Int64) -> [PostgreSQLCommand] {
        [
            PostgreSQLCommand("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
            .byIndexes,
            PostgreSQLCommand(
                "SELECT set_config('\(Self.lockNote)', 'yes', true) FROM (SELECT last FROM \(numbers) "
                    + "WHERE \(hasUnnumbered) FOR UPDATE) n"
            ),
            // A statement of its own, which sees what was committed before the lock was had.
            PostgreSQLCommand(
                "WITH n AS (SELECT seq, row_number() OVER (ORDER BY seq) AS place "
                    + "FROM \(transactions) WHERE \(Self.isUnnumbered)) "
                    + "UPDATE \(transactions) t SET number = z.last + n.place "
                    + "FROM n, \(numbers) z WHERE t.seq = n.seq AND \(Self.isUnnumbered) "
                    + "AND current_setting('\(Self.lockNote)', true) = 'yes'"
            ),
            PostgreSQLCommand(
                "UPDATE \(numbers) SET last = m.number "
                    + "FROM (SELECT max(number) AS number FROM \(transactions)) m "
                    + "WHERE m.number > last AND current_setting('\(Self.lockNote)', true) = 'yes'"
            ),
            PostgreSQLCommand("COMMIT"),
            // Not in that transaction: a commit that notifies locks out all others of the server
            // that do. And without waiting for the disk, for nothing is lost with a notification.
            PostgreSQLCommand("BEGIN"),
            PostgreSQLCommand("SET LOCAL synchronous_commit = off"),
            PostgreSQLCommand(
                "SELECT pg_notify($1, '') FROM \(numbers) WHERE last > $2",
                [.text(schema.channel), .integer(number)]
            ),
            PostgreSQLCommand("COMMIT"),
        ]
    }
    /// Set for the rest of a transaction that has the lock.
    private static let lockNote = "mergestack.has_numbering"

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

    /// Reads the rows that others have changed as they are now, in one round trip that ends the
    /// transaction, too.
    private func readRows(_ page: inout FeedPage) throws {
        let queries =
            rowQueries(page.touched) + memberQueries(page.touched)
            + joinQueries(page.touched)
        let results = try connection.run(queries.map(\.command) + [PostgreSQLCommand("COMMIT")])
        for (query, result) in zip(queries, results) { query.take(&page, result) }
    }

    /// A statement, and what its result is for.
    private struct Query {
        let command: PostgreSQLCommand
        let take: (inout FeedPage, PostgreSQLResult) -> Void
    }

    private func rowQueries(_ touched: TouchedRows) -> [Query] {
        schema.tables.flatMap { table in
            let keys = touched.keys(rootIndex: table.rootIndex)
            let query = schema.selection(table) + " WHERE \"Z_PK\" = ANY($1)"
            return stride(from: 0, to: keys.count, by: Self.rowsAtOnce).map { start in
                let some = keys[start..<min(keys.count, start + Self.rowsAtOnce)]
                return Query(command: PostgreSQLCommand(query, [.keys(some)])) {
                    $0.rows[table.rootIndex, default: []].append($1)
                }
            }
        }
    }

    private func memberQueries(_ touched: TouchedRows) -> [Query] {
        schema.store.toManyAccess.compactMap { place, access in
            guard let columns = access.columnsOfMembers, let query = schema.selection(access),
                case let owners = touched.owners(of: place), !owners.isEmpty
            else { return nil }
            let key = ServerSchema.quoted(columns.key)
            return Query(
                command: PostgreSQLCommand(query + " WHERE \(key) = ANY($1)", [.keys(owners)])
            ) {
                $0.members.append(FeedPage.Members(access: access, owners: owners, rows: $1))
            }
        }
    }

    private func joinQueries(_ touched: TouchedRows) -> [Query] {
        schema.store.joinTables.compactMap { join in
            let sources = touched.owners(of: join.owner)
            let destinations = touched.owners(of: join.inverse)
            guard !sources.isEmpty || !destinations.isEmpty else { return nil }
            let query =
                schema.selection(join)
                + " WHERE \(ServerSchema.quoted(join.sourceColumn)) = ANY($1) "
                + "OR \(ServerSchema.quoted(join.destinationColumn)) = ANY($2)"
            return Query(
                command: PostgreSQLCommand(query, [.keys(sources), .keys(destinations)])
            ) {
                $0.joins.append(
                    FeedPage.Joins(
                        table: join,
                        sources: sources,
                        destinations: destinations,
                        rows: $1
                    )
                )
            }
        }
    }
}
#endif
