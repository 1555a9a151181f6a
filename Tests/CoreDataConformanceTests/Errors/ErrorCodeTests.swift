import CoreData
import Testing

/// Error codes as Apple's header `CoreDataErrors.h` numbers them.
@Suite struct ErrorCodeTests {
    @Test func validationCodesHaveApplesNumbers() {
        let codes: [(Int, Int)] = [
            (NSManagedObjectValidationError, 1550),
            (NSManagedObjectConstraintValidationError, 1551),
            (NSValidationMultipleErrorsError, 1560),
            (NSValidationMissingMandatoryPropertyError, 1570),
            (NSValidationRelationshipLacksMinimumCountError, 1580),
            (NSValidationRelationshipExceedsMaximumCountError, 1590),
            (NSValidationRelationshipDeniedDeleteError, 1600),
            (NSValidationNumberTooLargeError, 1610), (NSValidationNumberTooSmallError, 1620),
            (NSValidationDateTooLateError, 1630), (NSValidationDateTooSoonError, 1640),
            (NSValidationInvalidDateError, 1650), (NSValidationStringTooLongError, 1660),
            (NSValidationStringTooShortError, 1670),
            (NSValidationStringPatternMatchingError, 1680), (NSValidationInvalidURIError, 1690),
        ]
        for (code, number) in codes { #expect(code == number) }
    }

    @Test func storeAndSaveCodesHaveApplesNumbers() {
        let codes: [(Int, Int)] = [
            (NSManagedObjectContextLockingError, 132_000),
            (NSPersistentStoreCoordinatorLockingError, 132_010),
            (NSManagedObjectReferentialIntegrityError, 133_000),
            (NSManagedObjectExternalRelationshipError, 133_010),
            (NSManagedObjectMergeError, 133_020), (NSManagedObjectConstraintMergeError, 133_021),
            (NSPersistentStoreInvalidTypeError, 134_000),
            (NSPersistentStoreTypeMismatchError, 134_010),
            (NSPersistentStoreIncompatibleSchemaError, 134_020),
            (NSPersistentStoreSaveError, 134_030), (NSPersistentStoreIncompleteSaveError, 134_040),
            (NSPersistentStoreSaveConflictsError, 134_050), (NSCoreDataError, 134_060),
            (NSPersistentStoreOperationError, 134_070), (NSPersistentStoreOpenError, 134_080),
            (NSPersistentStoreTimeoutError, 134_090),
            (NSPersistentStoreUnsupportedRequestTypeError, 134_091),
            (NSPersistentStoreIncompatibleVersionHashError, 134_100), (NSSQLiteError, 134_180),
        ]
        for (code, number) in codes { #expect(code == number) }
    }

    @Test func namesOfCodesStandForTheNumbers() {
        let codes: [(CocoaError.Code, Int)] = [
            (.managedObjectValidation, 1550), (.validationMultipleErrors, 1560),
            (.validationMissingMandatoryProperty, 1570),
            (.validationRelationshipLacksMinimumCount, 1580),
            (.validationRelationshipExceedsMaximumCount, 1590),
            (.validationRelationshipDeniedDelete, 1600), (.validationNumberTooLarge, 1610),
            (.validationNumberTooSmall, 1620), (.validationDateTooLate, 1630),
            (.validationDateTooSoon, 1640), (.validationInvalidDate, 1650),
            (.validationStringTooLong, 1660), (.validationStringTooShort, 1670),
            (.validationStringPatternMatching, 1680), (.managedObjectContextLocking, 132_000),
            (.persistentStoreCoordinatorLocking, 132_010),
            (.managedObjectReferentialIntegrity, 133_000),
            (.managedObjectExternalRelationship, 133_010), (.managedObjectMerge, 133_020),
            (.managedObjectConstraintMerge, 133_021), (.persistentStoreInvalidType, 134_000),
            (.persistentStoreTypeMismatch, 134_010),
            (.persistentStoreIncompatibleSchema, 134_020), (.persistentStoreSave, 134_030),
            (.persistentStoreIncompleteSave, 134_040), (.persistentStoreSaveConflicts, 134_050),
            (.coreData, 134_060), (.persistentStoreOperation, 134_070),
            (.persistentStoreOpen, 134_080), (.persistentStoreTimeout, 134_090),
            (.persistentStoreUnsupportedRequestType, 134_091),
            (.persistentStoreIncompatibleVersionHash, 134_100), (.sqlite, 134_180),
        ]
        for (code, number) in codes { #expect(code.rawValue == number) }
    }

    @Test func errorsAreCaughtByTheirNames() {
        let names: [(CocoaError.Code, CocoaError.Code)] = [
            (CocoaError.managedObjectValidation, .managedObjectValidation),
            (CocoaError.validationMultipleErrors, .validationMultipleErrors),
            (CocoaError.validationMissingMandatoryProperty, .validationMissingMandatoryProperty),
            (
                CocoaError.validationRelationshipLacksMinimumCount,
                .validationRelationshipLacksMinimumCount
            ),
            (
                CocoaError.validationRelationshipExceedsMaximumCount,
                .validationRelationshipExceedsMaximumCount
            ),
            (CocoaError.validationRelationshipDeniedDelete, .validationRelationshipDeniedDelete),
            (CocoaError.validationNumberTooLarge, .validationNumberTooLarge),
            (CocoaError.validationNumberTooSmall, .validationNumberTooSmall),
            (CocoaError.validationDateTooLate, .validationDateTooLate),
            (CocoaError.validationDateTooSoon, .validationDateTooSoon),
            (CocoaError.validationInvalidDate, .validationInvalidDate),
            (CocoaError.validationStringTooLong, .validationStringTooLong),
            (CocoaError.validationStringTooShort, .validationStringTooShort),
            (CocoaError.validationStringPatternMatching, .validationStringPatternMatching),
            (CocoaError.managedObjectContextLocking, .managedObjectContextLocking),
            (CocoaError.persistentStoreCoordinatorLocking, .persistentStoreCoordinatorLocking),
            (CocoaError.managedObjectReferentialIntegrity, .managedObjectReferentialIntegrity),
            (CocoaError.managedObjectExternalRelationship, .managedObjectExternalRelationship),
            (CocoaError.managedObjectMerge, .managedObjectMerge),
            (CocoaError.managedObjectConstraintMerge, .managedObjectConstraintMerge),
            (CocoaError.persistentStoreInvalidType, .persistentStoreInvalidType),
            (CocoaError.persistentStoreTypeMismatch, .persistentStoreTypeMismatch),
            (CocoaError.persistentStoreIncompatibleSchema, .persistentStoreIncompatibleSchema),
            (CocoaError.persistentStoreSave, .persistentStoreSave),
            (CocoaError.persistentStoreIncompleteSave, .persistentStoreIncompleteSave),
            (CocoaError.persistentStoreSaveConflicts, .persistentStoreSaveConflicts),
            (CocoaError.coreData, .coreData),
            (CocoaError.persistentStoreOperation, .persistentStoreOperation),
            (CocoaError.persistentStoreOpen, .persistentStoreOpen),
            (CocoaError.persistentStoreTimeout, .persistentStoreTimeout),
            (CocoaError.sqlite, .sqlite),
        ]
        for (name, code) in names {
            #expect(name == code)
            let error: any Error = NSError(domain: NSCocoaErrorDomain, code: code.rawValue)
            #expect((error as? CocoaError)?.code == name)
        }
    }

    @Test func keysAreApplesStrings() {
        #expect(NSDetailedErrorsKey == "NSDetailedErrors")
        #expect(NSValidationObjectErrorKey == "NSValidationErrorObject")
        #expect(NSValidationKeyErrorKey == "NSValidationErrorKey")
        #expect(NSValidationValueErrorKey == "NSValidationErrorValue")
        #expect(NSValidationPredicateErrorKey == "NSValidationErrorPredicate")
        #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
        #expect(NSAffectedStoresErrorKey == "NSAffectedStoresErrorKey")
        #expect(NSAffectedObjectsErrorKey == "NSAffectedObjectsErrorKey")
        #expect(NSSQLiteErrorDomain == "NSSQLiteErrorDomain")
    }
}
