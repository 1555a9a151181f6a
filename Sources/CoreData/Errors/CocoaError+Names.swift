import Foundation

// The names of `CocoaError.Code`, as they stand on `CocoaError` for `catch` clauses.
extension CocoaError {
    /// A managed object is not valid, for a reason that no other code names.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// Several errors, which stand under `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code {
        .validationMissingMandatoryProperty
    }
    /// A relationship holds fewer objects than it must.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    /// A relationship holds more objects than it may.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    /// A relationship with the deny rule still holds objects.
    public static var validationRelationshipDeniedDelete: CocoaError.Code {
        .validationRelationshipDeniedDelete
    }
    /// A number is above its maximum.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// A number is below its minimum.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// A date is after its maximum.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// A date is before its minimum.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// A date is not a number.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// A string has more characters than it may.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// A string has fewer characters than it must.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// A string does not match its regular expression.
    public static var validationStringPatternMatching: CocoaError.Code {
        .validationStringPatternMatching
    }
    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code {
        .persistentStoreCoordinatorLocking
    }
    /// An object is no longer in its store.
    public static var managedObjectReferentialIntegrity: CocoaError.Code {
        .managedObjectReferentialIntegrity
    }
    /// A relationship leads to an object of another store.
    public static var managedObjectExternalRelationship: CocoaError.Code {
        .managedObjectExternalRelationship
    }
    /// Objects changed in the store after the context had read them.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// Objects share values that must be unique.
    public static var managedObjectConstraintMerge: CocoaError.Code {
        .managedObjectConstraintMerge
    }
    /// A store type is unknown.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// A store is of another type than the one given.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// A store's schema does not fit the model.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code {
        .persistentStoreIncompatibleSchema
    }
    /// A save failed in the store.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// Some of several stores could not be saved.
    public static var persistentStoreIncompleteSave: CocoaError.Code {
        .persistentStoreIncompleteSave
    }
    /// A save has merge conflicts that nothing resolved.
    public static var persistentStoreSaveConflicts: CocoaError.Code {
        .persistentStoreSaveConflicts
    }
    /// An error that no other code names.
    public static var coreData: CocoaError.Code { .coreData }
    /// An operation on a store failed.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// A store did not answer in time.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// A store does not know a kind of request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        .persistentStoreUnsupportedRequestType
    }
    /// A store was made with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    /// A migration failed.
    public static var migration: CocoaError.Code { .migration }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// The model that a store was made with was not found.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// No mapping leads from the store's model to the current one.
    public static var migrationMissingMappingModel: CocoaError.Code {
        .migrationMissingMappingModel
    }
    /// The store to migrate from failed.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// The store to migrate to failed.
    public static var migrationManagerDestinationStore: CocoaError.Code {
        .migrationManagerDestinationStore
    }
    /// A migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// SQLite reported an error; its code stands under `NSSQLiteErrorDomain`.
    public static var sqlite: CocoaError.Code { .sqlite }
    /// A mapping could not be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
    /// External records could not be imported.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
