import CSQLite

/// Ends transactions that run for far longer than any work on the file's rows takes: triggers of
/// others' making can go on for ever.
///
/// > Threading: Confined to its connection's user: SQLite calls back inside `sqlite3_step`.
final class StepLimit {
    /// How often SQLite asks, in steps of its virtual machine.
    private static let interval = 1_000_000
    private let maximum: Int
    private var count = 0

    /// - Parameter count: How many steps a transaction may take.
    init(_ connection: SQLiteConnection, count: Int) {
        maximum = count
        // Unretained: the connection keeps the limit, and closes its handle before it lets go of
        // it.
        sqlite3_progress_handler(
            connection.handle,
            Int32(Self.interval),
            { user in
                guard let user else { return 0 }
                return Unmanaged<StepLimit>.fromOpaque(user).takeUnretainedValue().step()
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// A transaction begins.
    func begin() { count = 0 }

    /// What to say if the limit has ended the transaction.
    var failure: SQLiteError? {
        // An interrupt by somebody else keeps its own error.
        guard count > maximum else { return nil }
        return SQLiteError(
            extendedCode: SQLITE_INTERRUPT,
            message: "the file has triggers of others' making, and what they run does not end"
        )
    }

    private func step() -> Int32 {
        count += Self.interval
        // Anything but 0 ends the statement with SQLITE_INTERRUPT.
        return count > maximum ? 1 : 0
    }
}
