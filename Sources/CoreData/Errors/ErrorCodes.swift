// Error numbers in the domain `NSCocoaErrorDomain`.

// MARK: Validation

/// A managed object is not valid, for a reason that no other code names.
public var NSManagedObjectValidationError: Int { 1550 }
/// A value breaks a uniqueness constraint.
public var NSManagedObjectConstraintValidationError: Int { 1551 }
/// Several errors, which stand under `NSDetailedErrorsKey`.
public var NSValidationMultipleErrorsError: Int { 1560 }
/// A property that is not optional has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
/// A relationship holds fewer objects than it must.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
/// A relationship holds more objects than it may.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
/// A relationship with the deny rule still holds objects.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
/// A number is above its maximum.
public var NSValidationNumberTooLargeError: Int { 1610 }
/// A number is below its minimum.
public var NSValidationNumberTooSmallError: Int { 1620 }
/// A date is after its maximum.
public var NSValidationDateTooLateError: Int { 1630 }
/// A date is before its minimum.
public var NSValidationDateTooSoonError: Int { 1640 }
/// A date is not a number.
public var NSValidationInvalidDateError: Int { 1650 }
/// A string has more characters than it may.
public var NSValidationStringTooLongError: Int { 1660 }
/// A string has fewer characters than it must.
public var NSValidationStringTooShortError: Int { 1670 }
/// A string does not match its regular expression.
public var NSValidationStringPatternMatchingError: Int { 1680 }
/// A value is no valid URI.
public var NSValidationInvalidURIError: Int { 1690 }

// MARK: Contexts and objects

/// A context could not be locked.
public var NSManagedObjectContextLockingError: Int { 132000 }
/// A coordinator could not be locked.
public var NSPersistentStoreCoordinatorLockingError: Int { 132010 }
/// An object is no longer in its store.
public var NSManagedObjectReferentialIntegrityError: Int { 133000 }
/// A relationship leads to an object of another store.
public var NSManagedObjectExternalRelationshipError: Int { 133010 }
/// Objects changed in the store after the context had read them.
public var NSManagedObjectMergeError: Int { 133020 }
/// Objects share values that must be unique.
public var NSManagedObjectConstraintMergeError: Int { 133021 }

// MARK: Stores

/// A store type is unknown.
public var NSPersistentStoreInvalidTypeError: Int { 134000 }
/// A store is of another type than the one given.
public var NSPersistentStoreTypeMismatchError: Int { 134010 }
/// A store's schema does not fit the model.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134020 }
/// A save failed in the store.
public var NSPersistentStoreSaveError: Int { 134030 }
/// Some of several stores could not be saved.
public var NSPersistentStoreIncompleteSaveError: Int { 134040 }
/// A save has merge conflicts that nothing resolved.
public var NSPersistentStoreSaveConflictsError: Int { 134050 }
/// An error that no other code names.
public var NSCoreDataError: Int { 134060 }
/// An operation on a store failed.
public var NSPersistentStoreOperationError: Int { 134070 }
/// A store could not be opened.
public var NSPersistentStoreOpenError: Int { 134080 }
/// A store did not answer in time.
public var NSPersistentStoreTimeoutError: Int { 134090 }
/// A store does not know a kind of request.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134091 }
/// A store was made with another version of the model.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134100 }

// MARK: Migration

/// A migration failed.
public var NSMigrationError: Int { 134110 }
/// A migration would break a uniqueness constraint.
public var NSMigrationConstraintViolationError: Int { 134111 }
/// A migration was cancelled.
public var NSMigrationCancelledError: Int { 134120 }
/// The model that a store was made with was not found.
public var NSMigrationMissingSourceModelError: Int { 134130 }
/// No mapping leads from the store's model to the current one.
public var NSMigrationMissingMappingModelError: Int { 134140 }
/// The store to migrate from failed.
public var NSMigrationManagerSourceStoreError: Int { 134150 }
/// The store to migrate to failed.
public var NSMigrationManagerDestinationStoreError: Int { 134160 }
/// A migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134170 }

// MARK: SQLite and the rest

/// SQLite reported an error; its code stands under `NSSQLiteErrorDomain`.
public var NSSQLiteError: Int { 134180 }
/// A mapping could not be inferred.
public var NSInferredMappingModelError: Int { 134190 }
/// External records could not be imported.
public var NSExternalRecordImportError: Int { 134200 }
/// A history token is older than the history that is left.
public var NSPersistentHistoryTokenExpiredError: Int { 134301 }
/// A reference to a model could not be resolved.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134504 }
/// A staged migration needs another version of the framework.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134505 }
/// A staged migration would lead to an earlier version.
public var NSStagedMigrationBackwardMigrationError: Int { 134506 }
