import Foundation

/// A plan carried out by bare SQLite: one connection, one thread, the same rows and transactions.
struct BareRun {
    let database: SQLiteDatabase
    let plan: WorkPlan
    /// By number; the one with number 0 is never used.
    let items: [Item]

    /// Runs the transactions of the workers in turn, with the edits spread between them.
    ///
    /// - Returns: The seconds that it took.
    func run() throws -> Double {
        var table = try ItemTable(database)
        return try Clock.measure {
            let turns = transactionsInTurn()
            var editCount = 0
            for (index, transaction) in turns.enumerated() {
                try database.transaction { try run(transaction, &table) }
                // The edits come among the transactions, as main's do while the workers are at it.
                let due = plan.edits.count * (index + 1) / turns.count
                while editCount < due {
                    let item = items[plan.edits[editCount]].edited(editCount)
                    try database.transaction { try table.change(to: item) }
                    editCount += 1
                }
            }
        }
    }

    private func transactionsInTurn() -> [WorkPlan.Transaction] {
        // One thread stands for all workers: their transactions alternate, as those of equally fast
        // workers would.
        let longest = plan.workers.map(\.count).max() ?? 0
        return (0..<longest).flatMap { turn in
            plan.workers.compactMap { $0.indices.contains(turn) ? $0[turn] : nil }
        }
    }

    private func run(_ transaction: WorkPlan.Transaction, _ table: inout ItemTable) throws {
        switch transaction {
        case .insert(let numbers):
            for number in numbers { try table.insert(items[number]) }
        case .update(let numbers):
            for number in numbers { try table.change(to: items[number].updated) }
        case .delete(let numbers):
            for number in numbers { try table.delete(number: Int64(number)) }
        }
    }

    /// What the rows are at the end, read as main's list is.
    func outcome() throws -> RunOutcome {
        // In the order of main's list, on which the checksum depends.
        let rows = try database.prepare(
            "SELECT ZNUMBER, ZSCORE, ZNAME, ZTEXT FROM ZITEM WHERE ZCATEGORY < ? "
                + "ORDER BY ZNAME, ZNUMBER"
        )
        rows.bind(1, Int64(plan.listedCategoryCount))
        var checksum = Checksum()
        var count = 0
        while try rows.step() {
            checksum.add(rows.integer(0))
            checksum.add(rows.integer(1))
            checksum.add(rows.text(2))
            checksum.add(rows.text(3))
            count += 1
        }
        let all = try database.prepare("SELECT COUNT(*) FROM ZITEM")
        let storedCount = try all.step() ? Int(all.integer(0)) : 0
        return RunOutcome(checksum: checksum.text, listedCount: count, storedCount: storedCount)
    }
}
