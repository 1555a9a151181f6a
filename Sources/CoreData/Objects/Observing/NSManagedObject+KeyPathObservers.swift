import Foundation

extension KeyPathRegistration {
    /// The registrations of each object that has some.
    static let all = Locked<[ObjectIdentifier: [KeyPathRegistration]]>([:])
}

/// Observing by the name of a key path.
extension NSManagedObject {
    /// Tells an observer of each change of a property, as `observe(_:options:changeHandler:)` does.
    ///
    /// The observer is not kept, and need not be removed before either of the two ends. With the
    /// option `.initial` it is told before this returns, and may remove itself then.
    ///
    /// > Threading: On the queue of the object's context.
    ///
    /// - Parameters:
    ///   - observer: A ``KeyValueObserver``.
    ///   - keyPath: A path to a property.
    ///   - options: What the observer is told.
    ///   - context: What the observer is passed, and may be removed by.
    public final func addObserver(
        _ observer: AnyObject,
        forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        checkQueue("addObserver(_:forKeyPath:options:context:)")
        guard let observer = observer as? any KeyValueObserver else {
            fatalError(
                "addObserver(_:forKeyPath:options:context:): \(type(of: observer)) is no observer. "
                    + "On Linux it has to conform to KeyValueObserver, with "
                    + "observeValue(forKeyPath:of:change:context:) without \"override\"."
            )
        }
        let registration = KeyPathRegistration(self, keyPath, observer, options, context)
        KeyPathRegistration.all.withLock {
            $0[ObjectIdentifier(self), default: []].append(registration)
        }
        // Last, and outside the lock: an observer may remove itself when it is told.
        registration.tellInitial()
    }

    /// Removes the observer that was added last for a key path.
    ///
    /// - Precondition: There is one.
    public final func removeObserver(_ observer: AnyObject, forKeyPath keyPath: String) {
        removeLast(observer, keyPath) { _ in true }
    }

    /// Removes the observer that was added last for a key path with a context.
    ///
    /// - Precondition: There is one.
    public final func removeObserver(
        _ observer: AnyObject,
        forKeyPath keyPath: String,
        context: UnsafeMutableRawPointer?
    ) {
        removeLast(observer, keyPath) { $0.context == context }
    }

    /// At the object's end.
    final func removeRegistrations() {
        let registrations = KeyPathRegistration.all.withLock {
            $0.removeValue(forKey: ObjectIdentifier(self))
        }
        for registration in registrations ?? [] { registration.forget() }
    }

    private func removeLast(
        _ observer: AnyObject,
        _ keyPath: String,
        where isMeant: (KeyPathRegistration) -> Bool
    ) {
        let list = KeyPathRegistration.all.withLock { $0[ObjectIdentifier(self)] } ?? []
        // Outside the lock: looking at an observer, which is held weakly, may make the last reference
        // to it, and at its end it may remove observers.
        let removed = list.last {
            guard $0.keyPath == keyPath, isMeant($0) else { return false }
            let known = $0.observer
            // An observer that removes itself at its end can no longer be seen.
            return known === observer || known == nil
        }
        guard let removed else {
            fatalError(
                "Cannot remove an observer \(type(of: observer)) for the key path \"\(keyPath)\" "
                    + "because it is not registered as an observer."
            )
        }
        KeyPathRegistration.all.withLock { all in
            let rest = all[ObjectIdentifier(self)]?.filter { $0 !== removed } ?? []
            // With the last one, the object no longer counts as observed, and its end would not
            // take an empty list away.
            all[ObjectIdentifier(self)] = rest.isEmpty ? nil : rest
        }
        // Outside the lock: it gets values, and removes observers of other objects.
        removed.stop()
    }
}
