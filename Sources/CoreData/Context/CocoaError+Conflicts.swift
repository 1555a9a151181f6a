import Foundation

/// Errors of saves that speak of conflicts.
extension CocoaError {
    /// The merge conflicts that stopped a save; nil for errors of other kinds.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }

    /// The error that a save ends with under the error policy.
    static func constraintConflicts(_ conflicts: [NSConstraintConflict]) -> CocoaError {
        let names = Set(
            conflicts.compactMap { conflict in
                conflict.conflictingObjects.first.map {
                    "\($0.layout.name) (\(conflict.constraint.joined(separator: ", ")))"
                }
            }
        )
        return make(
            NSManagedObjectConstraintMergeError,
            "Values that must be unique are in use: \(names.sorted().joined(separator: "; ")). "
                + "Change them and save again, or set a merge policy that resolves it.",
            info: [NSPersistentStoreSaveConflictsErrorKey: conflicts]
        )
    }
}
