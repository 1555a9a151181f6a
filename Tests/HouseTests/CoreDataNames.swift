/// Core Data's names that are newer than iOS 13, with the iOS that brought them. Source: Apple's
/// documentation of module `CoreData`.
enum CoreDataNames {
    /// Types, constants and functions that no older name equals.
    static let types: [String: Double] = [
        "AttributeType": 15, "ConcurrencyType": 15, "NSCompositeAttributeDescription": 17,
        "NSCustomMigrationStage": 17, "NSLightweightMigrationStage": 17,
        "NSManagedObjectModelReference": 17, "NSManagedObjectModelReferenceNotFoundError": 17,
        "NSMigrationStage": 17, "NSPersistentStoreDeferredLightweightMigrationOptionKey": 14,
        "NSPersistentStoreModelVersionChecksumKey": 18,
        "NSPersistentStoreStagedMigrationManagerOptionKey": 17,
        "NSStagedMigrationBackwardMigrationError": 17,
        "NSStagedMigrationFrameworkVersionMismatchError": 17, "NSStagedMigrationManager": 17,
        "NotificationKey": 14, "ScheduledTaskType": 15, "StoreType": 15,
    ]

    /// Members: they count after a dot, and where they are overridden.
    static let members: [String: Double] = [
        "allowsCloudEncryption": 15, "cachedModelForPersistentStore": 26.4,
        "compositeAttributeType": 17, "currentModel": 17, "dictionaryHandler": 14,
        "didChangeObjectsNotification": 14, "didMergeChangesObjectIDsNotification": 14,
        "didMigrateHandler": 17, "didSaveObjectIDsNotification": 14,
        "didSaveObjectsNotification": 14, "finishDeferredLightweightMigration": 14,
        "finishDeferredLightweightMigrationTask": 14, "mainQueue": 15,
        "managedObjectHandler": 14, "nextModel": 17, "privateQueue": 15, "resolvedModel": 17,
        "versionChecksum": 17, "versionChecksums": 17, "willMigrateHandler": 17,
        "willSaveObjectsNotification": 14,
    ]

    /// Calls whose name alone is older: the label that makes them new.
    static let labels: [String: [String: Double]] = [
        "NSBatchInsertRequest": ["dictionaryHandler": 14, "managedObjectHandler": 14],
        "addPersistentStore": ["type": 15],
        "destroyPersistentStore": ["type": 15],
        "managedObjectID": ["for": 18],
        "metadataForPersistentStore": ["type": 15],
        "migratePersistentStore": ["type": 15],
        "migrateStore": ["type": 15],
        "perform": ["schedule": 15],
        "registerStoreClass": ["type": 15],
        "replacePersistentStore": ["type": 15],
        "setMetadata": ["type": 15],
    ]

    /// What an attribute's `type` and a column's `resultType` of iOS 15 are set to; properties of these
    /// names with other values are older.
    static let attributeTypes: Set = [
        "binaryData", "boolean", "composite", "date", "decimal", "double", "float", "integer16",
        "integer32", "integer64", "objectID", "string", "transformable", "undefined", "uri", "uuid",
    ]

    /// Calls that are as old as their context if they return nothing, and of iOS 15 with a value.
    static let valued: Set = ["perform", "performAndWait", "performBackgroundTask"]

    /// Initializers of Foundation's classes from Swift's own types: the word in the parentheses.
    static let conversions: [String: [String: Double]] = [
        "NSPredicate": ["Predicate": 17], "NSSortDescriptor": ["SortDescriptor": 15],
    ]

    /// What Apple declares as variables that anyone may change: refused in Swift 6 mode.
    static let globals: Set = [
        "NSErrorMergePolicy", "NSMergeByPropertyObjectTrumpMergePolicy",
        "NSMergeByPropertyStoreTrumpMergePolicy", "NSOverwriteMergePolicy",
        "NSRollbackMergePolicy",
    ]
}
