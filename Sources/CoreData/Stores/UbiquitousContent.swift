import Foundation

// What stores in iCloud were set up with until 2016. Apple deprecates the names, and there is no
// iCloud here: they are declared so that code which still has them builds.

/// Option: the name of a store in iCloud. Without effect.
@available(*, deprecated, message: "There are no stores in iCloud here.")
public let NSPersistentStoreUbiquitousContentNameKey =
    "NSPersistentStoreUbiquitousContentNameKey"
/// Option: where the logs of a store in iCloud are. Without effect.
@available(*, deprecated, message: "There are no stores in iCloud here.")
public let NSPersistentStoreUbiquitousContentURLKey =
    "NSPersistentStoreUbiquitousContentURLKey"
/// Option: the token of the iCloud account. Without effect.
@available(*, deprecated, message: "There are no stores in iCloud here.")
public let NSPersistentStoreUbiquitousPeerTokenOption =
    "NSPersistentStoreUbiquitousPeerTokenOption"
/// Option: whether a store is taken out of iCloud. Without effect.
@available(*, deprecated, message: "There are no stores in iCloud here.")
public let NSPersistentStoreRemoveUbiquitousMetadataOption =
    "NSPersistentStoreRemoveUbiquitousMetadataOption"
/// Option: the iCloud container of a store. Without effect.
@available(*, deprecated, message: "There are no stores in iCloud here.")
public let NSPersistentStoreUbiquitousContainerIdentifierKey =
    "NSPersistentStoreUbiquitousContainerIdentifierKey"
/// Option: whether a store is made anew of what iCloud has. Without effect.
@available(*, deprecated, message: "There are no stores in iCloud here.")
public let NSPersistentStoreRebuildFromUbiquitousContentOption =
    "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// Key of the transition's number in notifications of stores in iCloud; none is posted here.
@available(*, deprecated, message: "There are no stores in iCloud here.")
public let NSPersistentStoreUbiquitousTransitionTypeKey =
    "NSPersistentStoreUbiquitousTransitionTypeKey"

/// What happened to a store in iCloud.
@available(*, deprecated, message: "There are no stores in iCloud here.")
public enum NSPersistentStoreUbiquitousTransitionType: UInt, Sendable {
    /// The user signed in.
    case accountAdded = 1
    /// The user signed out.
    case accountRemoved = 2
    /// The user deleted the content.
    case contentRemoved = 3
    /// The content was imported for the first time.
    case initialImportCompleted = 4
}

extension NSNotification.Name {
    /// Would be posted when a store in iCloud has imported changes; never is.
    @available(*, deprecated, message: "There are no stores in iCloud here.")
    public static let NSPersistentStoreDidImportUbiquitousContentChanges = NSNotification.Name(
        "NSPersistentStoreDidImportUbiquitousContentChangesNotification"
    )
}
