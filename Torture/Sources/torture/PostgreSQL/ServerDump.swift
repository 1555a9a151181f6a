#if PostgreSQL
import Foundation

/// What is in a schema on a server, by plain SQL, in the lines of `StoreDump`.
enum ServerDump {
    /// Sorted.
    static func lines(_ connection: ServerConnection) throws -> [String] {
        let join = try connection.itemTags.get()
        let items = try connection.rows(
            "SELECT i.\"ZNAME\", i.\"ZVALUE\", i.\"ZNOTE\", o.\"ZNAME\", (SELECT string_agg("
                + "t.\"ZNAME\", ',' ORDER BY t.\"ZNAME\" COLLATE \"C\") FROM \"\(join.table)\" j "
                + "JOIN \"ZTAG\" t ON t.\"Z_PK\" = j.\"\(join.tag)\" "
                + "WHERE j.\"\(join.item)\" = i.\"Z_PK\") "
                + "FROM \"ZITEM\" i LEFT JOIN \"ZOWNER\" o ON o.\"Z_PK\" = i.\"ZOWNER\""
        )
        var lines = items.map { row in
            "item " + row.map { $0 ?? "-" }.joined(separator: " ") + "  -"
        }
        for table in ["ZOWNER", "ZTAG", "ZENTRY"] {
            lines += try connection.strings("SELECT '\(table) ' || \"ZNAME\" FROM \"\(table)\"")
        }
        lines += try connection.strings(
            "SELECT 'list ' || l.\"ZNAME\" || ' ' || coalesce((SELECT string_agg(e.\"ZNAME\", ',' "
                + "ORDER BY e.\"Z_FOK_LIST\") FROM \"ZENTRY\" e WHERE e.\"ZLIST\" = l.\"Z_PK\"), '') "
                + "FROM \"ZLIST\" l"
        )
        return lines.sorted()
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
