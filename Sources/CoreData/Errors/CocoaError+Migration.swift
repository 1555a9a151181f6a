import Foundation

extension CocoaError {
    /// 134110: a migration failed; the store is as it was.
    ///
    /// - Parameter reason: What went wrong and what to do about it, without a full stop.
    static func migration(
        _ url: URL?,
        _ reason: String,
        entity: String? = nil,
        attribute: String? = nil,
        relationship: String? = nil,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        var info: [String: Any] = ["reason": reason]
        if let entity { info["entity"] = entity }
        if let attribute { info["attribute"] = attribute }
        if let relationship { info["relationship"] = relationship }
        return make(
            NSMigrationError,
            "The store \(display(url)) was not migrated and is as it was: \(reason).",
            url: url,
            underlying: underlying,
            info: info
        )
    }

    /// 134111: rows that the destination's uniqueness constraint does not allow.
    static func migrationConstraint(
        _ url: URL?,
        entity: String,
        keys: [String],
        underlying: (any Error)?
    ) -> CocoaError {
        make(
            NSMigrationConstraintViolationError,
            "The store \(display(url)) was not migrated and is as it was: several \(entity) objects "
                + "share the same \(keys.joined(separator: ", ")), which must be unique in the new "
                + "model; remove the duplicates with the old model first.",
            url: url,
            underlying: underlying,
            info: ["entity": entity]
        )
    }

    /// 134120: the client cancelled a migration.
    static func migrationCancelled(_ url: URL?, underlying: (any Error)?) -> CocoaError {
        make(
            NSMigrationCancelledError,
            "The migration of the store \(display(url)) was cancelled, and the store is as it was.",
            url: url,
            underlying: underlying
        )
    }

    /// 134150 and 134160: the source or destination store of a migration manager.
    static func migrationStore(
        _ url: URL,
        isSource: Bool,
        underlying: any Error
    ) -> CocoaError {
        make(
            isSource ? NSMigrationManagerSourceStoreError : NSMigrationManagerDestinationStoreError,
            "The \(isSource ? "source" : "destination") store \(display(url)) of the migration can't "
                + "be opened: \((underlying as NSError).localizedDescription)",
            url: url,
            underlying: underlying
        )
    }

    /// 134170: an entity mapping names a policy that there is not, or a policy failed.
    static func entityMigrationPolicy(
        _ mapping: String,
        _ what: String,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        make(
            NSEntityMigrationPolicyError,
            "The entity mapping \"\(mapping)\" can't be carried out: \(what).",
            underlying: underlying,
            info: ["reason": what]
        )
    }

    /// 134504: a version of a staged migration whose model is not there.
    static func modelReferenceNotFound(_ checksum: String) -> CocoaError {
        make(
            NSManagedObjectModelReferenceNotFoundError,
            "No model of the version with the checksum \(checksum) was found: give its stage a "
                + "reference to it, or add the model to the resources."
        )
    }

    /// 134506: a staged migration to a version before the store's.
    static func backwardMigration(_ url: URL) -> CocoaError {
        make(
            NSStagedMigrationBackwardMigrationError,
            "The store \(display(url)) was not migrated and is as it was: the stages lead from the "
                + "model's version to the store's, and not back.",
            url: url
        )
    }
}
