#if PostgreSQL
import Foundation

/// What a server has told at one moment: the transactions behind a number, and the rows that they
/// have changed as they are at that moment.
struct FeedPage {
    struct Transaction {
        let save: UUID
        let head: HistoryWriter.Transaction
        var changes: [HistoryWriter.Change]
    }
    /// Members of a to-many relationship that their own rows tell, or their places in it.
    struct Members {
        let access: ToManyAccess
        let owners: [Int64]
        /// Key, owner and, if it is ordered, place.
        let rows: PostgreSQLResult
    }
    /// Rows of a join table.
    struct Joins {
        let table: JoinTable
        let sources: [Int64]
        let destinations: [Int64]
        let rows: PostgreSQLResult
    }
    /// What the server says of itself.
    let place: FeedPlace
    /// In the order of their numbers.
    var transactions: [Transaction] = []
    /// The rows of others' changes.
    var touched: TouchedRows
    /// Those of them that are there, by the root of their tree.
    var rows: [Int: [PostgreSQLResult]] = [:]
    var members: [Members] = []
    var joins: [Joins] = []
}
#endif
