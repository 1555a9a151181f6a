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
    /// Posted before a store is removed from its coordinator; the object is the store.
    public static let NSPersistentStoreCoordinatorWillRemoveStore =
        NSNotification.Name("NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

/// Stores: add, remove, metadata.
extension NSPersistentStoreCoordinator {
    /// `addPersistentStore(ofType:configurationName:at:options:)`.
    @discardableResult
    func baseAddPersistentStore(
        ofType storeType: String,
        configurationName configuration: String?,
        at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addStore(
            of: entities(of: configuration),
            ofType: storeType,
            configurationName: configuration,
            at: storeURL,
            options: options
        )
    }

    /// Adds a store of some entities, whatever the configuration holds besides.
    @discardableResult
    func addStore(
        of entities: [EntityLayout],
        ofType storeType: String,
        configurationName configuration: String?,
        at storeURL: URL?,
        options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        let storeClass = try StoreClasses.storeClass(storeType)
        let url = try storeURL ?? storeClass.placeholderURL(storeType)
        let claim = try claim(url, storeClass)
        defer { release(claim) }
        // Each store object has a row cache of its own: a second one for the file would not learn
        // what the first one saves.
        if storeClass.isFile, let known = persistentStore(for: url) {
            throw CocoaError.storeOpen(
                known.url,
                "it is added to this coordinator already; remove it first"
            )
        }
        let store = storeClass.make(
            persistentStoreCoordinator: self,
            configurationName: configuration,
            at: url,
            options: options
        )
        // Before the store opens its file, which a migration may change or replace.
        try migrateIfNeeded(
            storeClass,
            ofType: storeType,
            at: url,
            entities: entities,
            options: options
        )
        try store.open(model: modelLayout, entities: entities)
        add(store, releasing: claim)
        return store
    }

    /// Takes in a store that is open, and tells everyone.
    ///
    /// - Parameter claim: Released when the store is in the list: observers may remove the store, and
    ///   add its file again.
    func add(_ store: any RowStore, releasing claim: StoreClaim?) {
        let change: [AnyHashable: Any] = [NSAddedPersistentStoresKey: [store as NSPersistentStore]]
        // Outside of the lock: observers may ask for the stores.
        post(.NSPersistentStoreCoordinatorStoresWillChange, change)
        // In the list before the notification, whose observers may fetch from it at once.
        state.withLock { state in
            state.stores.append(store)
            state.release(claim)
        }
        store.didAdd(to: self)
        post(.NSPersistentStoreCoordinatorStoresDidChange, change)
    }

    /// Adds a store; see `addPersistentStore(ofType:configurationName:at:options:)`.
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

    /// `addPersistentStore(with:completionHandler:)`.
    func baseAddPersistentStore(
        _ storeDescription: NSPersistentStoreDescription,
        _ block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        // The block runs once, on one thread or the other.
        nonisolated(unsafe) let block = block
        let add: @Sendable () -> Void = { [self] in
            do {
                // By the open method, which a subclass may override.
                let store = try addPersistentStore(
                    ofType: storeDescription.type,
                    configurationName: storeDescription.configuration,
                    at: storeDescription.url,
                    options: storeDescription.options
                )
                store.storeDescription = storeDescription
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

    /// Whether the store that is described is there: the one that was added with the description,
    /// or one of the same file, type and configuration.
    func hasStore(_ description: NSPersistentStoreDescription) -> Bool {
        if persistentStores.contains(where: { $0.storeDescription === description }) { return true }
        guard StoreClasses.all[description.type]?.isFile == true, let url = description.url,
            let known = persistentStore(for: url), known.type == description.type
        else { return false }
        return known.configurationName
            == description.configuration ?? NSManagedObjectModel.defaultConfigurationName
    }

    /// `remove(_:)`.
    func baseRemove(_ store: NSPersistentStore) throws {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CocoaError.coreData("The store is not one of this coordinator's.")
        }
        let change: [AnyHashable: Any] = [NSRemovedPersistentStoresKey: [store]]
        post(.NSPersistentStoreCoordinatorStoresWillChange, change)
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore,
            object: store
        )
        store.willRemove(from: self)
        // Out of the list first, so that no request begins; then contexts let go of its objects;
        // closing it then waits for the requests under way.
        state.withLock { state in state.stores.removeAll { $0 === store } }
        store.persistentStoreCoordinator = nil
        if let store = store as? any RowStore {
            for context in contexts.alive { context.storeWasRemoved(store) }
            store.close()
        }
        post(.NSPersistentStoreCoordinatorStoresDidChange, change)
    }

    /// `persistentStore(for:)`.
    func basePersistentStore(for URL: URL) -> NSPersistentStore? {
        // Any number of stores may be there, each apart from the others.
        guard !URL.isNullDevice else { return nil }
        let path = URL.standardizedFileURL
        let stores = persistentStores
        if let store = stores.first(where: { store in
            store.url == URL || store.url?.standardizedFileURL == path
        }) {
            return store
        }
        // Another path may lead to the same file.
        guard URL.isFileURL else { return nil }
        let place = ResolvedPath.of(path.path)
        return stores.first { store in
            guard let url = store.url, url.isFileURL, !url.isNullDevice else { return false }
            return ResolvedPath.of(url.standardizedFileURL.path) == place
        }
    }

    private func entities(of configuration: String?) throws -> [EntityLayout] {
        guard let configuration else { return modelLayout.entities }
        guard
            let members = managedObjectModel.storedEntities(forConfigurationName: configuration)
        else {
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
        guard [NSInMemoryStoreType, NSSQLiteStoreType].contains(type) else {
            throw CocoaError.storeOpen(nil, "a store of type \(type) needs a URL; give one")
        }
        return .nullDevice
    }
}
