import Foundation

/// What `observe` is declared on for migration managers.
public protocol MigrationObserving: NSMigrationManager {}

extension NSMigrationManager: MigrationObserving {}

extension MigrationObserving {
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
