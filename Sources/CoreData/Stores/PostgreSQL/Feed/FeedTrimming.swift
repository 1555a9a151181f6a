#if PostgreSQL
import Foundation

/// Deletes what a server keeps of saves that all machines are said to have read.
///
/// A machine that has not read them is told so by the number that is noted with it: it copies its
/// replica anew, and misses nothing.
struct FeedTrimming {
    let schema: ServerSchema

    func run(_ connection: PostgreSQLConnection, before bound: HistoryBound) throws {
        let numbering = schema.path("z_numbering")
        let transactions = schema.path("z_transaction"), changes = schema.path("z_change")
        _ = try connection.run([
            PostgreSQLCommand("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
            // Nobody numbers saves meanwhile.
            PostgreSQLCommand("SELECT last FROM \(numbering) FOR UPDATE"),
            last(bound),
            PostgreSQLCommand(
                "UPDATE \(numbering) SET deleted_version = greatest(deleted_version, (SELECT max(v) "
                    + "FROM \(changes) c JOIN \(transactions) t ON t.seq = c.seq "
                    + "CROSS JOIN LATERAL unnest(c.versions) AS d(v) WHERE \(SaveStatements.deletions) "
                    + "AND t.number <= trimmed))"
            ),
            PostgreSQLCommand(
                "DELETE FROM \(changes) c USING \(transactions) t, \(numbering) n "
                    + "WHERE t.seq = c.seq AND t.number <= n.trimmed"
            ),
            // The last one stays, with its UUID, by which a machine that is there knows its place.
            PostgreSQLCommand(
                "DELETE FROM \(transactions) t USING \(numbering) n WHERE t.number < n.trimmed"
            ),
            PostgreSQLCommand("COMMIT"),
        ])
    }

    /// Notes the last number whose changes go.
    private func last(_ bound: HistoryBound) -> PostgreSQLCommand {
        let numbering = schema.path("z_numbering")
        switch bound {
        case .unbounded:
            return PostgreSQLCommand("UPDATE \(numbering) SET trimmed = last")
        case .number(let number):
            return PostgreSQLCommand(
                "UPDATE \(numbering) SET trimmed = greatest(trimmed, least($1 - 1, last))",
                [.integer(max(1, number))]
            )
        case .timestamp(let time):
            // Up to the first one that is not older: the clocks of machines differ, and a feed with
            // a gap would be none.
            return PostgreSQLCommand(
                "UPDATE \(numbering) SET trimmed = greatest(trimmed, coalesce((SELECT min(number) - 1 "
                    + "FROM \(schema.path("z_transaction")) WHERE number > trimmed AND at >= $1), last))",
                [.real(time)]
            )
        }
    }
}
#endif
