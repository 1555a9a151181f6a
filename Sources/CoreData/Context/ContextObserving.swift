import Foundation

/// What `observe` is declared on for contexts: its handler is passed the context by its own type.
public protocol ContextObserving: NSManagedObjectContext {}

extension NSManagedObjectContext: ContextObserving {}

extension ContextObserving {
    /// Calls back each time that `hasChanges` becomes true or false.
    ///
    /// The handler is called amid the change: it must not use managed objects.
    ///
    /// > Threading: On the context's queue.
    ///
    /// - Parameters:
    ///   - keyPath: `\.hasChanges`, the only property of contexts that can be observed.
    ///   - options: What the handler is told.
    ///   - changeHandler: Called with the context and the change.
    /// - Returns: Keep it: the observation ends with it.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>,
        options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        checkQueue("observe(_:options:changeHandler:)")
        require(
            ([\Self.hasChanges, \NSManagedObjectContext.hasChanges] as [AnyKeyPath])
                .contains(keyPath),
            "Of a context only hasChanges can be observed, not \(keyPath): observe the "
                + "notifications of the context for what changes."
        )
        // Made with the first observer: contexts that nobody watches pay a test for nil.
        let observers = changeObservers ?? ObserverList()
        changeObservers = observers
        return observers.observe(self, keyPath, options: options, handler: changeHandler)
    }
}
