import Foundation

extension CocoaError {
    /// A save relates objects to rows that others have deleted, which its validation let pass.
    static func lostTargets(_ ids: [NSManagedObjectID]) -> CocoaError {
        make(
            NSManagedObjectValidationError,
            "The save relates objects to rows that others have deleted: "
                + ids.map { $0.uriRepresentation().absoluteString }.sorted().joined(separator: ", ")
                + "; merge their saves, or refresh the objects, and save again.",
            info: [:]
        )
    }

    /// A relationship was set to an object that is deleted, or of which a store has no row any more.
    static func danglingReference(
        entity: String,
        key: String,
        object: NSManagedObject,
        value: NSManagedObject?
    ) -> CocoaError {
        var info: [String: Any] = [
            NSValidationObjectErrorKey: object,
            NSValidationKeyErrorKey: key,
            NSAffectedObjectsErrorKey: [object],
        ]
        if let value { info[NSValidationValueErrorKey] = value }
        return make(
            NSManagedObjectValidationError,
            "Dangling reference to an invalid object: \(entity).\(key) was set to an object that is "
                + "deleted; take it out, or set another one.",
            info: info
        )
    }
}
