import Foundation

/// One store of a coordinator: a file or memory that holds rows.
///
/// > Threading: Any thread.
open class NSPersistentStore: NSObject, WeaklyHeld, @unchecked Sendable {
    // @unchecked: mutable state is in `state`, behind its lock.

    private struct State {
        var coordinator: WeakHold<NSPersistentStoreCoordinator>
        var url: URL?
        var identifier: String
        var isReadOnly: Bool
        var metadata: [String: Any]
        var identity: StoreIdentity?
        var storeDescription: NSPersistentStoreDescription?
    }
    private let state: Locked<State>
    let weakAnchor = WeakAnchor()
    /// What this process commits, while consistency is checked.
    let ledger = ConsistencyCheck.isOn ? CommitLedger() : nil

    /// The configuration of the model whose entities the store holds.
    open private(set) var configurationName: String
    /// The options that the store was added with.
    open private(set) var options: [AnyHashable: Any]?

    /// Makes a store object; stores are added with a coordinator's `addPersistentStore`.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
        configurationName name: String?,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        state = Locked(
            State(
                coordinator: WeakHold(root),
                url: url,
                identifier: UUID().uuidString,
                isReadOnly: options.isOn(NSReadOnlyPersistentStoreOption),
                metadata: [:]
            )
        )
        configurationName = name ?? NSManagedObjectModel.defaultConfigurationName
        self.options = options
        super.init()
    }

    /// The coordinator that the store was added to; nil once it is removed.
    open internal(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { state.withLock { $0.coordinator }.object }
        set { state.withLock { $0.coordinator = WeakHold(newValue) } }
    }

    /// What object IDs keep of the store.
    internal var identity: StoreIdentity {
        if let identity = state.withLock({ $0.identity }) { return identity }
        // Outside the lock, which it takes to ask for the identifier.
        let made = StoreIdentity(self)
        return state.withLock { state in
            // Another thread may have made it meanwhile: object IDs compare identities, so that all
            // have one.
            if let identity = state.identity { return identity }
            state.identity = made
            return made
        }
    }

    /// Has the store's rows be those of another store, to which it is private.
    internal func shareIdentity(of other: NSPersistentStore) {
        // Outside the lock, since the other one has a lock of its own.
        let identity = other.identity
        state.withLock { $0.identity = identity }
    }

    /// What the store was added with, if it was by a description.
    internal var storeDescription: NSPersistentStoreDescription? {
        get { state.withLock { $0.storeDescription } }
        set { state.withLock { $0.storeDescription = newValue } }
    }

    /// Where the store is.
    open var url: URL? {
        get { state.withLock { $0.url } }
        set { state.withLock { $0.url = newValue } }
    }

    /// The store's UUID, which its object URIs begin with.
    open var identifier: String! {
        get { state.withLock { $0.identifier } }
        set { state.withLock { $0.identifier = newValue } }
    }

    /// The store's type, such as `NSSQLiteStoreType`.
    open var type: String { "" }

    /// Whether saves to the store are refused.
    open var isReadOnly: Bool {
        get { state.withLock { $0.isReadOnly } }
        set { state.withLock { $0.isReadOnly = newValue } }
    }

    /// What describes the store: its type and UUID, the version hashes of its model, and what the
    /// client put in.
    open var metadata: [String: Any]! {
        get {
            state.withLock { $0.metadata }
        }
        set {
            state.withLock { $0.metadata = newValue ?? [:] }
        }
    }

    // MARK: For subclasses

    /// Reads the metadata when the store is added, before anything else of it.
    ///
    /// Override it to set `metadata` and to check that the store is there. What the metadata lack
    /// of type, UUID and version hashes is filled in afterwards. Here it takes what
    /// `metadataForPersistentStore(with:)` says of a file that exists.
    ///
    /// - Throws: What makes the store unusable; it is not added then.
    open func loadMetadata() throws {
        guard let url, url.isFileURL, FileManager.default.fileExists(atPath: url.path) else {
            return
        }
        let stored = try Self.metadataForPersistentStore(with: url)
        if !stored.isEmpty { metadata = stored }
    }

    /// Called after the store was added to a coordinator. Does nothing here.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store leaves its coordinator; with nil when the coordinator itself goes.
    /// Does nothing here.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// The metadata of the store at a URL, which need not be added anywhere.
    ///
    /// Store classes override it; here it is empty.
    @discardableResult
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] { [:] }

    /// Replaces the metadata of the store at a URL, which is not added anywhere.
    ///
    /// - Throws: `NSPersistentStoreOperationError` unless a store class overrides it.
    open class func setMetadata(
        _ metadata: [String: Any]?,
        forPersistentStoreAt url: URL
    ) throws {
        throw CocoaError.storeOperation(
            url,
            "\(self) does not override setMetadata(_:forPersistentStoreAt:); add the store and set "
                + "the metadata there"
        )
    }

    /// The class of the manager that migrates stores of this class by a mapping model:
    /// `NSMigrationManager`, or a subclass of it where a store class overrides this.
    @discardableResult
    open class func migrationManagerClass() -> AnyClass { standardMigrationManager }

    /// Whether the store's rows have identifiers of its own, instead of primary keys.
    internal class var knowsRowsByIdentifier: Bool { false }

    // MARK: Places

    // With the options that a store would be added with: of some kinds the URL alone does not say
    // which store is meant. Here it does.

    /// `metadataForPersistentStore(with:)`.
    internal class func metadata(
        at url: URL,
        options: [AnyHashable: Any]?
    ) throws -> [String: Any] { try metadataForPersistentStore(with: url) }

    /// `setMetadata(_:forPersistentStoreAt:)`.
    internal class func setMetadata(
        _ metadata: [String: Any]?,
        at url: URL,
        options: [AnyHashable: Any]?
    ) throws { try setMetadata(metadata, forPersistentStoreAt: url) }

    /// Empties the store, as `destroyPersistentStore` promises.
    internal class func destroyStore(at url: URL, options: [AnyHashable: Any]?) throws {
        try destroyStore(at: url)
    }

    /// Whether a store can be made there without losing anything. There is always room for one that is
    /// no file.
    internal class func isVacant(at url: URL, options: [AnyHashable: Any]?) throws -> Bool {
        try !isFile || isVacant(at: url)
    }

    /// The store of a coordinator that is there.
    internal class func store(
        of coordinator: NSPersistentStoreCoordinator,
        at url: URL,
        options: [AnyHashable: Any]?
    ) -> NSPersistentStore? { coordinator.persistentStore(for: url) }

    /// Takes back what opening this store has made, if it has made the store. Files are removed by
    /// their URL instead.
    internal func undoMaking() throws {}

    // MARK: Files

    /// Whether a store of this class is one file, which nobody else may use.
    internal class var isFile: Bool { true }

    /// Whether a store can be made at a URL without losing anything: no file, or an empty one.
    internal class func isVacant(at url: URL) throws -> Bool {
        try StoreFileAccess(url).isEmpty
    }

    /// Empties the store at a URL, as `destroyPersistentStore` promises.
    internal class func destroyStore(at url: URL) throws { try removeStore(at: url) }

    /// Deletes the store at a URL with all that belongs to it.
    internal class func removeStore(at url: URL) throws {
        guard url.isFileURL, !url.isNullDevice, FileManager.default.fileExists(atPath: url.path)
        else { return }
        try FileManager.default.removeItem(at: url)
    }

    /// Puts a copy of a store in the place of another one, or where none is.
    ///
    /// - Parameter willReplace: Called when the copy is made, and nothing has changed yet.
    internal class func replaceStore(
        at destination: URL,
        withStoreAt source: URL,
        willReplace: () throws -> Void
    ) throws {
        let bytes = try StoreFileAccess(source).read()
        let replacement = try StoreFileAccess(destination).prepare(bytes)
        do {
            try willReplace()
            try replacement.commit()
        } catch {
            replacement.discard()
            throw error
        }
    }
}
