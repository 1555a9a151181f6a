import Foundation

/// Key-value access to what a context says of itself, for predicates such as `hasChanges == YES`.
///
/// > Threading: On the context's queue.
extension NSManagedObjectContext: KeyValueCoding {
    /// The value for a key.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "hasChanges": NSNumber(value: hasChanges)
        case "insertedObjects": insertedObjects
        case "updatedObjects": updatedObjects
        case "deletedObjects": deletedObjects
        case "registeredObjects": registeredObjects
        case "name": name
        case "parentContext", "parent": parent
        case "persistentStoreCoordinator": persistentStoreCoordinator
        case "undoManager": undoManager
        default: value(forUndefinedKey: key)
        }
    }

    /// Sets the name; stops the program for other keys.
    public func setValue(_ value: Any?, forKey key: String) {
        guard key == "name" else { return setValue(value, forUndefinedKey: key) }
        name = value as? String
    }
}
