import Foundation

// Numbers and texts that are null read as zero and as nothing where the property is not optional,
// as on Apple's platforms.

extension _ManagedValue where Self: FixedWidthInteger {
    /// The integer; one that the type has no room for is cut off, as in C.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Self? {
        object._accessorInteger(key).map { Self(truncatingIfNeeded: $0) }
    }
    /// Zero.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Self { 0 }
    /// Sets the integer.
    @inlinable public static func _write(_ value: Self?, _ object: NSManagedObject, _ key: Int) {
        object._setAccessorInteger(value.map { Int64(truncatingIfNeeded: $0) }, key)
    }
}

extension Int: _ManagedValue {}
extension Int8: _ManagedValue {}
extension Int16: _ManagedValue {}
extension Int32: _ManagedValue {}
extension Int64: _ManagedValue {}
extension UInt: _ManagedValue {}
extension UInt8: _ManagedValue {}
extension UInt16: _ManagedValue {}
extension UInt32: _ManagedValue {}
extension UInt64: _ManagedValue {}

extension Bool: _ManagedValue {
    /// Whether the number is not zero.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Bool? {
        object._accessorInteger(key).map { $0 != 0 }
    }
    /// False.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Bool { false }
    /// Sets the Boolean.
    @inlinable public static func _write(_ value: Bool?, _ object: NSManagedObject, _ key: Int) {
        object._setAccessorInteger(value.map { $0 ? 1 : 0 }, key)
    }
}

extension Double: _ManagedValue {
    /// The number.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Double? {
        object._accessorReal(key)
    }
    /// Zero.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Double { 0 }
    /// Sets the number.
    @inlinable public static func _write(_ value: Double?, _ object: NSManagedObject, _ key: Int) {
        object._setAccessorReal(value, key)
    }
}

extension Float: _ManagedValue {
    /// The number.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Float? {
        object._accessorReal(key).map { Float($0) }
    }
    /// Zero.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Float { 0 }
    /// Sets the number.
    @inlinable public static func _write(_ value: Float?, _ object: NSManagedObject, _ key: Int) {
        object._setAccessorReal(value.map { Double($0) }, key)
    }
}

extension String: _ManagedValue {
    /// The text.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> String? {
        object._accessorText(key)
    }
    /// An empty text.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> String { "" }
    /// Sets the text.
    @inlinable public static func _write(_ value: String?, _ object: NSManagedObject, _ key: Int) {
        object._setAccessorText(value, key)
    }
}

extension Optional: _ManagedValue where Wrapped: _ManagedValue {
    /// The value, or nil within a value: an optional property is never without one.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Wrapped?? {
        .some(Wrapped._read(object, key))
    }
    /// Nil.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Wrapped? { nil }
    /// Sets the value.
    @inlinable public static func _write(
        _ value: Wrapped??,
        _ object: NSManagedObject,
        _ key: Int
    ) {
        Wrapped._write(value ?? nil, object, key)
    }
}
