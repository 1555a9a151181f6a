/// Key of the single errors (an array of `NSError`) behind `NSValidationMultipleErrorsError`.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// Key of the object that is not valid.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// Key of the name of the property that is not valid.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// Key of the predicate that the value does not satisfy.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// Key of the value that is not valid; absent for nil.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// Key of the stores (an array) that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// Key of the objects (an array) that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// Key of the merge conflicts (an array of `NSMergeConflict`) that stopped a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's result codes, as they stand below an error of Core Data.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
