import Foundation

/// The type of a store in an SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The type of a store in memory.
public let NSInMemoryStoreType = "InMemory"
/// The type of a store in a binary file that is read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// The type of a store in an XML file that is read and written as a whole.
public let NSXMLStoreType = "XML"
/// Key of a store's type in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// Key of a store's UUID in its metadata.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Key of the version hashes (data, by entity name) of a store's model in its metadata.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// Key of the version identifiers (strings) of a store's model in its metadata.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// Key of the checksum (a string) of a store's model in its metadata.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// Key of the earliest version of the system that can open a store, in its metadata; such
/// versions mean nothing here, so that no store has it unless the client puts it in.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
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
/// Option: a Boolean that lets a lightweight migration put work off; all is done at once here.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Option: a Boolean that opens a store whatever model it was made with.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option for `destroyPersistentStore`: a Boolean that removes a store that can't be opened, too,
/// which happens here in any case.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Option: a Boolean that has an XML store checked when it is read, which happens here in any case.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// Option: a Boolean that lets a binary store decode objects of any class; what it stands for are files
/// of Apple's framework of old, which are not read here, so that it has no effect.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
    "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Option: how many reading connections an SQLite store keeps open, as a number; 4 by default.
///
/// More are opened for a moment where more threads read at once: nobody waits for a connection.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Option: how a file is protected while an iOS device is locked. Accepted everywhere, and without
/// effect on systems that have no such protection, as this one: set the folder's permissions.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"

/// Options of stores that other stores make for themselves.
enum StoreOptions {
    /// A Boolean: the store is a copy of what a server has.
    static let isReplica = "MergeStackIsReplica"
}

extension [AnyHashable: Any]? {
    /// Whether an option with a Boolean is there and true.
    func isOn(_ key: String) -> Bool { (self?[key] as? NSNumber)?.boolValue ?? false }
}
