import Foundation

/// One store of a coordinator: a file or memory that holds rows.
///
/// > Threading: Any thread.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    // @unchecked: mutable state is in `state`, behind its lock.

    private struct State {
        weak var coordinator: NSPersistentStoreCoordinator?
        var url: URL?
        var identifier: String
        var isReadOnly: Bool
        var metadata: [String: Any]
        var identity: StoreIdentity?
    }
    private let state: Locked<State>

    /// The configuration of the model whose entities the store holds.
    public let configurationName: String
    /// The options that the store was added with.
    nonisolated(unsafe) public let options: [AnyHashable: Any]?

    /// Makes a store object; stores are added with a coordinator's `addPersistentStore`.
    public required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
        configurationName name: String?,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        let isReadOnly = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue
        state = Locked(
            State(
                coordinator: root,
                url: url,
                identifier: UUID().uuidString,
                isReadOnly: isReadOnly ?? false,
                metadata: [:]
            )
        )
        configurationName = name ?? "PF_DEFAULT_CONFIGURATION_NAME"
        self.options = options
        super.init()
    }

    /// The coordinator that the store was added to; nil once it is removed.
    public internal(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { state.withLock { $0.coordinator } }
        set { state.withLock { $0.coordinator = newValue } }
    }

    /// What object IDs keep of the store.
    internal var identity: StoreIdentity {
        if let identity = state.withLock({ $0.identity }) { return identity }
        let made = StoreIdentity(self)
        return state.withLock { state in
            if let identity = state.identity { return identity }
            state.identity = made
            return made
        }
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
}
