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
    ///   - storeType: `NSSQLiteStoreType` or another one that `registeredStoreTypes` has.
    ///   - configuration: The configuration whose entities the store holds; nil for all.
    ///   - storeURL: Where the store is, mostly a file; an in-memory store needs none.
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
        let storeClass = try StoreClasses.storeClass(storeType)
        let url = try storeURL ?? storeClass.placeholderURL(storeType)
        if storeClass.isFile, let known = persistentStore(for: url) {
            throw CocoaError.storeOpen(
                known.url,
                "it is added to this coordinator already; remove it first"
            )
        }
        let entities = try entities(of: configuration)
        let store = storeClass.init(
            persistentStoreCoordinator: self,
            configurationName: configuration,
            at: url,
            options: options
        )
        try migrateIfNeeded(
            storeClass,
            ofType: storeType,
            at: url,
            entities: entities,
            options: options
        )
        try store.open(model: modelLayout, entities: entities)
        add(store)
        return store
    }

    /// Takes in a store that is open, and tells everyone.
    func add(_ store: any RowStore) {
        let change: [AnyHashable: Any] = [NSAddedPersistentStoresKey: [store as NSPersistentStore]]
        post(.NSPersistentStoreCoordinatorStoresWillChange, change)
        state.withLock { $0.stores.append(store) }
        store.didAdd(to: self)
        post(.NSPersistentStoreCoordinatorStoresDidChange, change)
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

    /// Removes a store.
    ///
    /// Its objects leave their contexts, which post them as invalidated: at once where the caller
    /// is on the context's queue, else on that queue, soon. What they had read can still be read.
    /// Unsaved changes to them are lost. Where the store is added again, its object IDs are good
    /// again.
    ///
    /// - Throws: `NSCoreDataError` for a store of another coordinator.
    public func remove(_ store: NSPersistentStore) throws {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CocoaError.coreData("The store is not one of this coordinator's.")
        }
        let change: [AnyHashable: Any] = [NSRemovedPersistentStoresKey: [store]]
        post(.NSPersistentStoreCoordinatorStoresWillChange, change)
        post(.NSPersistentStoreCoordinatorWillRemoveStore, change)
        store.willRemove(from: self)
        state.withLock { state in state.stores.removeAll { $0 === store } }
        store.persistentStoreCoordinator = nil
        if let store = store as? any RowStore {
            for context in contexts.alive { context.storeWasRemoved(store) }
            store.close()
        }
        post(.NSPersistentStoreCoordinatorStoresDidChange, change)
    }

    /// The store at a URL.
    public func persistentStore(for URL: URL) -> NSPersistentStore? {
        guard !URL.isNullDevice else { return nil }
        let path = URL.standardizedFileURL
        return persistentStores.first { store in
            store.url == URL || store.url?.standardizedFileURL == path
        }
    }

    /// Where a store is.
    public func url(for store: NSPersistentStore) -> URL {
        store.url ?? .nullDevice
    }

    /// The metadata of a store of this coordinator.
    public func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Sets the metadata of a store; the next save writes it.
    public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        store.metadata = metadata ?? [:]
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

    private func post(_ name: NSNotification.Name, _ info: [AnyHashable: Any]) {
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }
}

extension RowStore {
    /// Where a store is that was added without a URL.
    fileprivate static func placeholderURL(_ type: String) throws -> URL {
        guard type == NSInMemoryStoreType else {
            throw CocoaError.storeOpen(nil, "a store of type \(type) needs a URL; give one")
        }
        return .nullDevice
    }
}
