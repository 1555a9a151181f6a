import Foundation

/// What a history request gives back.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded.
    case statusOnly = 0
    /// The IDs of the objects that changed.
    case objectIDs = 1
    /// The number of transactions.
    case count = 2
    /// The transactions, without their changes.
    case transactionsOnly = 3
    /// The changes of all transactions.
    case changesOnly = 4
    /// The transactions with their changes.
    case transactionsAndChanges = 5
}

/// Reads or deletes the history of stores, as far as they keep one.
///
/// > Threading: Use one request on one thread at a time.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// Where a request begins or ends.
    enum Place {
        case everything
        case date(Date)
        case token(NSPersistentHistoryToken)
        case transaction(NSPersistentHistoryTransaction)
    }
    private(set) var place = Place.everything
    private(set) var isDeleting = false

    /// What the result holds. `transactionsAndChanges` by default.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges
    /// Picks some of the transactions or changes; made from the class's `fetchRequest`.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?
    /// The token that the request was made with; nil if it was made with something else.
    open var token: NSPersistentHistoryToken? {
        guard case .token(let token) = place else { return nil }
        return token
    }

    private class func make(_ place: Place, isDeleting: Bool = false) -> Self {
        let request = Self()
        request.place = place
        request.isDeleting = isDeleting
        return request
    }

    /// Asks for the transactions written after a date.
    @discardableResult
    open class func fetchHistory(after date: Date) -> Self { make(.date(date)) }
    /// Asks for the transactions after a place; nil for all.
    @discardableResult
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
        make(token.map { .token($0) } ?? .everything)
    }
    /// Asks for the transactions after another one, in its store; nil for all.
    @discardableResult
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        make(transaction.map { .transaction($0) } ?? .everything)
    }
    /// Asks for the transactions or changes that a fetch request picks.
    @discardableResult
    open class func fetchHistory(
        withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    ) -> Self {
        let request = make(.everything)
        request.fetchRequest = fetchRequest
        return request
    }
    /// Deletes the transactions written before a date.
    @discardableResult
    open class func deleteHistory(before date: Date) -> Self { make(.date(date), isDeleting: true) }
    /// Deletes the transactions before the one that a token stands for; all for nil.
    @discardableResult
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        make(token.map { .token($0) } ?? .everything, isDeleting: true)
    }
    /// Deletes the transactions before another one, in its store; all for nil.
    @discardableResult
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
        make(transaction.map { .transaction($0) } ?? .everything, isDeleting: true)
    }

    /// A request with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copied = super.copy(with: zone)
        guard let copy = copied as? NSPersistentHistoryChangeRequest else { return copied }
        copy.place = place
        copy.isDeleting = isDeleting
        copy.resultType = resultType
        copy.fetchRequest = fetchRequest
        return copy
    }

    /// What the request is about in one store; nil if it is not about that store.
    func bound(in store: NSPersistentStore) -> HistoryBound? {
        switch place {
        case .everything: return .unbounded
        case .date(let date): return .timestamp(date.timeIntervalSinceReferenceDate)
        case .token(let token):
            // A store that the token does not know has nothing but news to fetch, and nothing to
            // delete.
            if let number = token.transactionNumbers[store.identifier] { return .number(number) }
            return isDeleting ? nil : .unbounded
        case .transaction(let transaction):
            // Each store counts its own transactions: another one's number says nothing here.
            return transaction.storeID == store.identifier
                ? .number(transaction.transactionNumber) : nil
        }
    }
}

/// What a history request has found or done.
///
/// > Threading: Immutable; any thread, as far as ``result`` is.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// By the type: a `Bool`, an array of `NSManagedObjectID`, an `Int`, an array of
    /// `NSPersistentHistoryTransaction` or of `NSPersistentHistoryChange`. A deletion gives an
    /// `Int` if that is asked for, else a `Bool`.
    open private(set) var result: Any?
    /// What ``result`` is.
    open private(set) var resultType: NSPersistentHistoryResultType

    init(_ result: Any?, _ resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
