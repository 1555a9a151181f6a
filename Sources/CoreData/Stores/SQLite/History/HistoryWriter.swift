import Foundation

/// Writes what a transaction changes into the history tables.
///
/// > Threading: Confined to the lock that holds its store's writer.
final class HistoryWriter {
    /// A change that will be a row of `ACHANGE`.
    struct Change {
        let type: NSPersistentHistoryChangeType
        let reference: RowReference
        var properties: Set<String> = []
        var tombstone: [SQLBinding] = []
    }

    /// What a transaction of the history has beside its changes.
    struct Transaction {
        let number: Int64
        /// Seconds since 2001.
        let timestamp: Double
        var texts: [HistorySchema.Text: String]
    }

    private let connection: SQLiteConnection
    private let schema: StoreSchema
    private let history: HistorySchema
    /// Whether what is noted is for somebody else, who has the transactions written later.
    private let isRelayed: Bool
    private var changes: [Change] = []
    /// The values of rows about to be deleted.
    private var tombstones: [UInt64: [SQLBinding]] = [:]

    init(
        _ connection: SQLiteConnection,
        schema: StoreSchema,
        history: HistorySchema,
        isRelayed: Bool
    ) {
        self.isRelayed = isRelayed
        self.connection = connection
        self.schema = schema
        self.history = history
    }

    // MARK: Noting

    func begin() {
        changes = []
        tombstones = [:]
    }

    func inserted(_ reference: RowReference) {
        changes.append(Change(type: .insert, reference: reference))
    }

    func updated(_ reference: RowReference, _ properties: Set<String>) {
        changes.append(Change(type: .update, reference: reference, properties: properties))
    }

    func deleted(_ reference: RowReference) {
        let tombstone = tombstones[reference.rawValue] ?? []
        changes.append(Change(type: .delete, reference: reference, tombstone: tombstone))
    }

    /// Notes what a save has changed.
    func note(_ save: StoreChangeSet) {
        for row in save.inserts { inserted(row.reference) }
        let new = Set(save.inserts.lazy.map(\.reference.rawValue))
        var toMany: [UInt64: Set<String>] = [:]
        // A new row is one change, whatever it was related to.
        for change in save.toManyChanges where !new.contains(change.owner.rawValue) {
            let name = schema.model.entities[change.owner.entityIndex].slots[change.slot].name
            toMany[change.owner.rawValue, default: []].insert(name)
        }
        for update in save.updates {
            let layout = schema.model.entities[update.row.entityIndex]
            let names = update.changed.members.map { layout.slots[$0].name }
            // Attributes and to-many relationships of one row are one change, too.
            let related = toMany.removeValue(forKey: update.row.reference.rawValue) ?? []
            updated(update.row.reference, related.union(names))
        }
        // Sorted, so that the same save writes the same history.
        for (owner, names) in toMany.sorted(by: { $0.key < $1.key }) {
            updated(RowReference(rawValue: owner), names)
        }
        // Their values were read by `willDelete`, since the rows are not there any more.
        for delete in save.deletes { deleted(delete.reference) }
    }

    /// Keeps the values that are to outlive the rows of an entity that meet a condition.
    ///
    /// - Complexity: One statement for each entity of the sub-tree that has such values.
    func willDelete(_ layout: EntityLayout, _ condition: SQLFragment) throws {
        guard let table = schema.entityTable(rootIndex: layout.rootIndex)?.name else { return }
        for entity in schema.model.entities[layout.index...layout.lastDescendantIndex] {
            let columns = entity.tombstoneSlots
                .compactMap { schema.columns(entity, $0.index).value }
            // Each entity has its own list of attributes, by which readers of the history count the
            // columns.
            guard !columns.isEmpty, schema.numbers[entity.index] > 0 else { continue }
            let statement = try connection.statement(
                "SELECT Z_PK, \(columns.map(SQLName.quoted).joined(separator: ", ")) "
                    + "FROM \(SQLName.quoted(table)) "
                    + "WHERE Z_ENT = \(schema.numbers[entity.index]) AND \(condition.sql)"
            )
            defer { statement.clear() }
            statement.bind(condition.bindings)
            while try statement.step() {
                let reference = RowReference(
                    entityIndex: entity.index,
                    primaryKey: statement.integer(0)
                )
                tombstones[reference.rawValue] = columns.indices.map {
                    statement.binding(Int32($0 + 1))
                }
            }
        }
    }

    // MARK: Writing

    /// Takes what was noted, to be told elsewhere.
    func takeNoted() -> [Change] {
        defer { begin() }
        return changes
    }

    /// Writes what was noted as one transaction of the history, if there is something.
    func write(_ origin: ChangeOrigin) throws {
        guard !changes.isEmpty, !isRelayed else { return }
        // Within the transaction of the save, so that numbers ascend in the order of commits:
        // readers ask for what follows a number, and must not miss a smaller one that is committed
        // later.
        let number = try takeKeys(HistorySchema.transactionNumber, 1)
        let transaction = Transaction(
            number: number,
            timestamp: Date().timeIntervalSinceReferenceDate,
            texts: Self.texts(origin)
        )
        try write(transaction, changes)
        origin.receipt?.transactionNumber = number
        begin()
    }

