import Foundation

// Values of these types are known by key-value access, too: they need no cast at run time.

extension Date: _ManagedValue {
    /// The date.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Date? {
        object._accessorDate(key)
    }
    /// Stops the program: there is no empty date.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Date {
        object._accessorPlaceholder(key, "nil")
    }
    /// Sets the date.
    @inlinable public static func _write(_ value: Date?, _ object: NSManagedObject, _ key: Int) {
        object._setAccessorDate(value, key)
    }
}

extension Data: _ManagedValue {
    /// The bytes.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Data? {
        object._accessorAny(key) as? Data
    }
    /// No bytes.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Data { Data() }
    /// Sets the bytes.
    @inlinable public static func _write(_ value: Data?, _ object: NSManagedObject, _ key: Int) {
        object._setAccessorAny(value, key)
    }
}

extension NSManagedObject {
    /// A date; nil if null.
    public final func _accessorDate(_ key: Int) -> Date? {
        let entry = accessorEntry(key)
        if entry.isValue(.date) {
            return real(entry.slot).map { Date(timeIntervalSinceReferenceDate: $0) }
        }
        return _accessorAny(key) as? Date
    }

    /// Sets a date.
    public final func _setAccessorDate(_ value: Date?, _ key: Int) {
        let entry = accessorEntry(key)
        // A date that is none goes the slow way, which marks it for validation.
        guard entry.isValue(.date), let value, !value.timeIntervalSinceReferenceDate.isNaN else {
            return _setAccessorAny(value, key)
        }
        setSlot(entry.slot, .real(value.timeIntervalSinceReferenceDate))
    }
}
