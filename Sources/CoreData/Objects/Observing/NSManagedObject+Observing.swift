import Foundation

/// The observers of each object that has some, kept aside: few objects have.
private let allObservers = Locked<
    [ObjectIdentifier: [(key: String, observer: any ChangeObserver)]]
>([:])

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
            flags.remove(.observed)
        }
    }

    /// At the object's end.
    final func removeObservers() {
        _ = allObservers.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
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
        let concerned = observers(of: key)
        for entry in concerned { entry.observer.willChange() }
        mutation()
        for entry in concerned { entry.observer.didChange(isReal: true) }
    }

    /// Replaces values as a whole, and tells the observers of those that differ.
    final func replaceValues(_ mutation: () -> Void) {
        guard isWatched, !flags.contains(.fault) else { return mutation() }
        let concerned = observers()
        func value(_ key: String) -> Any? {
            layout.slotsByName[key] == nil ? nil : self.value(forKey: key)
        }
        let before = concerned.map { value($0.key) }
        for entry in concerned { entry.observer.willChange() }
        mutation()
        for (entry, before) in zip(concerned, before) {
            entry.observer.didChange(isReal: !Self.isSame(before, value(entry.key)))
        }
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
        if isWatched { for entry in observers(of: key) { entry.observer.willChange() } }
    }

    final func tellObserversAfter(_ key: String) {
        if isWatched { for entry in observers(of: key) { entry.observer.didChange(isReal: true) } }
    }
}
