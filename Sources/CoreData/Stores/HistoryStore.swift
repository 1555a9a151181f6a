import Foundation

/// Which transactions of a store's history a request is about.
enum HistoryBound: Sendable {
    /// All of them.
    case unbounded
    case number(Int64)
    /// Seconds since 2001.
    case timestamp(Double)
}

/// One transaction of a store's history.
struct HistoryRecord {
    struct Change {
        let number: Int64
        let type: NSPersistentHistoryChangeType
        let reference: RowReference
        /// The names of the changed properties, of an update.
        let properties: Set<String>
        /// The values that outlive the row, by name, as key-value access gives them.
        let tombstone: [String: Any]
    }
    let number: Int64
    /// Seconds since 2001.
    let timestamp: Double
    var author: String?
    var bundleID: String?
    var contextName: String?
    var processID: String?
    /// In the order in which they were written; empty if they were not asked for.
    var changes: [Change] = []
}

/// A store that keeps a history of its changes, if it was added with
/// `NSPersistentHistoryTrackingKey` or has one already.
///
/// > Threading: Any thread, as `RowStore`.
protocol HistoryStore: RowStore {
    /// Whether there is a history.
    func hasHistory() throws -> Bool
    /// The number of the last transaction, also if it is deleted by now; nil without history.
    func lastTransactionNumber() throws -> Int64?
    /// The transactions after a bound, in order.
    ///
    /// - Throws: `NSPersistentHistoryTokenExpiredError` if some of them were deleted.
    func history(after bound: HistoryBound, includesChanges: Bool) throws -> [HistoryRecord]
    /// Deletes the transactions before a bound.
    ///
    /// - Returns: How many there were.
    func deleteHistory(before bound: HistoryBound) throws -> Int
}
