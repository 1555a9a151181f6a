/// The type of a store in an SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The type of a store in memory.
public let NSInMemoryStoreType = "InMemory"
/// Key of a store's type in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// Key of a store's UUID in its metadata.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Option: a Boolean that makes a store refuse saves.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option: seconds to wait for a lock that another process holds, as a number.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option: a dictionary of SQLite pragmas to set on each connection.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option: a Boolean that has SQLite analyze the store when it is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Option: a Boolean that has SQLite rebuild the store when it is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Option: a Boolean that asks for migration of a store of an earlier model.
public let NSMigratePersistentStoresAutomaticallyOption =
    "NSMigratePersistentStoresAutomaticallyOption"
/// Option: a Boolean that allows to infer the mapping of a migration.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
