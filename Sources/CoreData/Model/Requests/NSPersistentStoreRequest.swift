import Foundation

/// The kind of a request to a store.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// Reads objects.
    case fetchRequestType = 1
    /// Writes what a context has changed.
    case saveRequestType = 2
    /// Inserts rows without objects.
    case batchInsertRequestType = 5
    /// Updates rows without objects.
    case batchUpdateRequestType = 6
    /// Deletes rows without objects.
    case batchDeleteRequestType = 7
}

/// A request to the stores of a coordinator.
///
/// > Threading: Use one request on one thread at a time.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores that the request goes to, for `affectedStores`.
    var targets: [any RequestTarget]?
    /// The kind of the request.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Makes a request that goes to all stores.
    public required override init() { super.init() }

    /// A request of the same class with the same settings.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).init()
        copy.targets = targets
        return copy
    }
}

/// What a request can be sent to: a store.
protocol RequestTarget: NSObject {
    var identifier: String! { get }
}

/// What a store gives back for a request.
///
/// > Threading: See the subclasses.
open class NSPersistentStoreResult: NSObject {}
