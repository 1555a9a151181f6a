/// Names that module `CoreData` declares on Linux and Apple's frameworks do not: the public names of
/// its symbol graph, without those in Apple's documentation of Core Data, Foundation and Swift, and
/// without members that only types of this list have.
enum OurNames {
    /// Types and members.
    static let all: Set = [
        "ArrayLiteralSet", "BlockPerforming", "ContainerDirectory", "ContextObserving",
        "DynamicallyCreated",
        "FetchedResultsDelegateMethods", "KeySorting", "KeyValueCoding", "KeyValueObserver",
        "KeyValueObserverBase", "KeyValueObserving", "MigrationForecast", "MigrationObserving",
        "PostgreSQLErrorDomain", "PostgreSQLOutcomeUnknownError", "PostgreSQLProgressOption",
        "PostgreSQLReplicaFolderOption", "PostgreSQLSchemaOption", "PostgreSQLStateKey",
        "PostgreSQLTrimsServerHistoryOption", "PredicateFormat", "PropertyNaming",
        "StoreInspection", "StoreMigrationPlan", "ValueTransformerNaming", "catchUpWithServers",
        "formatString", "inspection", "postgreSQL", "unreadableValueKey",
        "unreadableValueNotification", "unreadableValueReasonKey", "unrecognizedParts",
        // Public for generated code and inlined functions only.
        "_AccessorKeys", "_KeySet", "_KeyedProperties", "_KeyedPropertyKind", "_KeyedPropertyList",
        "_ManagedValue", "_NamedArguments", "_managedClassFromString",
    ]

    /// Labels of initializers and functions whose base name Apple's frameworks have, too.
    static let labels: Set = ["ofFunction", "ofSQLiteStoreAt", "readingFrom"]

    /// Types of Apple's user interface frameworks that the module has on Linux.
    static let ofInterfaces: Set = ["NSDiffableDataSourceSnapshotReference"]

    /// Public names of the module that stand in for Foundation's and Swift's, which the table of Apple's
    /// names does not cover.
    static let foundation: Set = [
        "NSSecureUnarchiveFromDataTransformer", "NSSelectorFromString", "NSStringFromClass",
        "NSStringFromSelector", "getVaList", "unsafeBitCast", "withVaList",
    ]
}
