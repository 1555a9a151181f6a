import Foundation

/// Stores as a whole: to another place or type.
extension NSPersistentStoreCoordinator {
    /// `setURL(_:for:)`.
    func baseSetURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard let rowStore = store as? any RowStore,
            persistentStores.contains(where: { $0 === store })
        else { return false }
        guard type(of: rowStore).isFile else {
            store.url = url
            return true
        }
        let old = store.url
        do {
            // Opening would make a new store where there is none.
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

    /// `migratePersistentStore(_:to:options:withType:)`.
    @discardableResult
    func baseMigratePersistentStore(
        _ store: NSPersistentStore,
        to URL: URL,
        options: [AnyHashable: Any]? = nil,
        withType storeType: String
    ) throws -> NSPersistentStore {
        guard let source = store as? any RowStore,
            persistentStores.contains(where: { $0 === store })
        else { throw CocoaError.coreData("The store is not one of this coordinator's.") }
        let storeClass = try StoreClasses.storeClass(storeType)
        let claim = try claim(URL, storeClass)
        defer { release(claim) }
        let wasThere = storeClass.isFile && FileManager.default.fileExists(atPath: URL.path)
        if wasThere, !Self.isVacant(URL, storeClass) {
            throw CocoaError.storeOpen(
                URL,
                "a file is there already; choose another place, or destroy the store there first"
            )
        }
        if !storeClass.isFile, try !storeClass.isVacant(at: URL, options: options) {
            throw CocoaError.storeOpen(
                URL,
                "a store is there already; choose another place, or destroy that store first"
            )
        }
        let entities = entities(of: store)
        let isWhole = entities.count == modelLayout.entities.count
        let target = storeClass.make(
            persistentStoreCoordinator: self,
            configurationName: isWhole ? nil : store.configurationName,
            at: URL,
            options: options
        )
        do {
            try target.open(model: modelLayout, entities: entities)
            if let target = target.objectStore {
                try ObjectCopy(source: source, target: target, entities: entities).run(on: self)
            } else {
                try StoreCopy(source: source, target: target, entities: entities).run()
            }
            // Keys of the format are the new store's own; the rest is the client's.
            let own = store.metadata.filter { !$0.key.hasPrefix("NSStore") }
                .filter { !$0.key.hasPrefix("NSPersistence") }
            target.metadata = target.metadata.merging(own) { new, _ in new }
            // A write of nothing but the metadata, which else only the next save would bring to the
            // file.
            if target.hasChangedMetadata { try target.write(StoreChangeSet()) }
            // Only now that the copy is whole: until here an error leaves the old store in use.
            try remove(store)
        } catch {
            target.close()
            do {
                // An empty database that was there before the copy is left as one; a new file goes.
                if wasThere {
                    try storeClass.destroyStore(at: URL)
                } else if storeClass.isFile {
                    try storeClass.removeStore(at: URL)
                } else {
                    try target.undoMaking()
                }
            } catch {
                // What made the copy fail tells more.
            }
            throw error
        }
        add(target, releasing: claim)
        return target
    }

    private static func isVacant(_ url: URL, _ storeClass: any RowStore.Type) -> Bool {
        do {
            return try storeClass.isVacant(at: url)
        } catch {
            return false  // It is something, if no store.
        }
    }

    /// Copies all rows of a store into a new one; see
    /// `migratePersistentStore(_:to:options:withType:)`.
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

    /// `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
    func baseReplacePersistentStore(
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
        // Called once the copy is made: a source that can't be read leaves the old store in use.
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
        guard let members = managedObjectModel.storedEntities(forConfigurationName: name) else {
            return modelLayout.entities
        }
        let names = Set(members.compactMap(\.name))
        return modelLayout.entities.filter { names.contains($0.name) }
    }
}
