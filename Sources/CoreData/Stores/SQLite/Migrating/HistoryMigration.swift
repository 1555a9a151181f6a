import Foundation

/// Migrates a store's persistent history: entity numbers and the bits of changed properties become
/// those of the new model, and changes of entities that it lacks are dropped.
///
/// The values that a deletion has preserved are kept where the list of their attributes is the
/// same.
struct HistoryMigration {
    let plan: SchemaMigration
    let connection: SQLiteConnection
    let url: URL

    func run() throws {
        guard let history = try HistorySchema(in: connection, url: url) else { return }
        let kept = plan.pairs.map { "\(plan.sourceNumber($0))" }.joined(separator: ", ")
        // Their numbers may be those of other entities now, of which the changes would tell then. The
        // framework's own tables have their numbers in all models.
        try connection.execute(
            "DELETE FROM ACHANGE WHERE ZENTITY NOT IN (\(kept)) "
                + "AND ZENTITY < \(HistorySchema.firstOwnNumber)"
        )
        for pair in plan.pairs {
            try renameBits(pair)
            try dropTombstones(pair, history)
        }
        // Last: the statements above select by the source's numbers.
        try connection.execute("UPDATE ACHANGE SET ZENTITY = \(plan.renumbered("ZENTITY"))")
    }

    private func renameBits(_ pair: SchemaMigration.Pair) throws {
        let number = plan.sourceNumber(pair)
        let statement = try connection.statement(
            "SELECT DISTINCT ZCOLUMNS FROM ACHANGE WHERE ZENTITY = \(number) "
                + "AND ZCOLUMNS IS NOT NULL"
        )
        var patterns: [Data] = []
        // All patterns are read before the update changes the rows that the statement is visiting.
        while try statement.step() { patterns.append(statement.bytes(0)) }
        statement.reset()
        var names: [String: String] = [:]
        for (slot, old) in zip(pair.destination.slots, pair.sourceSlots) {
            if let old { names[old.name] = slot.name }
        }
        // All at once: a new pattern may be equal to another old one.
        let cases = patterns.map { pattern -> (Data, Data) in
            let changed = ChangedColumns.decode(pattern, pair.source).compactMap { names[$0] }
            return (pattern, ChangedColumns.encode(Set(changed), pair.destination))
        }.filter { $0.0 != $0.1 }
        guard !cases.isEmpty else { return }
        let whens = cases.map { "WHEN \(literal($0.0)) THEN \(literal($0.1))" }
        try connection.execute(
            "UPDATE ACHANGE SET ZCOLUMNS = CASE ZCOLUMNS \(whens.joined(separator: " ")) "
                + "ELSE ZCOLUMNS END WHERE ZENTITY = \(number)"
        )
    }

    private func literal(_ data: Data) -> String {
        "x'" + data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }

    private func dropTombstones(_ pair: SchemaMigration.Pair, _ history: HistorySchema) throws {
        // Preserved values are told apart by their place in the list alone: with another list they
        // would come up under other names.
        let old = pair.source.tombstoneSlots.map(\.name)
        let new = pair.destination.tombstoneSlots.map {
            pair.sourceSlots[$0.index]?.name ?? ""
        }
        guard old != new, !history.tombstoneColumns.isEmpty else { return }
        let assignments = history.tombstoneColumns.map { "\(SQLName.quoted($0)) = NULL" }
        try connection.execute(
            "UPDATE ACHANGE SET \(assignments.joined(separator: ", ")) "
                + "WHERE ZENTITY = \(plan.sourceNumber(pair))"
        )
    }
}
