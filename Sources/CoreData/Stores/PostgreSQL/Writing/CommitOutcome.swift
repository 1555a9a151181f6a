#if PostgreSQL
import Foundation

/// Finds out whether a save counts whose commit was sent and never answered.
///
/// Never by the number of the server's transaction: after a crash numbers are given out again.
struct CommitOutcome {
    let save: UUID
    let schema: ServerSchema

    /// How many connections are tried.
    private static let maximumAttempts = 3

    /// Asks on a new connection, so that afterwards the save counts or never will.
    ///
    /// - Returns: Whether it is committed.
    /// - Throws: `PostgreSQLError` if the server does not say.
    func settle(_ session: ServerSession) throws -> Bool {
        let start = ContinuousClock.now
        let patience = Duration.milliseconds(session.address.patience)
        var attempts = 0
        while true {
            attempts += 1
            do {
                // A transaction that is still under way and has come as far as this row is waited
                // for. One that has not fails when it does.
                let result = try session.perform { connection in
                    try connection.run(
                        "INSERT INTO \(schema.path("z_transaction")) (save, is_void) "
                            + "VALUES ($1, true) ON CONFLICT (save) DO NOTHING RETURNING save",
                        [.uuid(save)]
                    )
                }
                if result.rowCount == 1 { return false }
                // The row of an earlier attempt, whose answer was lost, says that, too.
                let row = try session.perform { connection in
                    try connection.run(
                        "SELECT is_void FROM \(schema.path("z_transaction")) WHERE save = $1",
                        [.uuid(save)]
                    )
                }
                return row.integer(0, 0) == 0
            } catch let error as PostgreSQLError {
                // A server that is frozen takes its time to refuse a connection, too.
                guard attempts < Self.maximumAttempts, ContinuousClock.now - start < patience else {
                    throw error
                }
            }
        }
    }
}
#endif
