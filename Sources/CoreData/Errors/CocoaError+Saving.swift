import Foundation

extension CocoaError {
    /// An object, given by its ID's URI, is no longer in its store.
    static func objectIsGone(objectURI: String, object: AnyObject? = nil) -> CocoaError {
        make(
            NSManagedObjectReferentialIntegrityError,
            "The object \(objectURI) is not in its store any more: fetch again instead of keeping "
                + "the object or its ID.",
            info: object.map { [NSAffectedObjectsErrorKey: [$0]] } ?? [:]
        )
    }

    /// A relationship leads to an object in another store.
    static func externalRelationship(entity: String, key: String, object: AnyObject) -> CocoaError {
        make(
            NSManagedObjectExternalRelationshipError,
            "\(entity).\(key) leads to an object in another store: assign both objects to the same "
                + "store, or keep the other's URI as an attribute.",
            info: [NSAffectedObjectsErrorKey: [object], NSValidationKeyErrorKey: key]
        )
    }

    /// Rows changed in the store after the context had read them; `conflicts` are the
    /// `NSMergeConflict`s.
    static func mergeConflicts(_ conflicts: [AnyObject]) -> CocoaError {
        make(
            NSManagedObjectMergeError,
            "Could not merge changes: \(conflicts.count) object(s) changed in the store after this "
                + "context had read them; refresh them and save again, or set a merge policy.",
            info: [NSPersistentStoreSaveConflictsErrorKey: conflicts]
        )
    }

    /// Objects share values that must be unique; `conflicts` are the `NSConstraintConflict`s.
    static func constraintConflicts(
        _ conflicts: [AnyObject],
        entity: String,
        keys: [String]
    ) -> CocoaError {
        make(
            NSManagedObjectConstraintMergeError,
            "Several \(entity) objects share the same \(keys.joined(separator: ", ")), which must "
                + "be unique: change them and save again, or set a merge policy that resolves it.",
            info: [NSPersistentStoreSaveConflictsErrorKey: conflicts]
        )
    }

    /// A context was asked to save in the middle of its own save.
    static func recursiveSave() -> CocoaError {
        make(
            132001,  // Not among the published constants; seen in apps' logs.
            "The context is saving already: call save() after the save under way has returned, "
                + "not from willSave, didSave or a will-save observer."
        )
    }

    /// Objects' `willSave` went on changing them.
    static func endlessSave(rounds: Int) -> CocoaError {
        make(
            NSCoreDataError,
            "Objects still changed after \(rounds) rounds of willSave: compare values before "
                + "setting them in willSave()."
        )
    }

    /// A context has neither a parent nor a coordinator.
    static func contextHasNoParent() -> CocoaError {
        make(
            NSCoreDataError,
            "The context has no parent: set its persistentStoreCoordinator or its parent first."
        )
    }

    /// A coordinator has no store that takes an entity's objects.
    static func noStore(forEntity entity: String) -> CocoaError {
        make(
            NSCoreDataError,
            "No writable store of the coordinator holds the entity \(entity): add a store whose "
                + "configuration has it before saving."
        )
    }

    /// 134060: objects that were changed after their values could not be read.
    static func changedUnread(
        entity: String,
        objects: [Any],
        underlying: (any Error)?
    ) -> CocoaError {
        make(
            NSCoreDataError,
            "\(objects.count) objects, the first of them of the entity \(entity), were changed when "
                + "what they had could not be read: roll the context back, or refresh them without "
                + "merging their changes, and change them again.",
            underlying: underlying,
            info: [NSAffectedObjectsErrorKey: objects]
        )
    }

    /// What no other error names.
    static func coreData(_ sentence: String, underlying: (any Error)? = nil) -> CocoaError {
        make(NSCoreDataError, sentence, underlying: underlying)
    }
}
