#if PostgreSQL
import CPostgreSQLLibrary
import Foundation

/// A connection to a server by libpq alone, without the engine.
///
/// > Threading: One thread at a time.
final class ServerConnection {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let handle: OpaquePointer
    /// The join table of items and tags with its columns, once it was asked for.
    private(set) lazy var itemTags = Result { try findItemTags() }

    /// - Parameter schema: Whose tables statements name.
    init(_ url: URL, schema: String) throws {
        guard let handle = PQconnectdb(url.absoluteString) else {
            throw Failure(description: "memory is short")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else {
            throw Failure(description: String(cString: PQerrorMessage(handle)))
        }
        // They would go to standard error.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        try rows("SET search_path TO \"\(schema)\"")
    }

    deinit { PQfinish(handle) }

    /// Runs a statement.
    ///
    /// - Returns: The rows as texts; nil is NULL.
    @discardableResult
    func rows(_ sql: String) throws -> [[String?]] {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            throw Failure(
                description: String(cString: PQerrorMessage(handle)) + " (\(sql.prefix(60)))"
            )
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0 else { return nil }
                return PQgetvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }

    /// The first column; NULL counts as empty.
    func strings(_ sql: String) throws -> [String] { try rows(sql).map { ($0.first ?? nil) ?? "" } }

    /// The first value of the first row.
    func number(_ sql: String) throws -> Int { try strings(sql).first.flatMap { Int($0) } ?? -1 }

    /// Takes in what has arrived: of all that this type does, what is counted on the main thread.
    func takeInput() { _ = PQconsumeInput(handle) }

    struct ItemTags {
        let table: String
        let item: String
        let tag: String
    }

    private func findItemTags() throws -> ItemTags {
        let columns = try rows(
            "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
                + "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' "
                + "AND c.relname LIKE 'Z\\_%' AND a.attnum > 0"
        )
        func name(_ suffix: String) -> (table: String, column: String)? {
            columns.first { $0[1]?.hasSuffix(suffix) == true }
                .flatMap { row in row[0].flatMap { table in row[1].map { (table, $0) } } }
        }
        guard let item = name("ITEMS"), let tag = name("TAGS"), item.table == tag.table else {
            throw Failure(description: "there is no join table of items and tags")
        }
        return ItemTags(table: item.table, item: item.column, tag: tag.column)
    }
}
#endif
