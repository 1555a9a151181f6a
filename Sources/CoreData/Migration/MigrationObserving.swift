import Foundation

/// What `observe` and `progress` are declared on for migration managers.
public protocol MigrationObserving: NSMigrationManager {}

extension NSMigrationManager: MigrationObserving {}

extension MigrationObserving {
    /// The same as `migrationProgress`; cancelling it cancels the migration.
    ///
    /// Not in Apple's framework. Subclasses may have a `progress` of their own, which is another one.
    public var progress: Progress { ownProgress }

    /// Calls back each time that `migrationProgress` changes.
    ///
    /// > Threading: Any thread; the handler is called on the thread that migrates.
    ///
    /// - Parameters:
    ///   - keyPath: `\.migrationProgress`, the only property of managers that can be observed.
    ///   - options: What the handler is told.
    ///   - changeHandler: Called with the manager and the change.
    /// - Returns: Keep it: the observation ends with it.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>,
        options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        require(
            ([\Self.migrationProgress, \NSMigrationManager.migrationProgress] as [AnyKeyPath])
                .contains(keyPath),
            "Of a migration manager only migrationProgress can be observed, not \(keyPath)."
        )
        return progressObservers.observe(
            self,
            keyPath,
            options: options,
            handler: changeHandler
        )
    }
}
