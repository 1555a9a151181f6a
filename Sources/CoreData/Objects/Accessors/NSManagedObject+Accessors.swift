import Foundation

/// Typed access by the key of a generated accessor: for generated code only.
///
/// Each reads and sets the property as `value(forKey:)` and `setValue(_:forKey:)` do where these
/// are not overridden. What is asked for in another type than the attribute's is converted.
extension NSManagedObject {
    @inline(__always) final func accessorEntry(_ key: Int) -> AccessorEntry {
        heldRegistry._withUnsafeGuaranteedRef { $0.accessorEntry(key) }
    }

    /// An integer or Boolean; nil if null.
    public final func _accessorInteger(_ key: Int) -> Int64? {
        let entry = accessorEntry(key)
        if entry.isInteger { return integer(entry.slot) }
        return (anyAccessorValue(entry, key) as? NSNumber)?.int64Value
    }

    /// A number, or a date as seconds since the reference date; nil if null.
    public final func _accessorReal(_ key: Int) -> Double? {
        let entry = accessorEntry(key)
        if entry.isValue(.double) || entry.isValue(.float) || entry.isValue(.date) {
            return real(entry.slot)
        }
        let value = anyAccessorValue(entry, key)
        return (value as? NSNumber)?.doubleValue
            ?? (value as? Date)?.timeIntervalSinceReferenceDate
    }

    /// A text; nil if null.
    public final func _accessorText(_ key: Int) -> String? {
        let entry = accessorEntry(key)
        if entry.isValue(.string) { return text(entry.slot) }
        return anyAccessorValue(entry, key) as? String
    }

    /// A value as key-value access gives it; nil if null.
    public final func _accessorAny(_ key: Int) -> Any? {
        anyAccessorValue(accessorEntry(key), key)
    }

    /// A to-one relationship's object.
    public final func _accessorObject(_ key: Int) -> NSManagedObject? {
        let entry = accessorEntry(key)
        if entry.isValue(.toOne) { return toOneObject(entry.slot) }
        return anyAccessorValue(entry, key) as? NSManagedObject
    }

    /// A to-many relationship's objects.
    public final func _accessorObjects(_ key: Int) -> [NSManagedObject] {
        let entry = accessorEntry(key)
        // Asked for all the same: a probe notes the key, and any other object stops the program.
        if entry.role == .missing { _ = anyAccessorValue(entry, key) }
        guard entry.role != .missing else { return [] }
        let property = layout.slots[entry.slot]
        if property.isToMany { fireIfFault() }
        return property.isToMany
            ? toManyObjects(entry.slot)
            : Self.objects(in: anyAccessorValue(entry, key), for: property)
    }

    /// A to-many relationship's objects as the typed set that was last made of them.
    public final func _accessorKnownSet(_ key: Int) -> Any? {
        let entry = accessorEntry(key)
        guard entry.isValue(.toMany) else { return nil }
        fireIfFault()
        return (overlay?.box(entry.slot).content as? ToManyCollection)?.typedSet
    }

    /// Keeps the typed set that was made of a to-many relationship's objects.
    public final func _accessorKeep(_ set: Any, _ key: Int) {
        let entry = accessorEntry(key)
        guard entry.isValue(.toMany) else { return }
        let collection = toMany(entry.slot)
        // What the store failed to read is read again by the next access.
        if collection.isLoaded { collection.typedSet = set }
    }

    /// Sets an integer or Boolean.
    public final func _setAccessorInteger(_ value: Int64?, _ key: Int) {
        let entry = accessorEntry(key)
        // A number that the attribute can't hold goes the slow way, which marks it for validation.
        guard entry.isInteger, let value, entry.holds(value) else {
            return setAnyAccessorValue(value.map { NSNumber(value: $0) }, entry, key)
        }
        setSlot(entry.slot, .integer(value))
    }

    /// Sets a number; seconds since the reference date if the attribute is a date.
    public final func _setAccessorReal(_ value: Double?, _ key: Int) {
        let entry = accessorEntry(key)
        // What is not a number goes the slow way, which marks it for validation.
        guard let value, !value.isNaN,
            entry.isValue(.double) || entry.isValue(.float) || entry.isValue(.date)
        else { return setAnyAccessorValue(value.map { NSNumber(value: $0) }, entry, key) }
        setSlot(entry.slot, .real(entry.isValue(.float) ? Double(Float(value)) : value))
    }

    /// Sets a text.
    public final func _setAccessorText(_ value: String?, _ key: Int) {
        let entry = accessorEntry(key)
        guard entry.isValue(.string), let value else {
            return setAnyAccessorValue(value, entry, key)
        }
        setSlot(entry.slot, .text(value))
    }

    /// Sets a value of any type.
    public final func _setAccessorAny(_ value: Any?, _ key: Int) {
        setAnyAccessorValue(value, accessorEntry(key), key)
    }

    /// Sets a to-one relationship.
    public final func _setAccessorObject(_ value: NSManagedObject?, _ key: Int) {
        let entry = accessorEntry(key)
        guard entry.isValue(.toOne) else { return setAnyAccessorValue(value, entry, key) }
        setToOne(entry.slot, value)
    }

    @inline(never) private func anyAccessorValue(_ entry: AccessorEntry, _ key: Int) -> Any? {
        switch entry.role {
        case .missing: missingAccessorValue(AccessorNames.name(key))
        case .count: NSNumber(value: toManyObjects(entry.slot).count)
        default: anyValue(entry.slot)
        }
    }

    private func missingAccessorValue(_ name: String) -> Any? {
        if KeyPathProbe.isProbe(self) { return KeyPathProbe.note(name, of: self) }
        return value(forUndefinedKey: name)
    }

    @inline(never) private func setAnyAccessorValue(
        _ value: Any?,
        _ entry: AccessorEntry,
        _ key: Int
    ) {
        switch entry.role {
        case .missing: setValue(value, forUndefinedKey: AccessorNames.name(key))
        case .primitive: setPrimitive(value, entry.slot)
        default: setAnyValue(value, entry.slot)
        }
    }
}
