import CSQLite
import Foundation

/// Migrates the file of a store in place, all in one transaction of SQLite: whatever ends it, the
/// file holds either the old store or the new one.
///
/// Tables that change are made anew and filled by SQL, so that no row passes through memory; the
/// others stay as they are. Tables that are not the model's (history, mirroring, a client's own)
/// are left alone.
///
/// > Threading: Confined to its connection's user.
final class StoreMigration {
    let plan: SchemaMigration
    let connection: SQLiteConnection
    let file: StoreFile
    /// What the source's tables are called while the new ones are filled.
    private var oldNames: [String: String] = [:]
    /// Why a value in a file of its own could not be read.
    private var externalFailure: (any Error)?

    init(_ plan: SchemaMigration, on connection: SQLiteConnection, file: StoreFile) {
        self.plan = plan
        self.connection = connection
        self.file = file
    }

    /// Makes tables and rows those of the destination; the caller has begun a transaction.
    func run() throws {
        // While the tables still have their names.
        let maxima = try readMaxima()
        try registerExternalValueFunction()
        try dropDerivationTriggers()
        let tables = plan.destination.tables.filter { !plan.keeps($0) }
        let joins = plan.destination.joinTables.filter { !plan.keeps($0) }
        try moveAway(
            plan.source.tables.map(\.name) + plan.source.joinTables.map(\.name),
            keeping: Set(
                plan.destination.tables.map(\.name) + plan.destination.joinTables.map(\.name)
            ).subtracting(tables.map(\.name) + joins.map(\.name))
        )
        for definition in plan.destination.tableDefinitions(of: tables, joins) {
            try connection.execute(definition)
        }
        for table in tables { try copyRows(to: table) }
        // When all rows are there, since a link is taken over only if both of its ends are.
        try LinkWriter(self).run(joins: joins)
        for name in oldNames.values.sorted() {
            try connection.execute("DROP TABLE \(SQLName.quoted(name))")
        }
        // When all links are written, and before anything is made for rows that are refused after
        // all: an error rolls back everything.
        try MigrationCheck(plan, connection, url: file.url).run()
        // After the rows, since an index is made faster in one go than with each row, and a unique
        // one tells now which constraint they break.
        try makeIndexes()
        try DerivedValueFilling(schema: plan.destination, connection: connection).run()
        // After the filling, whose updates would set them off.
        for trigger in plan.destination.derivationTriggers() { try connection.execute(trigger) }
        try writeEntities(maxima)
        try HistoryMigration(plan: plan, connection: connection, url: file.url).run()
    }

    /// The name under which the rows of a source's table are found.
    func oldName(_ table: String) -> String { SQLName.quoted(oldNames[table] ?? table) }

    func run(_ fragment: SQLFragment) throws {
        let statement = try connection.statement(fragment.sql)
        statement.bind(fragment.bindings)
        try statement.run()
        statement.clear()
    }

    // MARK: Tables

    /// They refer to tables that get other names; the destination's are made in the end.
    private func dropDerivationTriggers() throws {
        let names = try connection.texts(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'Z\\_DA\\_%' "
                + "ESCAPE '\\'"
        )
        for name in names { try connection.execute("DROP TRIGGER \(SQLName.quoted(name))") }
    }

    private func moveAway(_ tables: [String], keeping kept: Set<String>) throws {
        for (place, table) in tables.enumerated() where !kept.contains(table) {
            // The names of indexes are unique in the whole file, and the new table's may be the
            // same. What has no SQL is the index of a key, which goes with its table.
            let indexes = try connection.texts(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
                    + "AND tbl_name = ? COLLATE NOCASE",
                table
            )
            for index in indexes { try connection.execute("DROP INDEX \(SQLName.quoted(index))") }
            // Tables of entities have capitals only, so that no name can be in use.
            let name = "migrating_\(place)"
            try connection.execute(
                "ALTER TABLE \(SQLName.quoted(table)) RENAME TO \(SQLName.quoted(name))"
            )
            oldNames[table] = name
        }
    }

    private func copyRows(to table: EntityTable) throws {
        for pair in plan.pairs(in: table) {
            guard let old = plan.source.entityTable(rootIndex: pair.source.rootIndex) else {
                continue
            }
            var names = ["Z_PK", "Z_ENT", "Z_OPT"]
            var contents = SQLFragment("Z_PK, \(plan.destinationNumber(pair)), Z_OPT")
            for column in table.columns {
                guard let content = plan.content(of: column, for: pair) else { continue }
                names.append(SQLName.quoted(column.name))
                contents = contents + ", " + content
            }
            let condition =
                pair.source.hasSubentities
                // Exactly this entity's rows: sub-entities are pairs of their own and may go to
                // other tables.
                ? "Z_ENT = \(plan.sourceNumber(pair))" : plan.source.entityCondition(pair.source)
            do {
                try run(
                    "INSERT INTO \(SQLName.quoted(table.name)) (\(names.joined(separator: ", "))) "
                        + "SELECT " + contents + " FROM \(oldName(old.name)) WHERE "
                        + condition
                )
            } catch {
                // SQLite tells only that the function failed.
                throw externalFailure ?? error
            }
        }
    }

