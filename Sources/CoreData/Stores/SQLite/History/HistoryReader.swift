import CSQLite
import Foundation

/// Reads the history tables.
///
/// > Threading: Confined to its connection's user.
struct HistoryReader {
    private let connection: SQLiteConnection
    private let schema: StoreSchema
    private let history: HistorySchema

    init(_ connection: SQLiteConnection, schema: StoreSchema, history: HistorySchema) {
        self.connection = connection
        self.schema = schema
        self.history = history
    }

    /// - Complexity: Two statements.
    func records(after bound: HistoryBound, includesChanges: Bool) throws -> [HistoryRecord] {
        let condition: SQLFragment =
            switch bound {
            case .unbounded: .true
            case .number(let number): SQLFragment("t.Z_PK > ?", [.integer(number)])
            case .timestamp(let time): SQLFragment("t.ZTIMESTAMP > ?", [.real(time)])
            }
        var records = try transactions(condition)
        guard includesChanges else { return records }
        let places = Dictionary(
            records.enumerated().map { ($1.number, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        // One statement for all changes: one for each transaction would cost a look-up each.
        try readChanges(condition) { transaction, change in
            if let place = places[transaction] { records[place].changes.append(change) }
        }
        return records
    }

    private func transactions(_ condition: SQLFragment) throws -> [HistoryRecord] {
        let texts = HistorySchema.Text.allCases
        let columns = texts.map { text in
            guard history.hasStrings else { return "t.\(text.column)" }
            // A store that an older framework began has both: texts in a table, and in the
            // transaction itself where that wrote it.
            return "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s "
                + "WHERE s.Z_PK = t.\(text.keyColumn)), t.\(text.column))"
        }
        let statement = try connection.statement(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(columns.joined(separator: ", ")) "
                + "FROM ATRANSACTION t WHERE \(condition.sql) ORDER BY t.Z_PK"
        )
        defer { statement.clear() }
        statement.bind(condition.bindings)
        var records: [HistoryRecord] = []
        while try statement.step() {
            var record = HistoryRecord(
                number: statement.integer(0),
                timestamp: statement.real(1)
            )
            for (index, text) in texts.enumerated() {
                let column = Int32(2 + index)
                guard !statement.isNull(column) else { continue }
                record.set(text, statement.text(column))
            }
            records.append(record)
        }
        return records
    }

    private func readChanges(
        _ condition: SQLFragment,
        _ body: (Int64, HistoryRecord.Change) -> Void
    ) throws {
        let columns =
            ["Z_PK", "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"]
            + history.tombstoneColumns
        let statement = try connection.statement(
            "SELECT \(columns.map { "c.\($0)" }.joined(separator: ", ")) FROM ACHANGE c "
                + "JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID WHERE \(condition.sql) "
                + "ORDER BY c.ZTRANSACTIONID, c.Z_PK"
        )
        defer { statement.clear() }
        statement.bind(condition.bindings)
        while try statement.step() {
            if let change = change(statement) { body(statement.integer(1), change) }
        }
    }

    /// Nil for rows that are not of the model: those of CloudKit's tables.
    private func change(_ statement: SQLiteStatement) -> HistoryRecord.Change? {
        // The file may have been written by anyone: a key that is out of range would be cut off in
        // a reference, and name another row.
        let key = statement.integer(4)
        guard
            let type = NSPersistentHistoryChangeType(
                rawValue: Int(truncatingIfNeeded: statement.integer(2))
            ),
            let entity = schema.layoutIndex(ofNumber: statement.integer(3)),
            (1...RowReference.maximumPrimaryKey).contains(key)
        else { return nil }
        let layout = schema.model.entities[entity]
        return HistoryRecord.Change(
            number: statement.integer(0),
            type: type,
            reference: RowReference(entityIndex: entity, primaryKey: key),
            properties: type == .update && !statement.isNull(5)
                ? ChangedColumns.decode(statement.bytes(5), layout) : [],
            tombstone: type == .delete ? tombstone(statement, layout) : [:]
        )
    }

    private func tombstone(
        _ statement: SQLiteStatement,
        _ layout: EntityLayout
    ) -> [String: Any] {
        var values: [String: Any] = [:]
        // The columns have no names of their own: the place in the list says which attribute it is.
        for (index, slot) in layout.tombstoneSlots.enumerated()
        where index < history.tombstoneColumns.count {
            let column = Int32(6 + index)
            guard !statement.isNull(column) else { continue }
            values[slot.name] = slot.kind.anyValue(statement.slotValue(slot.kind, column))
        }
        return values
    }
}

extension HistoryRecord {
    fileprivate mutating func set(_ text: HistorySchema.Text, _ value: String) {
        switch text {
        case .author: author = value
        case .bundleID: bundleID = value
        case .contextName: contextName = value
        case .processID: processID = value
        }
    }
}
