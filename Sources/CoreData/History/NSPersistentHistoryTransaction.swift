import Foundation

/// One transaction of a store's history: what one save or batch request has written.
///
/// > Threading: Immutable; any thread.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, KeyValueCoding, @unchecked Sendable
{
    // @unchecked: immutable.

    /// When it was written.
    open private(set) var timestamp: Date
    /// What changed; nil where only transactions were asked for.
    open private(set) var changes: [NSPersistentHistoryChange]?
    /// The number of the transaction in its store.
    open private(set) var transactionNumber: Int64
    /// The store's UUID.
    open private(set) var storeID: String
    /// The bundle of the program that wrote it; the program's name if it has none.
    open private(set) var bundleID: String
    /// The name of the process that wrote it.
    open private(set) var processID: String
    /// The name of the context that was saved.
    open private(set) var contextName: String?
    /// The `transactionAuthor` of the context that was saved.
    open private(set) var author: String?

    /// Makes a transaction of no store, which has changed nothing: for subclasses that stand for one in
    /// tests.
    override public init() {
        timestamp = Date()
        transactionNumber = 0
        storeID = ""
        bundleID = ""
        processID = ""
        super.init()
    }

    init(_ record: HistoryRecord, storeID: String, changes: [NSPersistentHistoryChange]?) {
        timestamp = Date(timeIntervalSinceReferenceDate: record.timestamp)
        self.changes = changes
        transactionNumber = record.number
        self.storeID = storeID
        bundleID = record.bundleID ?? ""
        processID = record.processID ?? ""
        contextName = record.contextName
        author = record.author
        super.init()
        for change in changes ?? [] { change.belong(to: self) }
    }

    /// A transaction with some of its changes, or without them.
    init(_ whole: NSPersistentHistoryTransaction, changes: [NSPersistentHistoryChange]?) {
        timestamp = whole.timestamp
        self.changes = changes
        transactionNumber = whole.transactionNumber
        storeID = whole.storeID
        bundleID = whole.bundleID
        processID = whole.processID
        contextName = whole.contextName
        author = whole.author
        super.init()
        // The changes hold their transaction weakly, and the whole one is about to go.
        for change in changes ?? [] { change.belong(to: self) }
    }

    /// A token for the place after this transaction in its store's history.
    open var token: NSPersistentHistoryToken {
        NSPersistentHistoryToken([storeID: transactionNumber])
    }

    /// The changes in the form of a did-save notification with object IDs, for
    /// `mergeChanges(fromContextDidSave:)`.
    @discardableResult
    open func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in changes ?? [] {
            ids[change.changeType, default: []].insert(change.changedObjectID)
        }
        return Notification(
            name: .NSManagedObjectContextDidSaveObjectIDs,
            object: nil,
            userInfo: [
                NSInsertedObjectIDsKey: ids[.insert] ?? [],
                NSUpdatedObjectIDsKey: ids[.update] ?? [],
                NSDeletedObjectIDsKey: ids[.delete] ?? [],
            ]
        )
    }

    /// The entity of transactions, for requests that pick some of them.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.transaction }
    /// The entity of transactions, for requests that pick some of them.
    @discardableResult
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription?
    { entityDescription }
    /// A request for transactions: give it a predicate, and give it to a history request.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(for: entityDescription)
    }

    /// The transaction itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The value for the name of one of this class's properties; nil for others.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "author": author
        case "bundleID": bundleID
        case "changes": changes
        case "contextName": contextName
        case "processID": processID
        case "storeID": storeID
        case "timestamp": timestamp
        case "token": token
        case "transactionNumber": transactionNumber
        default: nil
        }
    }

    /// Does nothing: transactions can't be changed.
    open func setValue(_ value: Any?, forKey key: String) {}

    open override var description: String {
        "<NSPersistentHistoryTransaction: \(transactionNumber) of \(storeID), \(timestamp)>"
    }
}
