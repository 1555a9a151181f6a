import Foundation

/// How an associated value is kept.
public enum objc_AssociationPolicy: UInt, Sendable {
    /// Weakly, if it is an object.
    case OBJC_ASSOCIATION_ASSIGN = 0
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    /// As a copy, if it can be copied.
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    case OBJC_ASSOCIATION_RETAIN = 769
    /// As a copy, if it can be copied.
    case OBJC_ASSOCIATION_COPY = 771
}

/// The value that was associated with an object under a key, or nil.
///
/// > Threading: Any thread.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    AssociatedObjects.shared.value(of: object as AnyObject, key)
}

/// Associates a value with an object under a key; nil ends the association.
///
/// Nobody tells when an object ends: its values are let go of at the latest when as many other
/// objects have got values as there were then.
///
/// > Threading: Any thread.
public func objc_setAssociatedObject(
    _ object: Any,
    _ key: UnsafeRawPointer,
    _ value: Any?,
    _ policy: objc_AssociationPolicy
) {
    AssociatedObjects.shared.set(value, policy, of: object as AnyObject, key)
}

/// Ends all associations of an object.
///
/// > Threading: Any thread.
public func objc_removeAssociatedObjects(_ object: Any) {
    AssociatedObjects.shared.removeAll(of: object as AnyObject)
}

/// Values by object and key.
private final class AssociatedObjects: @unchecked Sendable {
    // @unchecked: what changes is touched under `lock` only. Values end outside of it.
    static let shared = AssociatedObjects()

    private enum Value {
        case kept(Any)
        case weak(() -> AnyObject?)
    }
    private final class Entry {
        // An address is used again: only this tells whether the entry is still of the same object.
        weak var object: AnyObject?
        var values: [UnsafeRawPointer: Value] = [:]
        init(_ object: AnyObject) { self.object = object }
    }

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sizeOfNextSweep = 64

    func value(of object: AnyObject, _ key: UnsafeRawPointer) -> Any? {
        let found = lock.withLock { entry(of: object)?.values[key] }
        switch found {
        case .kept(let value): return value
        case .weak(let value): return value()
        case nil: return nil
        }
    }

    func set(
        _ value: Any?,
        _ policy: objc_AssociationPolicy,
        of object: AnyObject,
        _ key: UnsafeRawPointer
    ) {
        let value = value.map { Self.stored($0, policy) }
        let removed = lock.withLock { () -> [Any] in
            var removed: [Any] = []
            if let value, entry(of: object) == nil {
                // The entry that is replaced belongs to an object that had this address and has
                // ended.
                removed = sweep() + [entries[ObjectIdentifier(object)] as Any]
                let entry = Entry(object)
                entry.values[key] = value
                entries[ObjectIdentifier(object)] = entry
            } else if let entry = entry(of: object) {
                removed = [entry.values[key] as Any]
                entry.values[key] = value
            }
            return removed
        }
        // They end here, without the lock: what a deinitializer does may well be to associate a
        // value.
        withExtendedLifetime(removed) {}
    }

    func removeAll(of object: AnyObject) {
        // The values come out of the lock before they end, as in `set`.
        _ = lock.withLock { entries.removeValue(forKey: ObjectIdentifier(object)) }
    }

    /// The object's entry; not that of another one that had its address before.
    private func entry(of object: AnyObject) -> Entry? {
        entries[ObjectIdentifier(object)].flatMap { $0.object === object ? $0 : nil }
    }

    /// Takes out what belongs to objects that have ended, each time the table has doubled.
    private func sweep() -> [Entry] {
        guard entries.count >= sizeOfNextSweep else { return [] }
        let ended = entries.filter { $0.value.object == nil }
        for key in ended.keys { entries[key] = nil }
        // Twice what is left, so that the sweeps cost each new object a constant share.
        sizeOfNextSweep = max(64, entries.count * 2)
        return Array(ended.values)
    }

    private static func stored(_ value: Any, _ policy: objc_AssociationPolicy) -> Value {
        switch policy {
        // Only an object: a value would be boxed, and nothing would keep the box.
        case .OBJC_ASSOCIATION_ASSIGN where type(of: value) is AnyClass:
            weak let object = value as AnyObject
            return .weak { object }
        case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
            return .kept((value as? any NSCopying)?.copy(with: nil) ?? value)
        default: return .kept(value)
        }
    }
}
