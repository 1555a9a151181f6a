import Foundation

/// Stores that need not be added: their metadata, and their end.
extension NSPersistentStoreCoordinator {
    /// `metadataForPersistentStore(ofType:at:options:)`.
    static func baseMetadataForPersistentStore(
        ofType storeType: String,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try StoreClasses.storeClass(storeType).metadata(at: url, options: options)
    }

    /// Reads the metadata of a store without adding it.
    ///
    /// - Throws: `NSPersistentStoreInvalidTypeError` for an unknown type; what the store class throws
    ///   of a file that is not there, or no store of the type.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType,
        at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(
            ofType: storeType.rawValue,
            at: storeURL,
            options: options
        )
    }

    /// `setMetadata(_:forPersistentStoreOfType:at:options:)`.
    static func baseSetMetadata(
        _ metadata: [String: Any]?,
        forPersistentStoreOfType storeType: String,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try StoreClasses.storeClass(storeType).setMetadata(metadata, at: url, options: options)
    }

    /// Replaces the metadata of a store; see
    /// `setMetadata(_:forPersistentStoreOfType:at:options:)`.
    public class func setMetadata(
        _ metadata: [String: Any]?,
        type storeType: NSPersistentStore.StoreType,
        at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(
            metadata,
            forPersistentStoreOfType: storeType.rawValue,
            at: storeURL,
            options: options
        )
    }

    /// `destroyPersistentStore(at:ofType:options:)`.
    func baseDestroyPersistentStore(
        at url: URL,
        ofType storeType: String,
        options: [AnyHashable: Any]? = nil
    ) throws {
        let storeClass = try StoreClasses.storeClass(storeType)
        guard !url.isNullDevice else { return }
        // Nothing here may go on using a file that is about to be emptied.
        if let store = storeClass.store(of: self, at: url, options: options) { try remove(store) }
        try storeClass.destroyStore(at: url, options: options)
    }

    /// Empties a store, and removes it if it is one of this coordinator; see
    /// `destroyPersistentStore(at:ofType:options:)`.
    public func destroyPersistentStore(
        at url: URL,
        type storeType: NSPersistentStore.StoreType,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }
}
