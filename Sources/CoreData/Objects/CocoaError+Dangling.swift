import Foundation

extension CocoaError {
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
