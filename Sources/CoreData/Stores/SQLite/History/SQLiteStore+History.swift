import CSQLite
import Foundation

extension SQLiteStore: HistoryStore {
    var history: (any HistoryStore)? { self }

    func hasHistory() throws -> Bool { try opened().history != nil }

    func lastTransactionNumber() throws -> Int64? {
        let open = try opened()
        guard open.history != nil else { return nil }
        return try translatingErrors {
            try open.readers.withConnection { try Self.lastTransactionNumber($0) }
        }
    }

    func history(after bound: HistoryBound, includesChanges: Bool) throws -> [HistoryRecord] {
        let open = try opened()
        guard let history = open.history else { return [] }
        return try translatingErrors {
            try open.readers.withConnection { connection in
                // One snapshot, since the transactions and their changes are read one by one.
                try connection.execute("BEGIN")
                defer { connection.rollBack() }
                try Self.checkNotExpired(bound, connection)
                let reader = HistoryReader(connection, schema: open.schema, history: history)
                return try reader.records(after: bound, includesChanges: includesChanges)
            }
        }
    }

    func deleteHistory(before bound: HistoryBound) throws -> Int {
        let open = try opened()
        guard open.history != nil else { return 0 }
        guard !open.settings.isReadOnly, !isReadOnly else {
            throw CocoaError.storeIsReadOnly(url, store: self)
        }
        let condition: SQLFragment =
            switch bound {
            case .unbounded: .true
            case .number(let number): SQLFragment("Z_PK < ?", [.integer(number)])
            case .timestamp(let time): SQLFragment("ZTIMESTAMP < ?", [.real(time)])
            }
        return try translatingErrors {
            try open.withWriter { writer in
                let connection = writer.connection
                return try connection.transaction {
                    // Transactions go first, and changes by what is left of them: also those whose
                    // transaction was removed by others.
                    let delete = try connection.statement(
                        "DELETE FROM ATRANSACTION WHERE " + condition.sql
                    )
                    delete.bind(condition.bindings)
                    try delete.run()
                    let count = connection.changeCount
                    try connection.execute(
                        "DELETE FROM ACHANGE WHERE ZTRANSACTIONID NOT IN "
                            + "(SELECT Z_PK FROM ATRANSACTION)"
                    )
                    return count
                }
            }
        }
    }

    private static func lastTransactionNumber(_ connection: SQLiteConnection) throws -> Int64 {
        try connection.integer(
            // Not the largest key in the table: it goes down when the history is deleted, and a
            // token must stay comparable.
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistorySchema.transactionNumber)"
        ) ?? 0
    }

    /// Whoever asks for what follows a transaction must get all of it.
    private static func checkNotExpired(
        _ bound: HistoryBound,
        _ connection: SQLiteConnection
    ) throws {
        guard case .number(let number) = bound else { return }
        let last = try lastTransactionNumber(connection)
        // No transaction at all: everything up to the last number has been deleted. The
        // difference is SQLite's, since ours would stop the process at the lowest number.
        let deleted = try connection.integer("SELECT min(Z_PK) - 1 FROM ATRANSACTION") ?? last
        // A number beyond the last one was handed out by another file.
        guard number <= last, number >= deleted else { throw CocoaError.historyTokenExpired() }
    }
}
