#if PostgreSQL
import Foundation

/// What a save becomes on a server: statements that are sent at once, and that stop with an error
/// of their own where the server has something else than the save was made for.
///
/// Rows are locked first, in the order of tables and keys, and their versions compared. What others
/// commit until then is seen by the statements that follow; what they want to change then waits for
/// this save.
struct SaveStatements {
    let schema: ServerSchema
    let images: RowImages
    private(set) var commands: [PostgreSQLCommand] = []
    /// Those that deleted rows have had, which the feed keeps.
    private(set) var deletedVersions: [RowReference: Int32] = [:]

    var store: StoreSchema { schema.store }

    init(_ schema: ServerSchema, _ writer: StoreWriter) {
        self.schema = schema
        images = RowImages(schema: schema, writer: writer)
    }

    mutating func add(_ sql: String, _ parameters: PostgreSQLParameter...) {
        commands.append(PostgreSQLCommand(sql, parameters))
    }

    mutating func add(_ sql: String, _ parameters: [PostgreSQLParameter]) {
        commands.append(PostgreSQLCommand(sql, parameters))
    }

    /// That the server is the one whose rows the replica has: versions compare with no other's.
    mutating func check(_ origin: ReplicaOrigin) {
        check(
            "FROM \(schema.path("z_metadata")) WHERE uuid = $3 AND ($4::uuid IS NULL OR EXISTS "
                + "(SELECT 1 FROM \(schema.path("z_transaction")) WHERE save = $4 AND NOT is_void))",
            count: 1,
            state: PostgreSQLError.State.otherFeed,
            .text(origin.store),
            .uuid(origin.newestSave)
        )
    }

    /// What is there, which is sent now.
    mutating func takeCommands() -> [PostgreSQLCommand] {
        defer { commands = [] }
        return commands
    }

    /// The statements for rows and relationships, inside a transaction.
    mutating func add(_ changes: StoreChangeSet) throws {
        try begin(changes)
        try insert(changes.inserts)
        try end(changes)
    }

    /// Those that come before the new rows.
    mutating func begin(_ changes: StoreChangeSet) throws {
        let updates = changes.updates.map { update in
            ChangedRow(
                reference: update.row.reference,
                oldVersion: update.old.version,
                changed: update.changed
            )
        }
        let targets = changes.isCopy ? [:] : changes.targets(store.model)
        if changes.isAboutRowsOfBefore || !targets.isEmpty { commands.append(.byIndexes) }
        let isPlain = isPlain(changes.deletes, updates)
        if !isPlain { lock(changes.deletes, updates) }
        checkTargets(targets, new: changes.inserts)
        delete(changes.deletes)
        try update(updates, checksVersions: isPlain)
    }

    /// Those that come behind them.
    mutating func end(_ changes: StoreChangeSet) throws {
        checkVersions(of: changes.returning)
        try change(changes.toManyChanges)
        checkReferences(changes.deletes) { $0.clearsOwner($1) }
    }

    /// The statements for what a batch request has done.
    ///
    /// - Parameter targets: The keys of the rows that it has others refer to, by their trees' roots.
    mutating func add(_ batch: BatchChanges, targets: [Int: Set<Int64>] = [:]) throws {
        let updates = batch.updates
        commands.append(.byIndexes)
        let isPlain = isPlain(batch.deletes, updates)
        if !isPlain { lock(batch.deletes, updates) }
        checkTargets(targets, new: [])
        delete(batch.deletes)
        try update(updates, checksVersions: isPlain)
        // Of all relationships: what refers to a deleted row has lost it in the replica, whatever
        // its delete rule is, and the server may have more of it.
        checkReferences(batch.deletes) { _, _ in true }
    }

    // MARK: Locks

    /// Whether rows are changed by one statement, which may lock them and compare their versions
    /// itself.
    ///
    /// Not a few ones: they are locked in the order of their keys, lest two saves that meet wait for
    /// each other. Saves of many rows that meet are rare; if they wait for each other, the server ends
    /// one of them, which is repeated.
    private func isPlain(_ deletes: [StoreChangeSet.Delete], _ updates: [ChangedRow]) -> Bool {
        guard deletes.isEmpty, let first = updates.first else { return false }
        guard updates.count == 1 || updates.count > Self.maximumOrderedCount else { return false }
        return updates.allSatisfy {
            $0.reference.entityIndex == first.reference.entityIndex && $0.changed == first.changed
        }
    }
    private static let maximumOrderedCount = 100

