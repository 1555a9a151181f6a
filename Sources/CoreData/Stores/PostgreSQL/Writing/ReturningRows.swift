#if PostgreSQL
/// Rows that take the place of deleted ones, with their keys, as merge policies have them do.
///
/// They go on above the versions that their keys have had. A machine that has heard neither of the
/// deletion nor of the return saves by the version that it knows: were that given again, it would
/// overwrite a row that it has never read.
extension StoreChangeSet {
    var returning: [Row] {
        reinserts.isEmpty ? [] : inserts.filter { reinserts.contains($0.reference) }
    }
}

extension PostgreSQLStore {
    /// Gives rows that come back their versions, which only the server knows.
    func raiseVersions(of rows: [Row], _ open: OpenPostgreSQLStore) throws {
        guard !rows.isEmpty else { return }
        let schema = open.schema
        let known = try open.session.performRepeatably { connection in
            let command = PostgreSQLCommand(
                "SELECT greatest((SELECT deleted_version FROM \(schema.path("z_numbering"))), "
                    + "(SELECT max(d.v) FROM \(schema.path("z_change")) c "
                    + "CROSS JOIN LATERAL unnest(c.keys, c.versions) AS d(k, v) "
                    + "WHERE \(SaveStatements.deletions) AND c.keys && $1 AND d.k = ANY($1)))",
                [.keys(rows.map(\.primaryKey))]
            )
            return try connection.run([.byIndexes, command])[1].integer(0, 0)
        }
        // One for all of them: it need not be the next, only one that no key has had.
        for row in rows { row.setVersion(Int32(truncatingIfNeeded: known) &+ 1) }
    }
}

extension SaveStatements {
    /// A condition for records of deletions, which an index of the feed has.
    static let deletions = "c.kind = \(NSPersistentHistoryChangeType.delete.rawValue)"

    /// Others may have let a row come back and deleted it again since its version was asked for.
    mutating func checkVersions(of rows: [Row]) {
        guard !rows.isEmpty else { return }
        check(
            "FROM \(schema.path("z_change")) c "
                + "CROSS JOIN LATERAL unnest(c.keys, c.versions) AS d(k, v) "
                + "JOIN unnest($3::int8[], $4::int8[]) AS n(k, v) ON n.k = d.k AND n.v <= d.v "
                + "WHERE \(Self.deletions) AND c.keys && $3",
            count: 0,
            state: PostgreSQLError.State.conflict,
            .keys(rows.map(\.primaryKey)),
            .keys(rows.map { Int64($0.version) })
        )
    }
}

extension Row {
    /// Gives a row that nobody else has yet another version.
    fileprivate func setVersion(_ version: Int32) {
        withUnsafeMutablePointerToHeader { $0.pointee.version = version }
    }
}
#endif
