import Dispatch
import Foundation

/// What contexts stand on: a model and the stores that hold its objects.
///
/// > Threading: Any thread. Fetches of several contexts run at the same time, beside one save.
open class NSPersistentStoreCoordinator: NSObject, NSLocking, @unchecked Sendable {
    // @unchecked: mutable state is in `state`, behind its lock.

    struct State {
        var stores: [NSPersistentStore] = []
        var name: String?
    }
    /// Contexts that merge saves by themselves.
    let followers = ContextFollowers()
    /// The contexts that stand right on this coordinator.
    let contexts = ContextFollowers()
    let state = Locked(State())
    private let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")
    private let clientLock = NSRecursiveLock()

    /// The model. It can't be changed any more.
    public let managedObjectModel: NSManagedObjectModel
    /// The model, compiled.
    let modelLayout: ModelLayout

    /// Makes a coordinator without stores. The model is frozen.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        modelLayout = model.layout
        super.init()
        ClassEntities.register(model)
    }

    deinit {
        for store in state.withLock({ $0.stores }) {
            store.willRemove(from: nil)
            (store as? any RowStore)?.close()
        }
    }

    /// The stores, in the order in which they were added.
    public var persistentStores: [NSPersistentStore] { state.withLock { $0.stores } }

    /// A name for logs.
    open var name: String? {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    // MARK: Blocks

    /// Runs a block on the coordinator's queue, later.
    public func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async { [self] in ThreadPlaces.inside(queue, block) }
    }

    /// Runs a block on the coordinator's queue, waits and returns its result. May be nested.
    @discardableResult
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        try ThreadPlaces.sync(on: queue, block)
    }

    /// Runs a block on the coordinator's queue and returns its result.
    public func perform<T, Failure: Error>(
        _ block: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        nonisolated(unsafe) let outcome = await withCheckedContinuation { continuation in
            queue.async { [self] in
                nonisolated(unsafe) let result = ThreadPlaces.inside(queue) {
                    Result { () throws(Failure) -> T in try block() }
                }
                continuation.resume(returning: result)
            }
        }
        return try outcome.get()
    }

    /// A lock for clients of old; the coordinator itself does not need it.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func lock() { clientLock.lock() }
    /// `lock()` without waiting: false if another thread has it.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func tryLock() -> Bool { clientLock.try() }
    /// Ends what `lock()` began.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func unlock() { clientLock.unlock() }

    // MARK: Object IDs

    /// The ID that a URI of `uriRepresentation()` stands for; nil if it is of no store of this
    /// coordinator, or of no entity of its model. The row itself may be gone.
    public func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        // Escapes tell a store's identifiers apart, so the path is taken as it is.
        let path = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedPath
        let parts = (path ?? "").split(separator: "/", omittingEmptySubsequences: false)
        guard url.scheme == "x-coredata", let host = url.host, parts.count == 3,
            let name = parts[1].removingPercentEncoding, parts[2].hasPrefix("p"),
            let layout = modelLayout.entitiesByName[name],
            let store = persistentStores.first(where: { $0.identifier == host }),
            let key = primaryKey(String(parts[2].dropFirst()), layout, in: store)
        else { return nil }
        return NSManagedObjectID(layout: layout, storeIdentity: store.identity, primaryKey: key)
    }

    /// The ID that the text of a URI stands for; see `managedObjectID(forURIRepresentation:)`.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }

    private func primaryKey(
        _ text: String,
        _ layout: EntityLayout,
        in store: NSPersistentStore
    ) -> Int64? {
        if let references = store.identity.references {
            return RowIdentifier(uriText: text).map { references.key($0, layout) }
        }
        guard let key = Int64(text), (1...RowReference.maximumPrimaryKey).contains(key) else {
            return nil
        }
        return key
    }
}
