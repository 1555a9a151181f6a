import Foundation

/// The observers of each object that has some, kept aside: few objects have.
private let allObservers = Locked<
    [ObjectIdentifier: [(key: String, observer: any ChangeObserver)]]
>([:])

/// Who is told of all changes of an object.
package protocol ObjectChangeListener: AnyObject, Sendable {
    /// The object is about to change, or has been refreshed.
    func objectChanges()
}

/// The listener of each object that has one.
private let allListeners = Locked<[ObjectIdentifier: any ObjectChangeListener]>([:])

/// Telling observers of an object's properties.
extension NSManagedObject {
    /// Fires a fault: who watches a value has to know it.
    final func addObserver(_ observer: any ChangeObserver, forKey key: String) {
        fireIfFault()
        flags.insert(.observed)
        allObservers.withLock { $0[ObjectIdentifier(self), default: []].append((key, observer)) }
    }

    final func removeObserver(_ observer: any ChangeObserver, forKey key: String) {
        allObservers.withLock { observers in
            observers[ObjectIdentifier(self)]?.removeAll {
                $0.key == key && $0.observer === observer
            }
            guard observers[ObjectIdentifier(self)]?.isEmpty == true else { return }
            observers[ObjectIdentifier(self)] = nil
            if listener == nil { flags.remove(.observed) }
        }
    }

    /// The listener that is told before a property is set, and when a refresh, a merge or a
    /// roll-back has brought other values.
    ///
    /// - Parameter make: Makes it the first time; it is kept to the object's end.
    package final func changeListener<Listener: ObjectChangeListener>(
        _ make: () -> Listener
    ) -> Listener {
        if let known = listener as? Listener { return known }
        let made = make()
        flags.insert(.observed)
        allListeners.withLock { $0[ObjectIdentifier(self)] = made }
        return made
    }

    private var listener: (any ObjectChangeListener)? {
        allListeners.withLock { $0[ObjectIdentifier(self)] }
    }

    /// At the object's end.
    final func removeObservers() {
        // The lists go by addresses, and the next object may get this one's.
        _ = allObservers.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
        _ = allListeners.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
        removeRegistrations()
    }

    /// The observers of one property, or of all.
    private func observers(of key: String? = nil) -> [(key: String, observer: any ChangeObserver)] {
        let all = allObservers.withLock { $0[ObjectIdentifier(self)] } ?? []
        return key.map { key in all.filter { $0.key == key } } ?? all
    }

    // MARK: Changes

    /// Notes a change of a property, makes it, and tells observers.
    @inline(__always) final func change(_ slot: Int, _ mutation: () -> Void) {
        noteChange(slot)
        if isWatched { changeWatched(slot, mutation) } else { mutation() }
    }

    /// Whether there may be observers of what happens now.
    @inline(__always) private var isWatched: Bool {
        flags.contains(.observed) && !flags.contains(.awaking)
    }

    @inline(never) private func changeWatched(_ slot: Int, _ mutation: () -> Void) {
        let key = layout.slots[slot].name
        // Looked up once: an observer that comes or goes while the value is set would otherwise be
        // told of half a change.
        let concerned = observers(of: key)
        listener?.objectChanges()
        for entry in concerned { entry.observer.willChange() }
        mutation()
        for entry in concerned { entry.observer.didChange(isReal: true) }
    }

    /// Replaces values as a whole, and tells the observers of those that differ.
    final func replaceValues(_ mutation: () -> Void) {
        // Of a fault nothing is told: reading the old values to compare would fire it.
        guard isWatched, !flags.contains(.fault) else { return mutation() }
        let concerned = observers()
        func value(_ key: String) -> Any? {
            layout.slotsByName[key] == nil ? nil : self.value(forKey: key)
        }
        // Before any observer is told: it may change something itself.
        let before = concerned.map { value($0.key) }
        for entry in concerned { entry.observer.willChange() }
        mutation()
        for (entry, before) in zip(concerned, before) {
            entry.observer.didChange(isReal: !Self.isSame(before, value(entry.key)))
        }
        listener?.objectChanges()
    }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        if left == nil, right == nil { return true }
        guard let left = left as? AnyHashable, let right = right as? AnyHashable else {
            return false
        }
        return left == right
    }

    // MARK: Announced by hand

    final func tellObserversBefore(_ key: String) {
        guard isWatched else { return }
        listener?.objectChanges()
        for entry in observers(of: key) { entry.observer.willChange() }
    }

    final func tellObserversAfter(_ key: String) {
        if isWatched { for entry in observers(of: key) { entry.observer.didChange(isReal: true) } }
    }
}