    // MARK: Indexes

    /// A table that stayed may have indexes already, and ones that the destination lacks.
    private func makeIndexes() throws {
        let wanted = plan.destination.indexDefinitions()
        let gone = Set(plan.source.indexDefinitions().map(\.name)).subtracting(wanted.map(\.name))
        for name in gone.sorted() {
            try connection.execute("DROP INDEX IF EXISTS \(SQLName.quoted(name))")
        }
        let existing = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'index'")
        // SQLite compares names without regard to case.
        let known = Set(existing.map { $0.uppercased() })
        for index in wanted where !known.contains(index.name.uppercased()) {
            try make(index)
        }
    }

    private func make(_ index: StoreSchema.IndexDefinition) throws {
        do {
            try connection.execute(index.sql)
        } catch {
            guard error.code == SQLITE_CONSTRAINT else { throw error }
            throw CocoaError.migrationConstraint(
                file.url,
                entity: index.entity,
                keys: index.keys,
                underlying: error.cocoaError(file.url)
            )
        }
    }

    // MARK: Bookkeeping

    /// The last primary key handed out, by the source's root index.
    private func readMaxima() throws -> [Int: Int64] {
        var maxima: [Int: Int64] = [:]
        for table in plan.source.tables {
            let number = plan.source.numbers[table.rootIndex]
            let written = try connection.integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"
            )
            // The larger of both, since a row beyond the written maximum must not have its key
            // handed out again.
            let used = try connection.integer(
                "SELECT max(Z_PK) FROM \(SQLName.quoted(table.name))"
            )
            maxima[table.rootIndex] = max(written ?? 0, used ?? 0)
        }
        return maxima
    }

    private func writeEntities(_ maxima: [Int: Int64]) throws {
        try connection.execute(
            "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 1 AND \(plan.source.members.count)"
        )
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
                + "VALUES (?, ?, ?, ?)"
        )
        for entity in plan.destination.members {
            let family = plan.pairs.filter { $0.destination.rootIndex == entity.index }
            statement.bind(1, Int64(plan.destination.numbers[entity.index]))
            statement.bind(2, entity.name)
            statement.bind(
                3,
                Int64(entity.parent.map { plan.destination.numbers[$0.index] } ?? 0)
            )
            // Only roots have one; a key that was handed out once is never used again.
            statement.bind(4, family.compactMap { maxima[$0.source.rootIndex] }.max() ?? 0)
            try statement.run()
        }
    }
}

extension StoreMigration {
    /// Registers the function that gives the bytes of a value that had a mark, see
    /// `SchemaMigration.content(of:for:)`.
    private func registerExternalValueFunction() throws(SQLiteError) {
        // Until the connection is closed, which happens before this object goes.
        let user = Unmanaged.passUnretained(self).toOpaque()
        let code = sqlite3_create_function_v2(
            connection.handle,
            "StoreMigrationExternalValue",
            1,
            SQLITE_UTF8 | SQLITE_DIRECTONLY,
            user,
            { context, count, arguments in
                guard count == 1, let arguments, let user = sqlite3_user_data(context),
                    let start = sqlite3_value_blob(arguments[0])
                else { return }
                let bytes = Data(bytes: start, count: Int(sqlite3_value_bytes(arguments[0])))
                let migration = Unmanaged<StoreMigration>.fromOpaque(user).takeUnretainedValue()
                let content: Data?
                do {
                    content = try ExternalValue.decode(bytes, file: migration.file)
                } catch {
                    migration.externalFailure = error
                    sqlite3_result_error(context, "A value in a file can't be read.", -1)
                    return
                }
                guard let content else { return }
                content.withUnsafeBytes { buffer in
                    guard let base = buffer.baseAddress else {
                        return sqlite3_result_zeroblob(context, 0)
                    }
                    sqlite3_result_blob64(
                        context,
                        base,
                        UInt64(buffer.count),
                        SQLiteStatement.copying
                    )
                }
            },
            nil,
            nil,
            nil
        )
        if code != SQLITE_OK { throw SQLiteError(connection.handle, code: code) }
    }
}

extension SQLiteConnection {
    /// The first column of all rows, as text.
    func texts(_ sql: String, _ argument: String? = nil) throws(SQLiteError) -> [String] {
        let statement = try statement(sql)
        defer { statement.clear() }
        if let argument { statement.bind(1, argument) }
        var result: [String] = []
        while try statement.step() { result.append(statement.text(0)) }
        return result
    }
}