    private mutating func lock(_ deletes: [StoreChangeSet.Delete], _ updates: [ChangedRow]) {
        let deletes = deletes.map { ($0.reference, $0.version) }
        let updates = updates.map { ($0.reference, $0.oldVersion) }
        for table in schema.tables {
            // Whoever refers to a row holds a lock on its key, for which a delete has to wait.
            lock(table, deletes, "FOR UPDATE")
            lock(table, updates, "FOR NO KEY UPDATE")
        }
    }

    private mutating func lock(
        _ table: ServerSchema.Table,
        _ rows: [(reference: RowReference, version: Int32)],
        _ strength: String
    ) {
        let rows = rows.filter { root($0.reference) == table.rootIndex }
        guard !rows.isEmpty else { return }
        check(
            "FROM \(schema.path(table.name)) t JOIN unnest($3::int8[], $4::int8[]) AS n(k, v) "
                + "ON t.\"Z_PK\" = n.k AND t.\"Z_OPT\" = n.v ORDER BY t.\"Z_PK\" \(strength) OF t",
            count: rows.count,
            state: PostgreSQLError.State.conflict,
            .keys(rows.map(\.reference.primaryKey)),
            .keys(rows.map { Int64($0.version) })
        )
    }

    /// The rows that the save relates others to are there, and stay until it is committed.
    private mutating func checkTargets(_ targets: [Int: Set<Int64>], new rows: [Row]) {
        for (rootIndex, keys) in targets.sorted(by: { $0.key < $1.key }) {
            guard let table = schema.table(rootIndex: rootIndex) else { continue }
            // The entity of a new row may be any of the tree.
            let new = Set(rows.filter { root($0.reference) == rootIndex }.map(\.primaryKey))
            let others = keys.subtracting(new)
            guard !others.isEmpty else { continue }
            check(
                "FROM \(schema.path(table.name)) t WHERE t.\"Z_PK\" = ANY($3) "
                    + "ORDER BY t.\"Z_PK\" FOR KEY SHARE",
                count: others.count,
                state: PostgreSQLError.State.lostTargets,
                .keys(others.sorted())
            )
        }
    }

    /// Rows that refer to deleted ones by the to-one end of a one-to-many relationship; see
    /// `StoreWriter.checkReferences(to:)`.
    ///
    /// - Parameter isCleared: Whether to look at a relationship to a deleted row of an entity.
    private mutating func checkReferences(
        _ deletes: [StoreChangeSet.Delete],
        where isCleared: (EntityLayout, PropertySlot) -> Bool
    ) {
        guard !deletes.isEmpty else { return }
        for entity in store.members {
            for slot in entity.toOneSlots.map({ entity.slots[$0] })
            where slot.declaringEntityIndex == entity.index {
                let keys = deletes.map(\.reference).filter { reference in
                    let index = reference.entityIndex
                    return slot.destinationIndex <= index && index <= slot.destinationLastIndex
                        && isCleared(store.model.entities[index], slot)
                }
                guard !keys.isEmpty, let column = store.columns(entity, slot.index).value,
                    let table = schema.table(rootIndex: entity.rootIndex)?.name
                else { continue }
                check(
                    "FROM \(schema.path(table)) WHERE \(q(column)) = ANY($3)",
                    count: 0,
                    state: PostgreSQLError.State.lateReferences,
                    .keys(keys.map(\.primaryKey))
                )
            }
        }
    }

    /// Stops the transaction with an error unless a query finds so many rows.
    mutating func check(
        _ query: String,
        count: Int,
        state: String,
        _ parameters: PostgreSQLParameter...
    ) {
        add(
            "SELECT \(schema.path("z_check"))($1, (SELECT count(*) FROM (SELECT 1 \(query)) x), $2)",
            [.integer(Int64(count)), .text(state)] + parameters
        )
    }

    // MARK: Rows

    private mutating func delete(_ deletes: [StoreChangeSet.Delete]) {
        for delete in deletes { deletedVersions[delete.reference] = delete.version }
        for (rootIndex, keys) in keysByRoot(deletes.map(\.reference)) {
            guard let table = schema.table(rootIndex: rootIndex) else { continue }
            add("DELETE FROM \(schema.path(table.name)) WHERE \"Z_PK\" = ANY($1)", .keys(keys))
        }
        removeJoins(of: deletes.map(\.reference))
    }

