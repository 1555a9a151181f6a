import Foundation

/// A container whose stores would be mirrored to CloudKit.
///
/// There is no CloudKit outside of Apple's platforms: the stores are local ones, with the tables
/// that a mirrored store from a phone has left as they are. So that code which chooses this container
/// builds and runs, what concerns local data answers for a local store, and what needs CloudKit
/// throws; whatever names CloudKit's types is not declared.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    // @unchecked: has nothing of its own.

    /// Would be posted when setting up, importing or exporting begins or ends; never is.
    open class var eventChangedNotification: Notification.Name {
        Notification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }

    /// The key of that notification's event.
    open class var eventNotificationUserInfoKey: String {
        "event"
    }

    /// Would create the schema in CloudKit.
    ///
    /// - Throws: `NSCoreDataError`, always: there is no CloudKit to create it in.
    open func initializeCloudKitSchema(
        options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
    ) throws {
        throw CocoaError.coreData(
            "There is no CloudKit on this platform: call initializeCloudKitSchema(options:) on one "
                + "of Apple's."
        )
    }

    /// Whether an object may be changed, as far as CloudKit is concerned: objects of local stores
    /// may.
    @discardableResult
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        objectID.persistentStore?.isReadOnly != true
    }

    /// Whether an object may be deleted, as far as CloudKit is concerned: objects of local stores
    /// may.
    @discardableResult
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        objectID.persistentStore?.isReadOnly != true
    }

    /// Whether objects may be inserted into a store.
    @discardableResult
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }
}

/// What a store would be mirrored to.
open class NSPersistentCloudKitContainerOptions: NSObject, @unchecked Sendable {
    // @unchecked: constant.

    /// The name of the CloudKit container.
    open private(set) var containerIdentifier: String

    /// Options for a CloudKit container.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
        super.init()
    }
}

/// How `initializeCloudKitSchema(options:)` would work.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Would leave CloudKit as it is.
    public static let dryRun = Self(rawValue: 1 << 1)
    /// Would print the records.
    public static let printSchema = Self(rawValue: 1 << 2)
}
