import Foundation

/// Option: a Boolean that has a store keep a history of its changes.
///
/// A store that has a history goes on keeping it, whatever this option says.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Option: a Boolean that has each change of the store, also those of other processes, post
/// `NSNotification.Name.NSPersistentStoreRemoteChange`.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Key of the store's URL in a remote-change notification.
public let NSPersistentStoreURLKey = "storeURL"
/// Key of the place in the store's history in a remote-change notification.
public let NSPersistentHistoryTokenKey = "historyToken"

extension NSNotification.Name {
    /// Posted by a coordinator after a store changed that was added with
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`: on the thread that changed it, or
    /// on a queue of the store's, soon, if another process or coordinator did. One notification may
    /// stand for several of their commits.
    ///
    /// The `userInfo` has the store's UUID (`NSStoreUUIDKey`), its URL (`NSPersistentStoreURLKey`)
    /// and, if it keeps a history, the place after the change (`NSPersistentHistoryTokenKey`).
    public static let NSPersistentStoreRemoteChange =
        NSNotification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// The history of stores.
extension NSPersistentStoreCoordinator {
    func baseCurrentPersistentHistoryToken(of stores: [Any]?) -> NSPersistentHistoryToken? {
        let known = persistentStores.filter { store in
            stores?.contains { ($0 as? NSPersistentStore) === store } ?? true
        }
        var numbers: [String: Int64] = [:]
        for store in known.compactMap({ ($0 as? any RowStore)?.history }) {
            if let number = Self.lastTransactionNumber(of: store) {
                numbers[store.identifier] = number
            }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
    }

    /// Tells that a store has changed, if its options ask for that.
    func postRemoteChange(of store: NSPersistentStore) {
        let key = NSPersistentStoreRemoteChangeNotificationPostOptionKey
        guard (store.options?[key] as? NSNumber)?.boolValue ?? false else { return }
        var info: [AnyHashable: Any] = [NSStoreUUIDKey: store.identifier ?? ""]
        info[NSPersistentStoreURLKey] = store.url
        if let store = (store as? any RowStore)?.history,
            let number = Self.lastTransactionNumber(of: store)
        {
            info[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([store.identifier: number])
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreRemoteChange,
            object: self,
            userInfo: info
        )
    }

    private static func lastTransactionNumber(of store: any HistoryStore) -> Int64? {
        do {
            return try store.lastTransactionNumber()
        } catch {
            // A store that can't be read has no place to go on from; its next use says why.
            return nil
        }
    }
}
