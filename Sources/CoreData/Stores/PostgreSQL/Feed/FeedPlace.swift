#if PostgreSQL
import Foundation

/// What a server says of the place in its feed that a replica is at.
struct FeedPlace {
    /// The last number that was given.
    let last: Int64
    /// Whether saves are committed that have no number yet.
    let hasUnnumbered: Bool
    /// The last number whose changes the server has deleted.
    fileprivate let trimmed: Int64
    /// The UUID of the store that the server has.
    fileprivate let store: String
    /// The save that has the replica's number.
    fileprivate let save: UUID?
    fileprivate let number: Int64

    /// Whether the feed goes on from where a replica is.
    ///
    /// - Throws: 134070 if the server has another store there by now.
    func continues(_ origin: ReplicaOrigin, url: URL) throws -> Bool {
        guard store == origin.store else { throw CocoaError.storeWasReplacedOnServer(url) }
        // Of the last number whose changes are deleted the save is still there: who has got so far
        // needs none of them.
        return last >= number && number >= trimmed && (number == 0 || save == origin.lastSave)
    }
}

/// The feed does not go on from where a replica is: the server has lost what the replica has read,
/// as after a fail-over to a machine that had not got it yet, or it has deleted what comes next.
struct BrokenFeed: Error {}

extension FeedReader {
    func place(of number: Int64) throws -> FeedPlace {
        place(try connection.run([placeCommand(of: number)])[0], number)
    }

    func placeCommand(of number: Int64) -> PostgreSQLCommand {
        let transactions = schema.path("z_transaction")
        return PostgreSQLCommand(
            "SELECT n.last, m.uuid, n.trimmed, (SELECT save FROM \(transactions) WHERE number = $1), "
                + "\(hasUnnumbered) "
                + "FROM \(schema.path("z_numbering")) n, \(schema.path("z_metadata")) m",
            [.integer(number)]
        )
    }

    /// What `placeCommand` has found.
    func place(_ result: PostgreSQLResult, _ number: Int64) -> FeedPlace {
        FeedPlace(
            last: result.integer(0, 0),
            hasUnnumbered: result.integer(0, 4) != 0,
            trimmed: result.integer(0, 2),
            store: result.text(0, 1),
            save: result.uuid(0, 3),
            number: number
        )
    }

    /// Has the numbers of the feed go on above one that a lost transaction has had.
    ///
    /// What follows then has numbers that nobody has seen before, and whoever asks for what comes
    /// after a lost one is told that it has expired.
    func mark(above number: Int64) throws {
        _ = try connection.run([
            PostgreSQLCommand("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
            PostgreSQLCommand("SELECT last FROM \(schema.path("z_numbering")) FOR UPDATE"),
            PostgreSQLCommand(
                "INSERT INTO \(schema.path("z_transaction")) (save, at, number) "
                    + "SELECT $1, $2, $3 + 1 FROM \(schema.path("z_numbering")) WHERE last <= $3",
                [
                    .uuid(UUID()), .real(Date().timeIntervalSinceReferenceDate), .integer(number),
                ]
            ),
            PostgreSQLCommand(
                "UPDATE \(schema.path("z_numbering")) SET last = greatest(last, $1)",
                [.integer(number + 1)]
            ),
            PostgreSQLCommand("COMMIT"),
        ])
    }
}
#endif