    /// - Parameter checksVersions: Whether the rows have not been locked.
    private mutating func update(_ updates: [ChangedRow], checksVersions: Bool) throws {
        // Rows with the same changes are one statement. Columns that nobody has changed are left
        // alone: a large value need not travel for a small one.
        let shapes = Dictionary(grouping: updates) {
            StoreWriter.UpdateShape(entity: $0.reference.entityIndex, changed: $0.changed)
        }
        let sorted = shapes.values.sorted {
            ($0[0].reference.rawValue) < ($1[0].reference.rawValue)
        }
        for rows in sorted {
            let layout = store.model.entities[rows[0].reference.entityIndex]
            guard let table = schema.table(rootIndex: layout.rootIndex) else { continue }
            let rows = rows.sorted { $0.reference.primaryKey < $1.reference.primaryKey }
            let slots = rows[0].changed.members.map { store.columns(layout, $0) }
            let names = Set(slots.flatMap(\.contents))
            let columns = [Self.version] + table.columns.filter { names.contains($0.name) }
            let image = try images.columns(
                columns,
                of: table.name,
                keys: rows.map(\.reference.primaryKey)
            )
            let places = columns.indices.map { "c\($0)" }
            var assignments = zip(columns, places).map { "\(q($0.name)) = n.\($1)" }
            // The place was one in the old owner's collection; the new one's follows by itself.
            assignments += slots.compactMap(\.order).map { "\(q($0)) = NULL" }
            let statement =
                "UPDATE \(schema.path(table.name)) t SET \(assignments.joined(separator: ", ")) "
                + "FROM unnest(\(unnested([Self.version] + columns, behind: "$1::int8[]"))) "
                + "AS n(\((["k", "v"] + places).joined(separator: ", "))) "
                + "WHERE t.\"Z_PK\" = n.k AND t.\"Z_OPT\" = n.v"
            let parameters =
                [image.keys.parameter, .keys(rows.map { Int64($0.oldVersion) })]
                + image.columns.map(\.parameter)
            guard checksVersions else {
                add(statement, parameters)
                continue
            }
            let count = parameters.count
            add(
                "WITH u AS (\(statement) RETURNING 1) SELECT \(schema.path("z_check"))"
                    + "($\(count + 1), (SELECT count(*) FROM u), $\(count + 2))",
                parameters
                    + [.integer(Int64(rows.count)), .text(PostgreSQLError.State.conflict)]
            )
        }
    }

    /// New rows, all of them or the next ones.
    mutating func insert(_ rows: some Collection<Row>) throws {
        for (rootIndex, keys) in keysByRoot(rows.map(\.reference)) {
            guard let table = schema.table(rootIndex: rootIndex) else { continue }
            let columns =
                [Self.entity, Self.version] + table.columns
                + table.memberColumns.map(ServerSchema.integer)
            let image = try images.columns(columns, of: table.name, keys: keys)
            let names = (["Z_PK"] + columns.map(\.name)).map(q).joined(separator: ", ")
            add(
                "INSERT INTO \(schema.path(table.name)) (\(names)) "
                    + "SELECT * FROM unnest(\(unnested(columns, behind: "$1::int8[]")))",
                [image.keys.parameter] + image.columns.map(\.parameter)
            )
        }
    }

    // MARK: Parts

    private static let entity = ServerSchema.integer("Z_ENT")
    private static let version = ServerSchema.integer("Z_OPT")

    /// The arguments of `unnest` for arrays of columns, from the second parameter on.
    private func unnested(_ columns: [ServerSchema.Column], behind first: String) -> String {
        let others = columns.enumerated().map { "$\($0 + 2)::\($1.type.name)[]" }
        return ([first] + others).joined(separator: ", ")
    }

    func root(_ reference: RowReference) -> Int {
        store.model.entities[reference.entityIndex].rootIndex
    }

    /// The keys of rows by the roots of their trees, both in ascending order.
    func keysByRoot(_ references: [RowReference]) -> [(root: Int, keys: [Int64])] {
        Dictionary(grouping: references, by: root)
            .map { (root: $0.key, keys: $0.value.map(\.primaryKey).sorted()) }
            .sorted { $0.root < $1.root }
    }

    func q(_ name: String) -> String { ServerSchema.quoted(name) }
}

extension StoreChangeSet {
    /// Whether the save is about rows, or places in relationships, that are there already.
    fileprivate var isAboutRowsOfBefore: Bool {
        !(updates.isEmpty && deletes.isEmpty && toManyChanges.isEmpty && returning.isEmpty)
    }
}
#endif
