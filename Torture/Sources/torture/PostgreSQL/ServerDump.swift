#if PostgreSQL
import Foundation

/// What is in a schema on a server, by plain SQL, in the lines of `StoreDump`.
enum ServerDump {
    /// Sorted; by one statement, since rows of the report ask thousands of times.
    static func lines(_ connection: ServerConnection) throws -> [String] {
        let join = try connection.itemTags.get()
        func name(_ column: String) -> String { "coalesce(\(column)::text, '-')" }
        let tags =
            "(SELECT string_agg(t.\"ZNAME\", ',' ORDER BY t.\"ZNAME\" COLLATE \"C\") "
            + "FROM \"\(join.table)\" j JOIN \"ZTAG\" t ON t.\"Z_PK\" = j.\"\(join.tag)\" "
            + "WHERE j.\"\(join.item)\" = i.\"Z_PK\")"
        let columns = ["i.\"ZNAME\"", "i.\"ZVALUE\"", "i.\"ZNOTE\"", "o.\"ZNAME\"", tags]
        let entries =
            "(SELECT string_agg(e.\"ZNAME\", ',' ORDER BY e.\"Z_FOK_LIST\") FROM \"ZENTRY\" e "
            + "WHERE e.\"ZLIST\" = l.\"Z_PK\")"
        let queries =
            [
                "SELECT 'item ' || \(columns.map(name).joined(separator: " || ' ' || ")) || '  -' "
                    + "FROM \"ZITEM\" i LEFT JOIN \"ZOWNER\" o ON o.\"Z_PK\" = i.\"ZOWNER\"",
                "SELECT 'list ' || l.\"ZNAME\" || ' ' || coalesce(\(entries), '') FROM \"ZLIST\" l",
            ]
            + ["ZOWNER", "ZTAG", "ZENTRY"].map { "SELECT '\($0) ' || \"ZNAME\" FROM \"\($0)\"" }
        return try connection.strings(queries.joined(separator: " UNION ALL ")).sorted()
    }

    /// What is wrong with the numbers of the feed, in sentences: they have no gaps.
    static func numberViolations(_ connection: ServerConnection) throws -> [String] {
        let row = try connection.rows(
            "SELECT count(*), count(DISTINCT number), coalesce(min(number), 1), "
                + "coalesce(max(number), 0), (SELECT last FROM z_numbering) "
                + "FROM z_transaction WHERE NOT is_void AND number IS NOT NULL"
        )[0].map { $0.flatMap { Int($0) } ?? -1 }
        guard row[0] == row[1], row[2] == 1, row[3] == row[0], row[4] == row[0] else {
            return [
                "\(row[0]) saves have \(row[1]) numbers from \(row[2]) to \(row[3]) of \(row[4])"
            ]
        }
        return []
    }

    /// How two dumps differ, in a few words; nil if they don't.
    static func difference(_ lines: [String], from server: [String], _ whose: String) -> String? {
        guard lines != server else { return nil }
        let own = Set(lines), others = Set(server)
        let missing = server.filter { !own.contains($0) },
            more = lines.filter { !others.contains($0) }
        return
            "\(whose) lacks \(missing.count) lines of the server (\(missing.first ?? "-")), it has "
            + "\(more.count) others (\(more.first ?? "-"))"
    }
}
#endif