    /// Writes a transaction whose number somebody else has given.
    func write(_ transaction: Transaction, _ changes: [Change]) throws {
        try writeHead(transaction)
        guard !changes.isEmpty else { return }
        // All keys in one statement instead of one for each change.
        let first = try takeKeys(HistorySchema.changeNumber, changes.count)
        let tombstoneColumns = history.tombstoneColumns
        let statement = try connection.statement(
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, "
                + "ZCOLUMNS" + tombstoneColumns.map { ", " + $0 }.joined()
                + ") VALUES (?, \(HistorySchema.changeNumber), ?, ?, ?, ?, ?"
                + tombstoneColumns.map { _ in ", ?" }.joined() + ")"
        )
        defer { statement.clear() }
        statement.bind(5, transaction.number)
        // Rows with the same changes mostly follow each other.
        var last: (entityIndex: Int, properties: Set<String>)?
        for (offset, change) in changes.enumerated() {
            let layout = schema.model.entities[change.reference.entityIndex]
            statement.bind(1, first + Int64(offset))
            statement.bind(2, Int64(change.type.rawValue))
            statement.bind(3, Int64(schema.numbers[layout.index]))
            statement.bind(4, change.reference.primaryKey)
            if change.type != .update {
                statement.bindNull(6)
                last = nil
            } else if last?.entityIndex != layout.index || last?.properties != change.properties {
                statement.bind(6, ChangedColumns.encode(change.properties, layout))
                last = (layout.index, change.properties)
            }
            for index in tombstoneColumns.indices {
                let value = index < change.tombstone.count ? change.tombstone[index] : .null
                statement.bind(Int32(7 + index), value)
            }
            try statement.run()
        }
    }

    /// Notes the number of the last transaction that somebody else has given.
    func raiseNumber(to number: Int64) throws {
        let statement = try connection.statement(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = \(HistorySchema.transactionNumber)"
        )
        statement.bind(1, number)
        try statement.run()
    }

    /// Forgets all transactions: the history begins behind one that somebody else has given a number.
    func startOver(at number: Int64) throws {
        try connection.execute("DELETE FROM ATRANSACTION")
        try connection.execute("DELETE FROM ACHANGE")
        try raiseNumber(to: number)
    }

    private func writeHead(_ transaction: Transaction) throws {
        var columns = ["Z_PK", "Z_ENT", "ZTIMESTAMP"]
        var values: [SQLBinding] = [
            .integer(transaction.number), .integer(HistorySchema.transactionNumber),
            .real(transaction.timestamp),
        ]
        for text in HistorySchema.Text.allCases {
            guard let content = transaction.texts[text] else { continue }
            // In the form that the store's tables have: an older framework's store has no table of
            // texts.
            columns.append(history.hasStrings ? text.keyColumn : text.column)
            values.append(history.hasStrings ? .integer(try stringKey(content)) : .text(content))
        }
        let statement = try connection.statement(
            "INSERT INTO ATRANSACTION (\(columns.joined(separator: ", "))) VALUES ("
                + columns.map { _ in "?" }.joined(separator: ", ") + ")"
        )
        statement.bind(values)
        try statement.run()
    }

    /// What a transaction of this process says of who has made it.
    static func texts(_ origin: ChangeOrigin) -> [HistorySchema.Text: String] {
        [
            .author: origin.author, .contextName: origin.contextName, .bundleID: bundleID,
            .processID: ProcessInfo.processInfo.processName,
        ]
        .compactMapValues(\.self)
    }

    private static var bundleID: String {
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    }

    private func stringKey(_ text: String) throws -> Int64 {
        // The same few texts come with nearly all transactions, so that each is kept once.
        let read = try connection.statement(
            "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?"
        )
        read.bind(1, text)
        let found = try read.step() ? read.integer(0) : nil
        read.reset()
        if let found { return found }
        let key = try takeKeys(HistorySchema.stringNumber, 1)
        let write = try connection.statement(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) "
                + "VALUES (?, \(HistorySchema.stringNumber), ?)"
        )
        write.bind(1, key)
        write.bind(2, text)
        try write.run()
        return key
    }

    /// The first of some consecutive keys, taken for good.
    private func takeKeys(_ number: Int64, _ count: Int) throws -> Int64 {
        let statement = try connection.statement(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = max(IFNULL(Z_MAX, 0), 0) + ? WHERE Z_ENT = ? "
                + "RETURNING Z_MAX"
        )
        defer { statement.reset() }
        statement.bind(1, Int64(count))
        statement.bind(2, number)
        guard try statement.step() else {
            throw CocoaError.incompatibleSchema(
                nil,
                "the table Z_PRIMARYKEY has no row \(number) for the store's history"
            )
        }
        let last = statement.integer(0)
        while try statement.step() {}
        // SQLite's sum is a real where the whole number would overflow, and reads as the largest.
        guard last < .max else {
            throw CocoaError.storeSave(
                nil,
                "no primary keys are left in a table of the store's history"
            )
        }
        return last - Int64(count) + 1
    }
}
