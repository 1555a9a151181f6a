import Foundation

/// Stores as a whole: to another place or type.
extension NSPersistentStoreCoordinator {
    /// Goes on with the store at another URL, where it must be already.
    ///
    /// > Threading: Any thread, but with no save or fetch of the store under way.
    ///
    /// - Returns: False if no such store is there; the old one stays in use then.
    public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard let rowStore = store as? any RowStore,
            persistentStores.contains(where: { $0 === store })
        else { return false }
        guard type(of: rowStore).isFile else {
            store.url = url
            return true
        }
        let old = store.url
        do {
            guard FileManager.default.fileExists(atPath: url.path) else { return false }
            rowStore.close()
            store.url = url
            try rowStore.open(model: modelLayout, entities: entities(of: store))
            return true
        } catch {
            store.url = old
            do {
                try rowStore.open(model: modelLayout, entities: entities(of: store))
            } catch {
                // The store stays closed; its next use throws and says so.
            }
            return false
        }
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
    public func migratePersistentStore(
        _ store: NSPersistentStore,
        to URL: URL,
        options: [AnyHashable: Any]? = nil,
        withType storeType: String
    ) throws -> NSPersistentStore {
        guard let source = store as? any RowStore,
            persistentStores.contains(where: { $0 === store })
        else { throw CocoaError.coreData("The store is not one of this coordinator's.") }
        let storeClass = try StoreClasses.storeClass(storeType)
        if storeClass.isFile, FileManager.default.fileExists(atPath: URL.path) {
            throw CocoaError.storeOpen(
                URL,
                "a file is there already; choose another place, or destroy the store there first"
            )
        }
        let entities = entities(of: store)
        let isWhole = entities.count == modelLayout.entities.count
        let target = storeClass.init(
            persistentStoreCoordinator: self,
            configurationName: isWhole ? nil : store.configurationName,
            at: URL,
            options: options
        )
        try target.open(model: modelLayout, entities: entities)
        do {
            if let target = target as? any ObjectStore {
                try ObjectCopy(source: source, target: target, entities: entities).run(on: self)
            } else {
                try StoreCopy(source: source, target: target, entities: entities).run()
            }
            let own = store.metadata.filter { !$0.key.hasPrefix("NSStore") }
                .filter { !$0.key.hasPrefix("NSPersistence") }
            target.metadata = target.metadata.merging(own) { new, _ in new }
            try remove(store)
        } catch {
            target.close()
            if storeClass.isFile { try storeClass.destroyStore(at: URL) }
            throw error
        }
        add(target)
        return target
    }

    /// Copies all rows of a store into a new one; see
    /// `migratePersistentStore(_:to:options:withType:)`.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore,
        to storeURL: URL,
        options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(
            store,
            to: storeURL,
            options: options,
            withType: storeType.rawValue
        )
    }

    /// Puts a copy of one store's file in the place of another one, or where none is yet.
    ///
    /// The copy is made first, so that the old store is still there if that fails. A store of this
    /// coordinator at the destination is removed from it. The source may be in use.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` for stores that are no files; a file
    ///   error that names what can't be read or written.
    public func replacePersistentStore(
        at destinationURL: URL,
        destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil,
        ofType storeType: String
    ) throws {
        let storeClass = try StoreClasses.storeClass(storeType)
        guard !destinationURL.isNullDevice else {
            throw CocoaError.storeSave(destinationURL, "a store there can't be replaced; add one")
        }
        try storeClass.replaceStore(at: destinationURL, withStoreAt: sourceURL) {
            if let store = persistentStore(for: destinationURL) { try remove(store) }
        }
    }

    /// Puts a copy of one store's file in the place of another one; see
    /// `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
    public func replacePersistentStore(
        at destinationURL: URL,
        destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL,
            destinationOptions: destinationOptions,
            withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions,
            ofType: sourceType.rawValue
        )
    }

    /// The entities of a store's configuration.
    private func entities(of store: NSPersistentStore) -> [EntityLayout] {
        let name = store.configurationName
        guard let members = managedObjectModel.entities(forConfigurationName: name) else {
            return modelLayout.entities
        }
        let names = Set(members.compactMap(\.name))
        return modelLayout.entities.filter { names.contains($0.name) }
    }
}
