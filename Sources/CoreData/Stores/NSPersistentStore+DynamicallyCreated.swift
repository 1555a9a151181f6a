import Foundation

/// Stores whose class is known at run time only; see ``DynamicallyCreated``.
///
/// A client's store class may have a designated initializer of its own beside the one that a coordinator
/// calls, which it then has to override.
extension NSPersistentStore: DynamicallyCreated {
    convenience init(
        creating root: NSPersistentStoreCoordinator?,
        _ name: String?,
        _ url: URL,
        _ options: [AnyHashable: Any]?
    ) {
        self.init(
            persistentStoreCoordinator: root,
            configurationName: name,
            at: url,
            options: options
        )
    }

    @_silgen_name(
        "$s8CoreData17NSPersistentStoreC8creating___AcA0cD11CoordinatorCSg_SSSg20FoundationEssentials3URLVSDys11AnyHashableVypGSgtcfC"
    )
    fileprivate static func allocate(
        _ root: __owned NSPersistentStoreCoordinator?,
        _ name: __owned String?,
        _ url: __owned URL,
        _ options: __owned [AnyHashable: Any]?
    ) -> NSPersistentStore
}

extension DynamicallyCreated where Self: NSPersistentStore {
    /// Makes a store object of the class, by the initializer that each store class has.
    static func make(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator,
        configurationName name: String?,
        at url: URL,
        options: [AnyHashable: Any]?
    ) -> Self {
        dynamicallyCreated((self as NSPersistentStore.Type).allocate(root, name, url, options))
    }
}
