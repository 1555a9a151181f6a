/// Who makes a change, as a store's history tells it.
struct ChangeOrigin: Sendable {
    /// The context's `transactionAuthor`.
    var author: String?
    /// The context's `name`.
    var contextName: String?
    /// Where the store notes which transaction of its history the change has become.
    var receipt: HistoryReceipt?
}

/// The transaction of a store's history that a change has become; nil if the store keeps none, or
/// as long as nothing is written.
///
/// > Threading: Any thread.
final class HistoryReceipt: Sendable {
    private let number = Locked<Int64?>(nil)

    var transactionNumber: Int64? {
        get { number.withLock { $0 } }
        set { number.withLock { $0 = newValue } }
    }
}
