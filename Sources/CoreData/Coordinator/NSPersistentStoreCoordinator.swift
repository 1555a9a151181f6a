import Dispatch
import Foundation

/// Connects contexts with the stores that they fetch from and save to: it has the model, and the
/// stores that hold the model's objects.
///
/// > Threading: Any thread. Fetches of several contexts run at the same time, and one save beside
/// > them.
open class NSPersistentStoreCoordinator: NSObject, NSLocking, BlockPerforming, WeaklyHeld,
    @unchecked Sendable
{
    // @unchecked: mutable state is in `state`, behind its lock.
    //
    // What clients may override stands in this file, for Swift dispatches nothing dynamically that
    // an extension declares. What it does stands in the extensions.

    struct State {
        var stores: [NSPersistentStore] = []
        /// The files whose stores are on their way into the list, by their paths.
        var claims: [String: StoreClaim] = [:]
        var name: String?
    }
    /// Contexts that merge saves by themselves.
    let followers = ContextList()
    /// The contexts that stand right on this coordinator.
    let contexts = ContextList()
    let state = Locked(State())
    let weakAnchor = WeakAnchor()
    // For blocks of clients alone: requests of contexts run on the contexts' own queues, several at
    // a time.
    fileprivate let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")
    // For clients' `lock()` alone: nothing in here takes it.
    private let clientLock = NSRecursiveLock()

    /// The model. It can't be changed any more.
    open private(set) var managedObjectModel: NSManagedObjectModel
    /// The model, compiled.
    let modelLayout: ModelLayout

    /// Makes a coordinator without stores. The model is frozen.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        modelLayout = model.layout
        super.init()
        // Class methods such as `NSManagedObject.entity()` know no coordinator: they look there.
        ModelsInUse.add(model, objectClass: ManagedObjectClass.resolve)
    }

    /// Makes a coordinator without stores, of a model without entities.
    override public convenience init() { self.init(managedObjectModel: NSManagedObjectModel()) }

    deinit {
        for store in state.withLock({ $0.stores }) {
            // Without self, which nobody may retain any more.
            store.willRemove(from: nil)
            (store as? any RowStore)?.close()
        }
    }

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { state.withLock { $0.stores } }

    /// A name for logs.
    open var name: String? {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    // MARK: Blocks

    /// Runs a block on the coordinator's queue, later.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) {
        // The thread's place is noted, so that a nested `performAndWait` runs at once and does not
        // wait for its own queue.
        queue.async { [self] in ThreadPlaces.inside(queue, block) }
    }

    /// Runs a block on the coordinator's queue and waits for it. May be nested.
    @preconcurrency
    open func performAndWait(_ block: @Sendable () -> Void) { ThreadPlaces.sync(on: queue, block) }

    /// Runs a block on the coordinator's queue and returns its result.
    @_disfavoredOverload
    @preconcurrency
    public func perform<T, Failure: Error>(
        _ block: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        nonisolated(unsafe) let outcome = await withCheckedContinuation { continuation in
            queue.async { [self] in
                // Handed over once: the queue is done with it when the caller goes on.
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
    open func lock() { clientLock.lock() }
    /// `lock()` without waiting: false if another thread has it.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    @discardableResult
    open func tryLock() -> Bool { clientLock.try() }
    /// Ends what `lock()` began.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func unlock() { clientLock.unlock() }

    // MARK: Stores, see NSPersistentStoreCoordinator+Stores

    /// Adds a store, and makes its file if there is none.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType` or another one that `registeredStoreTypes` has.
    ///   - configuration: The configuration whose entities the store holds; nil for all.
    ///   - storeURL: Where the store is, mostly a file. An in-memory store needs none; an SQLite
    ///     store without one is at `/dev/null`, and is deleted when nobody uses it any more.
    ///   - options: Options by their keys, such as `NSReadOnlyPersistentStoreOption`.
    /// - Throws: `NSPersistentStoreIncompatibleVersionHashError` for a store of another model,
    ///   `NSFileReadCorruptFileError` for a file that is no store, `NSPersistentStoreOpenError`
    ///   or a file error where the file can't be opened or made.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String,
        configurationName configuration: String?,
        at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try baseAddPersistentStore(
            ofType: storeType,
            configurationName: configuration,
            at: storeURL,
            options: options
        )
    }

    /// Adds the store that a description describes.
    ///
    /// - Parameter block: Called with the error, if there is one: before this returns, or on
    ///   another thread if the description asks to add the store asynchronously.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block:
            @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) { baseAddPersistentStore(storeDescription, block) }

    /// Removes a store.
    ///
    /// Its objects leave their contexts, which post them as invalidated: at once where the caller
    /// is on the context's queue, else on that queue, soon. What they had read can still be read.
    /// Unsaved changes to them are lost. Where the store is added again, its object IDs are good
    /// again.
    ///
    /// - Throws: `NSCoreDataError` for a store of another coordinator.
    open func remove(_ store: NSPersistentStore) throws { try baseRemove(store) }

    /// The store at a URL.
    @discardableResult
    open func persistentStore(for URL: URL) -> NSPersistentStore? { basePersistentStore(for: URL) }

    /// Where a store is.
    @discardableResult
    open func url(for store: NSPersistentStore) -> URL { store.url ?? .nullDevice }

    /// The metadata of a store of this coordinator.
    @discardableResult
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Sets the metadata of a store; the next save writes it.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        store.metadata = metadata ?? [:]
    }

    // MARK: Files, see NSPersistentStoreCoordinator+Moving and +Files

    /// Goes on with the store at another URL, where it must be already.
    ///
    /// > Threading: Any thread, but with no save or fetch of the store under way.
    ///
    /// - Returns: False if no such store is there; the old one stays in use then.
    @discardableResult
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        baseSetURL(url, for: store)
    }

    /// Copies all rows of a store into a new one, which takes its place in this coordinator. The
    /// old store's file stays.
    ///
    /// Objects of the old store can't be read any more; rows keep their primary keys.
    ///
    /// - Parameters:
    ///   - URL: Where no store is yet.
    ///   - options: Those of the new store.
    ///   - storeType: The new store's type.
    /// - Returns: The new store.
    /// - Throws: An error that names the URL if a file is there already; what the stores throw. The
    ///   old store stays in use then, and what was written of the new one is removed.
    /// - Complexity: Holds the rows of one inheritance tree in memory at a time.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore,
        to URL: URL,
        options: [AnyHashable: Any]? = nil,
        withType storeType: String
    ) throws -> NSPersistentStore {
        try baseMigratePersistentStore(store, to: URL, options: options, withType: storeType)
    }

    /// Puts a copy of one store's file in the place of another one, or where none is yet.
    ///
    /// The copy is made first, and takes the place in one step: whatever ends this, a power cut
    /// too, the old store is there or the new one, each whole. A store of this coordinator at the
    /// destination is removed from it. The source may be in use.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` for stores that are no files; a file
    ///   error that names what can't be read or written.
    open func replacePersistentStore(
        at destinationURL: URL,
        destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil,
        ofType storeType: String
    ) throws {
        try baseReplacePersistentStore(
            at: destinationURL,
            destinationOptions: destinationOptions,
            withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions,
            ofType: storeType
        )
    }

    /// Deletes all that a store holds, and removes the store if it is one of this coordinator.
    ///
    /// Of an SQLite store an empty database is left, as Apple's framework leaves it, also where
    /// nothing was; it can be added again or removed as a file; what lies beside it goes. Files of
    /// other stores go, and of a store on a server the tables that it has made. Nothing there is no
    /// error; nor is `/dev/null`, where nothing ever is.
    open func destroyPersistentStore(
        at url: URL,
        ofType storeType: String,
        options: [AnyHashable: Any]? = nil
    ) throws { try baseDestroyPersistentStore(at: url, ofType: storeType, options: options) }

    /// Reads the metadata of a store without adding it.
    ///
    /// - Throws: `NSPersistentStoreInvalidTypeError` for an unknown type; what the store class throws
    ///   of a file that is not there, or no store of the type.
    @discardableResult
    open class func metadataForPersistentStore(
        ofType storeType: String,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try baseMetadataForPersistentStore(ofType: storeType, at: url, options: options)
    }

    /// Replaces the metadata of a store that is not added anywhere. Type, UUID and version hashes
    /// stay unless the new metadata have others.
    ///
    /// - Throws: As `metadataForPersistentStore(ofType:at:options:)`; what stops the file from being
    ///   written.
    open class func setMetadata(
        _ metadata: [String: Any]?,
        forPersistentStoreOfType storeType: String,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try baseSetMetadata(
            metadata,
            forPersistentStoreOfType: storeType,
            at: url,
            options: options
        )
    }

    /// Ends what a lightweight migration has put off. Nothing: migrations put nothing off here.
    open func finishDeferredLightweightMigration() throws {}

    /// Does one piece of what a lightweight migration has put off. Nothing, see
    /// `finishDeferredLightweightMigration()`.
    open func finishDeferredLightweightMigrationTask() throws {}

    /// Executes a request for a context.
    ///
    /// > Threading: On the context's queue.
    ///
    /// - Returns: An array for a fetch request; the result object for all others.
    /// - Throws: As `NSManagedObjectContext.execute(_:)`.
    @discardableResult
    open func execute(
        _ request: NSPersistentStoreRequest,
        with context: NSManagedObjectContext
    ) throws -> Any { try baseExecute(request, with: context) }

    // MARK: History, see NSPersistentStoreCoordinator+History

    /// A token for the place after the last transaction of each store's history.
    ///
    /// - Parameter stores: Stores of this coordinator; nil for all.
    /// - Returns: Nil if none of them keeps a history.
    /// - Complexity: One statement for each store.
    @discardableResult
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken?
    { baseCurrentPersistentHistoryToken(of: stores) }

    // MARK: Store classes, see StoreClasses

    /// The store classes, by type: a value is a number that tells classes apart.
    open class var registeredStoreTypes: [String: NSValue] {
        StoreClasses.all.mapValues { storeClass in
            NSNumber(value: UInt(bitPattern: ObjectIdentifier(storeClass)))
        }
    }

    /// Has stores of a type be made of a class.
    ///
    /// > Threading: Any thread.
    ///
    /// - Parameters:
    ///   - storeClass: A subclass of `NSAtomicStore` or `NSIncrementalStore`; nil to forget the
    ///     type.
    ///   - storeType: The type, as `addPersistentStore` will name it.
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        StoreClasses.register(storeClass, type: storeType)
    }

    // MARK: Models of stores, see ModelCache

    /// Reads the model that an SQLite store keeps of itself: the one that it was last opened or
    /// migrated with.
    ///
    /// Nothing is written. The model fits the store, so that the store can be opened without any
    /// model file:
    ///
    ///     let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
    ///     let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    ///
    /// - Parameters:
    ///   - url: The store's file.
    ///   - options: The options that the store would be added with.
    /// - Throws: `NSMigrationMissingSourceModelError` (134130) for a store that keeps none, as those
    ///   of before iOS 9 and macOS 10.11, `NSFileReadCorruptFileError` (259) for a damaged one, and
    ///   what reading the file throws.
    @discardableResult
    open class func cachedModelForPersistentStore(
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel {
        try StoreClasses.migratingClass(NSSQLiteStoreType).cachedModel(at: url, options: options)
    }

    // MARK: Object IDs

    /// The ID that a URI of `uriRepresentation()` stands for; nil if it is of no store of this
    /// coordinator, or of no entity of its model. The row itself may have been deleted.
    @discardableResult
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
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
        // A URI may come from anywhere, and a reference has no room for larger keys.
        guard let key = Int64(text), (1...RowReference.maximumPrimaryKey).contains(key) else {
            return nil
        }
        return key
    }
}

extension BlockPerforming where Self: NSPersistentStoreCoordinator {
    /// Runs a block on the coordinator's queue, waits and returns its result. May be nested.
    @preconcurrency
    public func performAndWait<T>(_ block: @Sendable () throws -> T) rethrows -> T {
        try ThreadPlaces.sync(on: queue, block)
    }
}
