/// A type that generated accessors read and set without boxing: for generated code only.
public protocol _ManagedValue {
    /// The value of a property; nil if it is null.
    static func _read(_ object: NSManagedObject, _ key: Int) -> Self?
    /// What a property that is declared as not optional gives if it is null, or if the object only
    /// serves to learn which property a key path leads to.
    static func _null(_ object: NSManagedObject, _ key: Int) -> Self
    /// Sets a property; nil for null.
    static func _write(_ value: Self?, _ object: NSManagedObject, _ key: Int)
}

/// What generated accessors call: for generated code only.
///
/// The compiler chooses among these by the property's type, so that type aliases and nested types
/// need not be understood by the generator.
extension NSManagedObject {
    /// Reads a property.
    @inlinable public final func _accessorValue<Value: _ManagedValue>(_ key: Int) -> Value {
        Value._read(self, key) ?? Value._null(self, key)
    }

    /// Reads a property whose raw value is stored. A raw value that is none of the type's stops the
    /// program.
    @inlinable public final func _accessorValue<Value: RawRepresentable>(_ key: Int) -> Value
    where Value.RawValue: _ManagedValue {
        let rawValue = Value.RawValue._read(self, key) ?? Value.RawValue._null(self, key)
        return Value(rawValue: rawValue) ?? _accessorPlaceholder(key, "\(rawValue)")
    }

    /// Reads a property whose raw value is stored; nil for a raw value that is none of the type's.
    @inlinable public final func _accessorValue<Value: RawRepresentable>(_ key: Int) -> Value?
    where Value.RawValue: _ManagedValue {
        Value.RawValue._read(self, key).flatMap(Value.init(rawValue:))
    }

    /// Reads a property of any other type.
    @_disfavoredOverload
    @inlinable public final func _accessorValue<Value>(_ key: Int) -> Value {
        _accessorCast(key, Value.self)
    }

    /// Sets a property.
    @inlinable public final func _setAccessorValue<Value: _ManagedValue>(
        _ value: Value,
        _ key: Int
    ) {
        Value._write(value, self, key)
    }

    /// Sets a property whose raw value is stored.
    @inlinable public final func _setAccessorValue<Value: RawRepresentable>(
        _ value: Value,
        _ key: Int
    ) where Value.RawValue: _ManagedValue {
        Value.RawValue._write(value.rawValue, self, key)
    }

    /// Sets a property whose raw value is stored.
    @inlinable public final func _setAccessorValue<Value: RawRepresentable>(
        _ value: Value?,
        _ key: Int
    ) where Value.RawValue: _ManagedValue {
        Value.RawValue._write(value?.rawValue, self, key)
    }

    /// Sets a property of any other type.
    @_disfavoredOverload
    @inlinable public final func _setAccessorValue<Value>(_ value: Value?, _ key: Int) {
        _setAccessorAny(value, key)
    }
}
