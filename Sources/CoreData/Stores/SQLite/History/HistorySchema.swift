import Foundation

/// The tables of a store's persistent history, as they are in its file.
struct HistorySchema: Sendable {
    /// The framework's own tables have these numbers and greater ones; entities of models have
    /// lesser ones.
    static let firstOwnNumber: Int64 = 16_001
    static let changeNumber = firstOwnNumber
    static let transactionNumber: Int64 = 16_002
    static let stringNumber: Int64 = 16_003

    /// The four texts that a transaction has.
    enum Text: String, CaseIterable, Sendable {
        case author = "AUTHOR"
        case bundleID = "BUNDLEID"
        case contextName = "CONTEXTNAME"
        case processID = "PROCESSID"

        /// Holds the key of a row of `ATRANSACTIONSTRING`.
        var keyColumn: String { "Z\(rawValue)TS" }
        /// Holds the text itself, in stores of older frameworks.
        var column: String { "Z\(rawValue)" }
    }

    /// Whether texts are kept in a table of their own.
    let hasStrings: Bool
    /// The columns of the values that outlive their rows, in order.
    let tombstoneColumns: [String]

    /// Looks for the tables in a store.
    ///
    /// - Returns: Nil if the store has no history.
    /// - Throws: 134020 if the tables are not those that are known.
    init?(in connection: SQLiteConnection, url: URL?) throws {
        let changes = try connection.columnNames(of: "ACHANGE")
        let transactions = try connection.columnNames(of: "ATRANSACTION")
        guard !changes.isEmpty, !transactions.isEmpty else { return nil }
        let needed = [
            "Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
        ]
        let texts = Text.allCases.map(\.column)
        // Not ignored: a save that leaves out the history would be invisible to all who follow it.
        guard Set(needed).isSubset(of: changes), transactions.contains("ZTIMESTAMP"),
            Set(texts).isSubset(of: transactions)
        else {
            throw CocoaError.incompatibleSchema(
                url,
                "its history tables ACHANGE and ATRANSACTION lack columns"
            )
        }
        let strings = try connection.columnNames(of: "ATRANSACTIONSTRING")
        // Older frameworks have no such table and write the texts into the transaction.
        hasStrings =
            Set(Text.allCases.map(\.keyColumn)).isSubset(of: transactions)
            && strings.contains("ZNAME")
        tombstoneColumns = changes.filter { $0.hasPrefix("ZTOMBSTONE") }
            // `ZTOMBSTONE10` follows `ZTOMBSTONE9`.
            .sorted { $0.utf8.count == $1.utf8.count ? $0 < $1 : $0.utf8.count < $1.utf8.count }
    }

    // MARK: Making

    /// Makes the tables that are not there, and the columns that the model's tombstones need; the
    /// caller has begun a transaction.
    static func complete(_ schema: StoreSchema, in connection: SQLiteConnection) throws {
        let isNew = try !connection.hasTable("ACHANGE")
        let wanted = tombstoneCount(schema)
        if isNew {
            let tombstones = (0..<wanted).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
            for definition in definitions(tombstones: tombstones) {
                try connection.execute(definition)
            }
        } else {
            // A later version of the model may preserve more values than the one that made the
            // table.
            let present = try connection.columnNames(of: "ACHANGE")
            for number in 0..<wanted where !present.contains("ZTOMBSTONE\(number)") {
                try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(number) BLOB")
            }
        }
        let names = [
            (changeNumber, "CHANGE"), (transactionNumber, "TRANSACTION"),
            (stringNumber, "TRANSACTIONSTRING"),
        ]
        // Keys that were handed out before must not be handed out again: a row that is there stays.
        for (number, name) in names {
            try connection.execute(
                "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
                    + "VALUES (\(number), '\(name)', 0, 0)"
            )
        }
    }

    /// The largest number of values that a deletion in one entity keeps.
    private static func tombstoneCount(_ schema: StoreSchema) -> Int {
        schema.members.map { $0.tombstoneSlots.count }.max() ?? 0
    }

    private static func definitions(tombstones: String) -> [String] {
        // As Apple's framework writes them, with columns for texts that only its older versions
        // fill.
        let head = "( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        let keys = Text.allCases.map(\.keyColumn)
        return [
            "CREATE TABLE ACHANGE \(head)ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, "
                + "ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones) )",
            "CREATE TABLE ATRANSACTION \(head)\(keys.map { "\($0) INTEGER, " }.joined())"
                + "ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, "
                + "ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
            "CREATE TABLE ATRANSACTIONSTRING \(head)ZNAME VARCHAR )",
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        ]
            + keys.map { "CREATE INDEX ATRANSACTION_\($0)_INDEX ON ATRANSACTION (\($0))" }
            + [
                "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION "
                    + "(ZAUTHOR COLLATE BINARY ASC)",
                "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
                    + "(ZTIMESTAMP COLLATE BINARY ASC)",
                "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
                    + "(ZNAME COLLATE BINARY ASC)",
            ]
    }
}

extension EntityLayout {
    /// The attributes whose values a deletion leaves in the history, by name.
    var tombstoneSlots: [PropertySlot] {
        attributeSlots.map { slots[$0] }
            .filter {
                ($0.property as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion == true
                    && $0.composite == nil
            }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
