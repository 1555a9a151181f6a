/// Those who watch one property of an object that is no managed object.
///
/// > Threading: Any thread; they are told on the thread that changes the property.
final class ObserverList: Sendable {
    private let entries = Locked<[any ChangeObserver]>([])

    /// Changes the property, and tells all who watch it.
    func telling(_ change: () -> Void) {
        // A copy, told outside the lock: observers may come and go while they are told.
        let all = entries.withLock { $0 }
        for observer in all { observer.willChange() }
        change()
        for observer in all { observer.didChange(isReal: true) }
    }

    /// Lets a handler be told of the values of a key path of an object.
    func observe<Object: AnyObject, Value>(
        _ object: Object,
        _ keyPath: KeyPath<Object, Value>,
        options: NSKeyValueObservingOptions,
        handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        // The list belongs to the object, which would keep itself by a strong reference from here.
        let telling = ChangeTelling<Value>(options) { [weak object] in
            object?[keyPath: keyPath]
        } handler: { [weak object] change in
            if let object { handler(object, change) }
        }
        entries.withLock { $0.append(telling) }
        if options.contains(.initial) { telling.tellInitial() }
        return NSKeyValueObservation { [weak self] in
            self?.entries.withLock { entries in entries.removeAll { $0 === telling } }
        }
    }
}
