import Foundation

/// Key of the stores added, in a stores-did-change notification.
public let NSAddedPersistentStoresKey = "NSAddedPersistentStores"
/// Key of the stores removed, in a stores-did-change notification.
public let NSRemovedPersistentStoresKey = "NSRemovedPersistentStores"
/// Key of a store whose UUID changed, in a stores-did-change notification: old and new store.
public let NSUUIDChangedPersistentStoresKey = "NSUUIDChangedPersistentStores"

extension NSNotification.Name {
    /// Posted before the stores of a coordinator change.
    public static let NSPersistentStoreCoordinatorStoresWillChange =
        NSNotification.Name("NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// Posted after stores of a coordinator were added or removed.
    public static let NSPersistentStoreCoordinatorStoresDidChange =
        NSNotification.Name("NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// Posted before a store is removed; the object is the coordinator.
    public static let NSPersistentStoreCoordinatorWillRemoveStore =
        NSNotification.Name("NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

/// Stores: add, remove, metadata.
extension NSPersistentStoreCoordinator {
    /// Adds a store, and makes its file if there is none.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType` or `NSInMemoryStoreType`.
    ///   - configuration: The configuration whose entities the store holds; nil for all.
    ///   - storeURL: The file; an in-memory store needs none.
    ///   - options: Options by their keys, such as `NSReadOnlyPersistentStoreOption`.
    /// - Throws: `NSPersistentStoreIncompatibleVersionHashError` for a store of another model,
    ///   `NSFileReadCorruptFileError` for a file that is no store, `NSPersistentStoreOpenError`
    ///   or a file error where the file can't be opened or made.
    @discardableResult
    public func addPersistentStore(
        ofType storeType: String,
        configurationName configuration: String?,
        at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        let kind = try StoreKind(storeType)
        let url = try storeURL ?? kind.defaultURL()
        if kind.isFile, let known = persistentStore(for: url) {
            throw CocoaError.storeOpen(
                known.url,
                "it is added to this coordinator already; remove it first"
            )
        }
        let entities = try entities(of: configuration)
        let store = kind.make(
            coordinator: self,
            configurationName: configuration,
            at: url,
            options: options
        )
        try store.open(model: modelLayout, entities: entities)
        state.withLock { $0.stores.append(store) }
        post(NSAddedPersistentStoresKey, store)
        return store
    }

    /// Adds a store; see `addPersistentStore(ofType:configurationName:at:options:)`.
    @discardableResult
    public func addPersistentStore(
        type: NSPersistentStore.StoreType,
        configuration: String? = nil,
        at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue,
            configurationName: configuration,
            at: storeURL,
            options: options
        )
    }

    /// Adds the store that a description describes.
    ///
    /// - Parameter block: Called with the error, if there is one: before this returns, or on
    ///   another thread if the description asks to add the store asynchronously.
    public func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block:
            @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let add: @Sendable () -> Void = { [self] in
            do {
                try addPersistentStore(
                    ofType: storeDescription.type,
                    configurationName: storeDescription.configuration,
                    at: storeDescription.url,
                    options: storeDescription.options
                )
                block(storeDescription, nil)
            } catch {
                block(storeDescription, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously {
            DispatchQueue.global().async(execute: add)
        } else {
            add()
        }
    }

    /// Removes a store. Objects of it can't be read any more.
    public func remove(_ store: NSPersistentStore) throws {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CocoaError.coreData("The store is not one of this coordinator's.")
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore,
            object: self,
            userInfo: [NSRemovedPersistentStoresKey: [store]]
        )
        state.withLock { state in state.stores.removeAll { $0 === store } }
        store.persistentStoreCoordinator = nil
        (store as? any RowStore)?.close()
        post(NSRemovedPersistentStoresKey, store)
    }

    /// The store at a URL.
    public func persistentStore(for URL: URL) -> NSPersistentStore? {
        let path = URL.standardizedFileURL
        guard path.path != "/dev/null" else { return nil }
        return persistentStores.first { $0.url?.standardizedFileURL == path }
    }

    /// Where a store is.
    public func url(for store: NSPersistentStore) -> URL {
        store.url ?? URL(fileURLWithPath: "/dev/null")
    }

    /// The metadata of a store of this coordinator.
    public func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Sets the metadata of a store; the next save writes it.
    public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        store.metadata = metadata ?? [:]
    }

    /// Reads the metadata of a store's file without adding it.
    public class func metadataForPersistentStore(
        ofType storeType: String,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try StoreKind(storeType).metadata(at: url, options: options)
    }

    /// Reads the metadata of a store's file without adding it.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType,
        at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try StoreKind(storeType.rawValue).metadata(at: storeURL, options: options)
    }

    /// Deletes a store's file with all that belongs to it.
    public func destroyPersistentStore(
        at url: URL,
        ofType storeType: String,
        options: [AnyHashable: Any]? = nil
    ) throws {
        if let store = persistentStore(for: url) { try remove(store) }
        try StoreKind(storeType).destroy(at: url)
    }

    /// Deletes a store's file with all that belongs to it.
    public func destroyPersistentStore(
        at url: URL,
        type storeType: NSPersistentStore.StoreType,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    private func entities(of configuration: String?) throws -> [EntityLayout] {
        guard let configuration else { return modelLayout.entities }
        guard let members = managedObjectModel.entities(forConfigurationName: configuration) else {
            throw CocoaError.coreData(
                "The model has no configuration named \"\(configuration)\"; use nil for all "
                    + "entities."
            )
        }
        let names = Set(members.compactMap(\.name))
        return modelLayout.entities.filter { names.contains($0.name) }
    }

    private func post(_ key: String, _ store: NSPersistentStore) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange,
            object: self,
            userInfo: [key: [store]]
        )
    }
}

extension NSPersistentStore {
    /// The type of a store.
    public struct StoreType: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A store in an SQLite file.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// A store in memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    }
}
