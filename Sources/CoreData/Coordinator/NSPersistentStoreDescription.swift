import Foundation

/// Describes a store to add.
///
/// > Threading: Change it on one thread until it is used.
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked: changed before it is handed over only, as its documentation asks.

    /// The type of the store. `NSSQLiteStoreType` by default.
    open var type = NSSQLiteStoreType
    /// The configuration whose entities the store holds; nil for all.
    open var configuration: String?
    /// Where the store is. `/dev/null` by default: a store that is deleted when nobody uses it any
    /// more.
    open var url: URL? = .nullDevice
    /// The options, by their keys.
    open private(set) var options: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]
    /// Whether the store is added on another thread. False by default.
    open var shouldAddStoreAsynchronously = false
    /// What the store would be mirrored to; without effect, see ``NSPersistentCloudKitContainer``.
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions?

    /// Describes an SQLite store at a URL.
    public init(url: URL) {
        self.url = url
        super.init()
    }

    /// Describes an SQLite store at `/dev/null`; set its `url` for one that stays.
    public override init() { super.init() }

    /// Sets an option; nil removes it.
    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    /// Whether saves to the store are refused.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSReadOnlyPersistentStoreOption) }
    }
    /// Seconds to wait for a lock that another process holds. 240 by default.
    open var timeout: TimeInterval {
        get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
    }
    /// SQLite pragmas to set on each connection.
    open var sqlitePragmas: [String: NSObject] {
        (options[NSSQLitePragmasOption] as? NSDictionary as? [String: NSObject]) ?? [:]
    }
    /// Sets a pragma; nil removes it.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        // Options are objects, which a Swift dictionary does not become by itself on Linux.
        let dictionary = NSMutableDictionary()
        for (name, value) in pragmas { dictionary[name] = value }
        setOption(dictionary, forKey: NSSQLitePragmasOption)
    }
    /// Whether a store of an earlier model is migrated. True by default.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set {
            setOption(
                NSNumber(value: newValue),
                forKey: NSMigratePersistentStoresAutomaticallyOption
            )
        }
    }
    /// Whether the mapping of a migration may be inferred. True by default.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set {
            setOption(NSNumber(value: newValue), forKey: NSInferMappingModelAutomaticallyOption)
        }
    }

    private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }

    /// A description with the same settings.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.options = options
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.cloudKitContainerOptions = cloudKitContainerOptions
        return copy
    }
}
