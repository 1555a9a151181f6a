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
        // No transaction at all: everything up to the last number has been deleted.
        let first = try connection.integer("SELECT min(Z_PK) FROM ATRANSACTION") ?? last + 1
        // A number beyond the last one was handed out by another file.
        guard number <= last, number + 1 >= first else { throw CocoaError.historyTokenExpired() }
    }
}
