import Foundation

/// The entities of a store in one version of a model.
struct StoreVersion {
    let layout: ModelLayout
    /// Those of the store's configuration.
    let entities: [EntityLayout]
}

/// A store class that migrates its files in place.
///
/// Those of other classes are made anew, object by object.
///
/// > Threading: Any thread, with a file that no store of this process has open.
protocol MigratingStore: RowStore {
    /// Ends what a crash has left half done in a store's file.
    static func recover(at url: URL, options: [AnyHashable: Any]?) throws
    /// Whether a store's file is of this version of the entities, so that it opens without a
    /// migration.
    static func isCompatible(
        at url: URL,
        options: [AnyHashable: Any]?,
        with version: StoreVersion
    ) throws -> Bool
    /// Migrates a store's file where the mapping can be inferred.
    static func migrate(
        at url: URL,
        options: [AnyHashable: Any]?,
        from source: StoreVersion,
        to destination: StoreVersion
    ) throws
    /// The model that a store's file keeps of itself.
    static func cachedModel(
        at url: URL,
        options: [AnyHashable: Any]?
    ) throws -> NSManagedObjectModel
    /// The numbers of objects in a store's file, by the names of their entities.
    static func rowCounts(at url: URL) throws -> [String: Int]
    /// Puts the content of one store into the file of another one, in one transaction.
    static func replaceContents(
        at url: URL,
        options: [AnyHashable: Any]?,
        with source: URL
    ) throws
}

extension StoreClasses {
    /// The class of stores of a type that migrate in place.
    ///
    /// - Throws: `NSPersistentStoreInvalidTypeError` for a type that nobody registered, and
    ///   `NSPersistentStoreUnsupportedRequestTypeError` for one whose stores don't.
    static func migratingClass(_ type: String) throws -> any MigratingStore.Type {
        guard let storeClass = try storeClass(type).migrating else {
            throw CocoaError.unsupportedRequest("a migration in place", storeType: type)
        }
        return storeClass
    }
}
