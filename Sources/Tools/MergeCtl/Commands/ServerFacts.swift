import CoreData
import MergeStack

/// What there is to say of a store on a server beside its rows and its metadata.
struct ServerFacts: Encodable {
    /// How many saves this machine has been told of since it has made its copy of the rows.
    let knownTransactionCount: Int
    /// When the first of them was made; nil if there is none.
    let first: String?
    /// When the last of them was made; nil if there is none.
    let last: String?
    let authors: [String]

    init(_ stack: NotificationMergeStack) throws {
        let transactions = try stack.performBackgroundAndWait(saves: false) { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            request.resultType = .transactionsOnly
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let found = result?.result as? [NSPersistentHistoryTransaction] ?? []
            return found.map { ($0.timestamp, $0.author) }
        }
        knownTransactionCount = transactions.count
        first = RowText.plain(transactions.first?.0)
        last = RowText.plain(transactions.last?.0)
        authors = Set(transactions.compactMap(\.1)).sorted()
    }

    /// The facts in rows of two columns.
    var rows: [(String, String)] {
        [
            ("Saves known here", "\(knownTransactionCount)"), ("From", first ?? "-"),
            ("To", last ?? "-"),
            ("Authors", authors.isEmpty ? "not named" : authors.joined(separator: ", ")),
        ]
    }
}
