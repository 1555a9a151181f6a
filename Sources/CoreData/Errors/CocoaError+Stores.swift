import Foundation

extension CocoaError {
    // MARK: Opening

    /// A store was asked for something after it was closed.
    static func storeIsClosed(_ url: URL?) -> CocoaError {
        storeOperation(
            url,
            "the store is closed; add it to a coordinator again before using its objects"
        )
    }

    /// 134000: a store type that nobody registered.
    static func unknownStoreType(_ type: String) -> CocoaError {
        make(
            NSPersistentStoreInvalidTypeError,
            "The store type \"\(type)\" is unknown: use NSSQLiteStoreType or another one of "
                + "registeredStoreTypes, or register a store class for it."
        )
    }

    /// 134010: a store of another type than asked for.
    static func storeTypeMismatch(_ url: URL, expected: String, found: String) -> CocoaError {
        make(
            NSPersistentStoreTypeMismatchError,
            "The store \(display(url)) is of type \(found), not \(expected): add it with its own type.",
            url: url
        )
    }

    /// 134020: tables that do not fit the model.
    static func incompatibleSchema(_ url: URL?, _ what: String) -> CocoaError {
        make(
            NSPersistentStoreIncompatibleSchemaError,
            "The tables of the store \(display(url)) do not fit the model: \(what). Open it with the "
                + "model that it was made with.",
            url: url
        )
    }

    /// 134080: the store could not be opened.
    static func storeOpen(
        _ url: URL?,
        _ what: String,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        make(
            NSPersistentStoreOpenError,
            "The store \(display(url)) could not be opened: \(what).",
            url: url,
            underlying: underlying
        )
    }

    /// 134100: the store was made with another version of the model.
    ///
    /// - Parameters:
    ///   - metadata: The store's metadata.
    ///   - differing: The names of the entities that differ, if known.
    static func incompatibleVersionHash(
        _ url: URL?,
        metadata: [String: Any],
        differing: [String] = []
    ) -> CocoaError {
        let names = differing.isEmpty ? "" : " (differing: \(differing.joined(separator: ", ")))"
        return make(
            NSPersistentStoreIncompatibleVersionHashError,
            "The model used to open the store \(display(url)) is incompatible with the one used to "
                + "create it\(names): open it with that version of the model, or migrate the store.",
            url: url,
            // Clients read these two keys, which Apple's error has.
            info: [
                "metadata": metadata,
                "reason": "The model used to open the store is incompatible with the one used to "
                    + "create the store",
            ]
        )
    }

    /// 134130: the model that a store was made with was not found.
    static func missingSourceModel(_ url: URL?, metadata: [String: Any]) -> CocoaError {
        make(
            NSMigrationMissingSourceModelError,
            "No model matches the one that the store \(display(url)) was made with: keep all versions "
                + "of the model among the resources, so that the store can be migrated.",
            url: url,
            info: ["metadata": metadata]
        )
    }

    /// 134130: a store that does not keep its model.
    static func missingCachedModel(_ url: URL?, metadata: [String: Any]) -> CocoaError {
        make(
            NSMigrationMissingSourceModelError,
            "The store \(display(url)) keeps no model of its own, as stores of before iOS 9 and "
                + "macOS 10.11: open it with a model file.",
            url: url,
            info: ["metadata": metadata]
        )
    }

    // MARK: Working

    /// 134030: a save failed in the store.
    static func storeSave(
        _ url: URL?,
        _ what: String,
        underlying: (any Error)? = nil,
        stores: [AnyObject] = []
    ) -> CocoaError {
        make(
            NSPersistentStoreSaveError,
            "Saving to the store \(display(url)) failed, and nothing was written: \(what).",
            url: url,
            underlying: underlying,
            info: stores.isEmpty ? [:] : [NSAffectedStoresErrorKey: stores]
        )
    }

    /// 134070: an operation that the store cannot do.
    static func storeOperation(
        _ url: URL?,
        _ what: String,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        make(
            NSPersistentStoreOperationError,
            "The operation on the store \(display(url)) failed: \(what).",
            url: url,
            underlying: underlying
        )
    }

    /// 134090: another process held the store's lock for too long.
    static func storeTimeout(_ url: URL?, underlying: (any Error)? = nil) -> CocoaError {
        make(
            NSPersistentStoreTimeoutError,
            "The store \(display(url)) stayed locked by another process or connection: try again when that "
                + "has ended. A program may wait longer, by NSPersistentStoreTimeoutOption.",
            url: url,
            underlying: underlying
        )
    }

    /// 134091: a kind of request that the store does not know.
    static func unsupportedRequest(_ request: String, storeType: String) -> CocoaError {
        make(
            NSPersistentStoreUnsupportedRequestTypeError,
            "A store of type \(storeType) cannot execute \(request): use a SQLite store, or fetch the "
                + "objects and change them in a context."
        )
    }

    /// 134301: history that is asked for has been deleted.
    static func historyTokenExpired() -> CocoaError {
        make(
            NSPersistentHistoryTokenExpiredError,
            "The history after this token or transaction is not all there any more: read the objects "
                + "themselves, and go on from the coordinator's current token."
        )
    }

    /// 134180: SQLite reported an error.
    ///
    /// - Parameters:
    ///   - code: SQLite's extended result code.
    ///   - message: SQLite's own words; they quote no values.
    static func sqlite(_ url: URL?, code: Int, message: String) -> CocoaError {
        let underlying = NSError(
            domain: NSSQLiteErrorDomain,
            code: code,
            userInfo: [NSLocalizedDescriptionKey: message]
        )
        return make(
            NSSQLiteError,
            "SQLite error \(code) in the store \(display(url)): \(message).",
            url: url,
            underlying: underlying,
            info: [NSSQLiteErrorDomain: NSNumber(value: code)]
        )
    }
}
